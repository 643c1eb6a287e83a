//! The cactus plot of a benchmark, as SVG: how many files each tool solves within how many CPU
//! seconds each.
//!
//! Tools differ by colour, dash and marker, so that the plot can be read in black and white and
//! whatever colours the reader can tell apart. Styles repeat only after dozens of tools. Widths
//! of texts are estimated, as no font is at hand; long names are cut. A logarithmic axis starts
//! at 0.01 s, and shorter times lie on its lower end.

use std::fmt::Write;

use super::outcome::Outcome;
use super::table::Report;

const WIDTH: f64 = 560.0;
const HEIGHT: f64 = 380.0;
const LEFT: f64 = 68.0;
const TOP: f64 = 20.0;
const BOTTOM: f64 = 56.0;
/// Room between the longest curve and the frame.
const RIGHT_GAP: f64 = 12.0;
const LEGEND_GAP: f64 = 16.0;
const LEGEND_LINE: f64 = 20.0;
const LEGEND_SAMPLE: f64 = 44.0;
/// About the width of a character of the legend.
const CHAR_WIDTH: f64 = 7.0;
const NAME_CHARS: usize = 32;
/// The shortest time that a logarithmic axis shows.
const LOG_FLOOR: f64 = 0.01;
/// About how many markers a curve gets.
const MARKERS: usize = 8;

/// Colours that remain distinct with the common kinds of colour blindness.
const COLOURS: [&str; 8] =
    ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#000000", "#e69f00", "#56b4e9", "#666666"];
const DASHES: [&str; 7] = ["", "8 4", "2 3", "10 3 2 3", "12 6", "5 2", "10 3 2 3 2 3"];

/// The shape of a marker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Marker {
    Disc,
    Square,
    Triangle,
    Diamond,
    Ring,
    Cross,
    Funnel,
    Plus,
}

const MARKS: [Marker; 8] = [
    Marker::Disc,
    Marker::Square,
    Marker::Triangle,
    Marker::Diamond,
    Marker::Ring,
    Marker::Cross,
    Marker::Funnel,
    Marker::Plus,
];

/// How one tool is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Style {
    colour: &'static str,
    dash: &'static str,
    marker: Marker,
}

impl Style {
    fn of(place: usize) -> Style {
        Style {
            colour: COLOURS[place % COLOURS.len()],
            dash: DASHES[place % DASHES.len()],
            marker: MARKS[(place + place / COLOURS.len()) % MARKS.len()],
        }
    }
}

/// One tool's curve.
struct Series<'a> {
    name: &'a str,
    style: Style,
    /// CPU seconds of the solved files, ascending.
    times: Vec<f64>,
}

/// How the time is laid out on the vertical axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    Linear,
    Log,
}

/// From values to places in the picture.
struct Axes {
    scale: Scale,
    /// The largest number of files.
    files: f64,
    /// The time at the lower end; not 0 on a logarithmic scale.
    low: f64,
    /// The time at the upper end.
    high: f64,
}

/// Draws the plot.
pub fn svg(report: &Report, scale: Scale) -> String {
    let series = series(report);
    let axes = Axes::of(&series, report.limit, scale);
    let legend = legend_width(&series);
    let (width, height) = (LEFT + WIDTH + LEGEND_GAP + legend, picture_height(series.len()));
    let mut out = String::new();
    let _ = writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
         viewBox=\"0 0 {width:.0} {height:.0}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <title>Files solved within a CPU time</title>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>"
    );
    draw_axes(&mut out, &axes, report);
    for (place, one) in series.iter().enumerate() {
        draw_series(&mut out, &axes, one, place);
    }
    draw_legend(&mut out, &series);
    out.push_str("</svg>\n");
    out
}

/// The curves, the best first.
fn series(report: &Report) -> Vec<Series<'_>> {
    let mut all: Vec<Series<'_>> = report
        .tools
        .iter()
        .enumerate()
        .map(|(place, name)| Series {
            name,
            style: Style::of(place),
            times: sorted_times(report.outcomes_of(place)),
        })
        .collect();
    all.sort_by_key(|one| std::cmp::Reverse(one.times.len()));
    all
}

