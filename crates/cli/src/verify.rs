//! `buttress verify`: checks a witness or a certificate of any tool against its model.

use buttress_driver::files::{Judgement, verify as judge};
use buttress_driver::{Input, Refused, load};
use buttress_solve::Stop;

use crate::args::VerifyArgs;
use crate::command::{self, Done};
use crate::exit;

pub fn verify(args: VerifyArgs) -> ! {
    command::run(args.limits, false, move |stop, _| run(&args, stop))
}

fn run(args: &VerifyArgs, stop: &Stop) -> Result<Done, Refused> {
    let problem = load(Input { path: &args.model, names: None, memory: args.limits.memory })?;
    let (code, text) = match judge(&problem, &args.evidence, stop)? {
        Judgement::Accepted(what) => (exit::PROVED, format!("accepted: {what}\n")),
        Judgement::Rejected(why) => (exit::FAULT, format!("rejected: {why}\n")),
        Judgement::Undecided(why) => (exit::UNDECIDED, format!("undecided: {why}\n")),
    };
    Ok(Done { code, text })
}
