//! `buttress simulate`: plays a model, at random or from a stimulus file, and shows what happens.

use buttress_driver::simulate::{Played, Playing, simulate as play};
use buttress_driver::{Kind, Refused};
use buttress_format::Style;
use buttress_report::json;
use buttress_report::trace::table;
use serde_json::json;

use crate::args::SimulateArgs;
use crate::command::{self, Done, load_model};
use crate::exit;

pub fn simulate(args: SimulateArgs) -> ! {
    command::run(args.limits, args.json, move |_, _| run(&args))
}

fn run(args: &SimulateArgs) -> Result<Done, Refused> {
    let problem = load_model(&args.model, &args.limits)?;
    if args.size.is_some() && Kind::of(&problem) != Kind::Maps {
        let why = "--size does not apply: it is for models with maps";
        return Err(Refused::usage(format!("{}: error: {why}", problem.path)));
    }
    let (stimulus, steps) = (args.stimulus.as_deref(), args.steps as usize);
    let playing = Playing { stimulus, steps, size: args.size.unwrap_or(3), seed: args.seed };
    let Played { trace, waveform, remarks } = play(&problem, playing)?;
    for (path, style) in [(&args.vcd, Style::Vcd), (&args.fst, Style::Fst)] {
        let Some(path) = path else { continue };
        command::into_file(path, |out| waveform.write(style, out))
            .map_err(|why| Refused::fault(format!("error: {why}")))?;
    }
    let text = match args.json {
        true => json::object(json::Kind::Simulate, &json!({"steps": trace, "remarks": remarks})),
        false => table(&trace) + &remarks.iter().map(|r| format!("{r}\n")).collect::<String>(),
    };
    Ok(Done { code: exit::PROVED, text })
}