fn sorted_times<'a>(outcomes: impl Iterator<Item = &'a Outcome>) -> Vec<f64> {
    let solved = outcomes.filter(|outcome| outcome.verdict.is_definite());
    let mut times: Vec<f64> = solved.map(|outcome| outcome.cpu).collect();
    times.sort_by(f64::total_cmp);
    times
}

fn picture_height(tools: usize) -> f64 {
    let legend = TOP + (tools as f64 + 1.0) * LEGEND_LINE;
    (TOP + HEIGHT + BOTTOM).max(legend)
}

fn legend_width(series: &[Series<'_>]) -> f64 {
    let longest = series.iter().map(|one| one.label().chars().count()).max().unwrap_or(0);
    LEGEND_SAMPLE + longest as f64 * CHAR_WIDTH + LEGEND_GAP
}

impl Series<'_> {
    /// The name, cut if it is long, and the number of files solved.
    fn label(&self) -> String {
        let mut name: String = self.name.chars().take(NAME_CHARS).collect();
        if self.name.chars().count() > NAME_CHARS {
            name.push('…');
        }
        format!("{name} ({})", self.times.len())
    }
}

impl Axes {
    /// Axes with room for all curves.
    fn of(series: &[Series<'_>], limit: f64, scale: Scale) -> Axes {
        let files = series.iter().map(|one| one.times.len()).max().unwrap_or(0).max(1);
        let times = || series.iter().flat_map(|one| one.times.iter().copied());
        let high = times().fold(limit, f64::max).max(2.0 * LOG_FLOOR);
        let shortest = times().fold(high / 10.0, f64::min).max(LOG_FLOOR);
        let low = match scale {
            Scale::Linear => 0.0,
            Scale::Log => 10f64.powf((shortest.log10() + 1e-9).floor()),
        };
        Axes { scale, files: files as f64, low, high }
    }

    fn x(&self, files: f64) -> f64 {
        LEFT + (WIDTH - RIGHT_GAP) * files / self.files
    }

    fn y(&self, time: f64) -> f64 {
        let part = match self.scale {
            Scale::Linear => time / self.high,
            Scale::Log => (time.max(self.low) / self.low).ln() / (self.high / self.low).ln(),
        };
        TOP + HEIGHT * (1.0 - part)
    }

    /// The times with a line and a number.
    fn time_ticks(&self) -> Vec<f64> {
        match self.scale {
            Scale::Linear => ticks(self.high, 6.0, 0.0),
            Scale::Log => decades(self.low, self.high),
        }
    }
}

/// Round numbers from 0 up to the end, about as many as asked for.
fn ticks(end: f64, wanted: f64, smallest_step: f64) -> Vec<f64> {
    let rough = (end / wanted).max(smallest_step).max(f64::MIN_POSITIVE);
    let power = 10f64.powf(rough.log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power);
    let step = steps.into_iter().find(|step| *step >= rough * 0.999).unwrap_or(10.0 * power);
    let count = (end / step + 1e-9).floor() as u32;
    (0..=count).map(|n| f64::from(n) * step).collect()
}

/// Round numbers between two times: powers of ten, with 2 and 5 between them where there is room.
fn decades(low: f64, high: f64) -> Vec<f64> {
    let (first, last) = (low.log10().round() as i32, high.log10().floor() as i32);
    let factors: &[f64] = if last - first < 4 { &[1.0, 2.0, 5.0] } else { &[1.0] };
    let round = (first..=last).flat_map(|power| factors.iter().map(move |f| f * 10f64.powi(power)));
    round.filter(|time| *time <= high * 1.000_001).collect()
}

/// The frame, the grid, the numbers and the titles.
fn draw_axes(out: &mut String, axes: &Axes, report: &Report) {
    for files in ticks(axes.files, 7.0, 1.0) {
        draw_column(out, axes.x(files), files);
    }
    for time in axes.time_ticks() {
        draw_row(out, axes.y(time), time);
    }
    let (middle, below) = (LEFT + WIDTH / 2.0, TOP + HEIGHT + 42.0);
    let half = TOP + HEIGHT / 2.0;
    let _ = writeln!(
        out,
        "<rect x=\"{LEFT}\" y=\"{TOP}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"none\" \
         stroke=\"#333333\"/>\n\
         <text x=\"{middle}\" y=\"{below}\" text-anchor=\"middle\" font-size=\"13\">files solved, \
         of {}</text>\n\
         <text transform=\"translate(18 {half}) rotate(-90)\" text-anchor=\"middle\" \
         font-size=\"13\">CPU seconds per file, limit {}</text>",
        report.files.len(),
        report.limit,
    );
}

/// A grid line with a number of files below it.
fn draw_column(out: &mut String, x: f64, files: f64) {
    let (end, below) = (TOP + HEIGHT, TOP + HEIGHT + 18.0);
    let _ = writeln!(
        out,
        "<path d=\"M{x:.1} {TOP}V{end}\" stroke=\"#dddddd\"/>\
         <path d=\"M{x:.1} {end}v5\" stroke=\"#333333\"/>\
         <text x=\"{x:.1}\" y=\"{below}\" text-anchor=\"middle\">{files}</text>"
    );
}

/// A grid line with a time to its left.
fn draw_row(out: &mut String, y: f64, time: f64) {
    let (end, before, base) = (LEFT + WIDTH, LEFT - 9.0, y + 4.0);
    let _ = writeln!(
        out,
        "<path d=\"M{LEFT} {y:.1}H{end}\" stroke=\"#dddddd\"/>\
         <path d=\"M{LEFT} {y:.1}h-5\" stroke=\"#333333\"/>\
         <text x=\"{before}\" y=\"{base:.1}\" text-anchor=\"end\">{}</text>",
        tick_label(time)
    );
}

/// A number without noise in its last digits.
fn tick_label(value: f64) -> String {
    let text = format!("{value:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// One curve with its markers, which are set off from the other curves' ones.
fn draw_series(out: &mut String, axes: &Axes, series: &Series<'_>, place: usize) {
    let at = |(n, time): (usize, &f64)| (axes.x((n + 1) as f64), axes.y(*time));
    let points: Vec<(f64, f64)> = series.times.iter().enumerate().map(at).collect();
    draw_line(out, &points, series.style);
    let every = points.len().div_ceil(MARKERS).max(1);
    for (n, point) in points.iter().enumerate() {
        let spaced = n % every == (place * every / 4) % every;
        if n + 1 == points.len() || (spaced && n + every / 2 < points.len()) {
            draw_marker(out, *point, series.style);
        }
    }
}

fn draw_line(out: &mut String, points: &[(f64, f64)], style: Style) {
    let points: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
    let Style { colour, dash, .. } = style;
    let dash = if dash.is_empty() { "none" } else { dash };
    let _ = writeln!(
        out,
        "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.8\" \
         stroke-dasharray=\"{dash}\"/>",
        points.join(" ")
    );
}

fn draw_marker(out: &mut String, (x, y): (f64, f64), style: Style) {
    let colour = style.colour;
    let (path, filled) = match style.marker {
        Marker::Disc => ("M-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z", true),
        Marker::Square => ("M-3.5 -3.5h7v7h-7z", true),
        Marker::Triangle => ("M0 -4.5L4.5 3.5H-4.5z", true),
        Marker::Diamond => ("M0 -5L5 0L0 5L-5 0z", true),
        Marker::Ring => ("M-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z", false),
        Marker::Cross => ("M-4 -4L4 4M-4 4L4 -4", false),
        Marker::Funnel => ("M0 4.5L4.5 -3.5H-4.5z", true),
        Marker::Plus => ("M-5 0H5M0 -5V5", false),
    };
    let fill = if filled { colour } else { "#ffffff" };
    let _ = writeln!(
        out,
        "<path transform=\"translate({x:.1} {y:.1})\" d=\"{path}\" fill=\"{fill}\" \
         stroke=\"{colour}\" stroke-width=\"1.5\"/>"
    );
}

/// A sample of every curve with its name.
fn draw_legend(out: &mut String, series: &[Series<'_>]) {
    let start = LEFT + WIDTH + LEGEND_GAP;
    for (place, one) in series.iter().enumerate() {
        let y = TOP + 10.0 + place as f64 * LEGEND_LINE;
        draw_line(out, &[(start, y), (start + LEGEND_SAMPLE - 8.0, y)], one.style);
        draw_marker(out, (start + LEGEND_SAMPLE / 2.0 - 4.0, y), one.style);
        let (x, base, label) = (start + LEGEND_SAMPLE, y + 4.0, escaped(&one.label()));
        let _ = writeln!(out, "<text x=\"{x}\" y=\"{base}\">{label}</text>");
    }
}

/// Text for use in XML; what XML cannot hold becomes a space.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claims::Claims;
    use crate::outcome::Verdict;
    use crate::suite::ModelFile;
    use crate::table::FileResult;

    fn report(tools: &[(&str, &[f64])]) -> Report {
        let files = tools.iter().map(|(_, times)| times.len()).max().unwrap_or(0);
        let file = |n: usize| {
            let time = |times: &[f64]| match times.get(n) {
                Some(cpu) => Outcome::sample(Verdict::Safe, *cpu),
                None => Outcome::sample(Verdict::Time, 20.0),
            };
            let model = ModelFile { path: n.to_string(), label: n.to_string() };
            FileResult { model, outcomes: tools.iter().map(|(_, times)| time(times)).collect() }
        };
        let names = tools.iter().map(|(name, _)| (*name).to_owned()).collect();
        Report::new(names, (0..files).map(file).collect(), &Claims::default(), 20.0)
    }

    #[test]
    fn round_ticks() {
        assert_eq!(ticks(20.0, 6.0, 0.0), [0.0, 5.0, 10.0, 15.0, 20.0]);
        assert_eq!(ticks(3.0, 7.0, 1.0), [0.0, 1.0, 2.0, 3.0]);
        assert_eq!(ticks(473.0, 7.0, 1.0), [0.0, 100.0, 200.0, 300.0, 400.0]);
        assert_eq!(decades(0.1, 20.0), [0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0]);
        assert_eq!(decades(0.01, 100.0), [0.01, 0.1, 1.0, 10.0, 100.0]);
        assert_eq!(tick_label(0.1 + 0.2), "0.3");
        assert_eq!(tick_label(100.0), "100");
    }

    #[test]
    fn curves_are_sorted_and_the_best_comes_first() {
        let report = report(&[("few", &[1.0]), ("many", &[5.0, 0.5, 2.0])]);
        let series = series(&report);
        assert_eq!(series[0].label(), "many (3)");
        assert_eq!(series[0].times, [0.5, 2.0, 5.0]);
        assert_eq!(series[1].style, Style::of(0), "a tool keeps its style");
    }

    #[test]
    fn axes_span_the_curves() {
        let report = report(&[("t", &[0.002, 0.3, 19.0])]);
        let series = series(&report);
        let linear = Axes::of(&series, 20.0, Scale::Linear);
        assert_eq!((linear.y(0.0), linear.y(20.0)), (TOP + HEIGHT, TOP));
        assert_eq!((linear.x(0.0), linear.x(3.0)), (LEFT, LEFT + WIDTH - RIGHT_GAP));
        let log = Axes::of(&series, 20.0, Scale::Log);
        assert!((log.low - 0.01).abs() < 1e-9);
        assert_eq!(log.y(0.002), TOP + HEIGHT, "below the floor is on it");
        assert!((log.y(20.0) - TOP).abs() < 1e-9);
    }

    #[test]
    fn names_are_escaped_and_cut() {
        let name = format!("<a&b>{}", "x".repeat(40));
        let text = svg(&report(&[(&name, &[1.0])]), Scale::Log);
        assert!(text.contains("&lt;a&amp;b&gt;xxx") && text.contains("…"));
        assert!(text.starts_with("<svg ") && text.ends_with("</svg>\n"));
    }

    #[test]
    fn nothing_solved_still_draws() {
        for scale in [Scale::Linear, Scale::Log] {
            let text = svg(&report(&[("t", &[])]), scale);
            assert!(!text.contains("NaN") && !text.contains("inf"));
        }
    }
}
