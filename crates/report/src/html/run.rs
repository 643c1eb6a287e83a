//! The run: what each lane did, and how far it was over time.

use std::fmt::Write;

use buttress_driver::Report;
use buttress_driver::report::{LaneReport, Sample};
use maud::{Markup, html};

/// Colours of lanes; more lanes share them.
const COLOURS: usize = 8;

/// The picture, and where its axes are.
const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 180.0;
const LEFT: f64 = 52.0;
const BOTTOM: f64 = 22.0;
const TOP: f64 = 8.0;

pub fn section(report: &Report) -> Markup {
    let timed = report.course.iter().any(|sample| sample.seconds > 0.0);
    html! {
        @if !report.engines.is_empty() {
            section {
                h2 { "The run" }
                div.scroll {
                    table {
                        tr { th { "engine" } th.number { "seconds" } th { "depth" } th { "size" } th.number { "queries" } }
                        @for (place, lane) in report.engines.iter().enumerate() { (row(place, lane)) }
                    }
                }
                @if timed {
                    h3 { "Depth over time" }
                    (plot(report, |sample| sample.depth as f64))
                    h3 { "Size over time" }
                    (plot(report, |sample| sample.size as f64))
                }
            }
        }
    }
}

fn row(place: usize, lane: &LaneReport) -> Markup {
    html! {
        tr {
            td class=(format!("key c{}", place % COLOURS)) {
                (lane.title)
                @if let Some(thread) = lane.thread { " " (thread) }
            }
            td.number { @if let Some(seconds) = lane.seconds { (format!("{seconds:.2}")) } @else { "–" } }
            td { (lane.measure) " " (lane.depth) }
            td { (lane.size) " " (lane.unit) }
            td.number { @if let Some(queries) = lane.queries { (queries) } }
        }
    }
}

/// A line a lane: the value that was reached holds until the next.
fn plot(report: &Report, value: fn(&Sample) -> f64) -> Markup {
    let end = report.seconds.unwrap_or(0.0).max(report.course.last().map_or(0.0, |s| s.seconds)).max(1e-3);
    let most = report.course.iter().map(value).fold(1.0, f64::max);
    let x = |seconds: f64| LEFT + seconds / end * (WIDTH - LEFT - 8.0);
    let y = |v: f64| HEIGHT - BOTTOM - v / most * (HEIGHT - BOTTOM - TOP);
    let line = |lane: usize| {
        let mut points = String::new();
        let mut last = None;
        for sample in report.course.iter().filter(|sample| sample.lane == lane) {
            if let Some(before) = last {
                let _ = write!(points, "{:.1},{:.1} ", x(sample.seconds), y(before));
            }
            let _ = write!(points, "{:.1},{:.1} ", x(sample.seconds), y(value(sample)));
            last = Some(value(sample));
        }
        last.iter().for_each(|&v| {
            let _ = write!(points, "{:.1},{:.1}", x(end), y(v));
        });
        points
    };
    html! {
        svg.plot viewBox=(format!("0 0 {WIDTH} {HEIGHT}")) role="img" aria-label="how far each engine was over time" {
            line.axis x1=(LEFT) y1=(y(0.0)) x2=(WIDTH) y2=(y(0.0)) {}
            line.axis x1=(LEFT) y1=(TOP) x2=(LEFT) y2=(y(0.0)) {}
            text x=(LEFT - 6.0) y=(y(most) + 8.0) text-anchor="end" { (most) }
            text x=(LEFT - 6.0) y=(y(0.0)) text-anchor="end" { "0" }
            text x=(LEFT) y=(HEIGHT - 6.0) { "0 s" }
            text x=(WIDTH - 8.0) y=(HEIGHT - 6.0) text-anchor="end" { (format!("{end:.2} s")) }
            @for lane in 0..report.engines.len() {
                polyline class=(format!("c{}", lane % COLOURS)) points=(line(lane)) { title { (report.engines[lane].title) } }
            }
        }
    }
}
