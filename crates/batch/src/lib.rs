//! Many models as a queue of jobs. A library: it prints nothing, reads no flags and never exits.
//!
//! ```text
//! paths ──models──▶ Job ──▶ lanes ──child──▶ Row ──▶ Results (a file of JSON lines)
//!                    │                        ▲
//!                    └──▶ queue on a server ──┘  any number of takers
//! ```
//!
//! A job is a model, or one property of it, and what is asked. It is decided by a process of its own, so that what
//! kills that process is one row and not the end of the batch. Rows are appended to a file as they come; a batch
//! that is begun again with the same file runs only what has no row there.
//!
//! Limits: rows are data. They hold verdicts and no evidence; over a server they are as good as who may write
//! there. `check` on the model is what convinces.

mod child;
mod collect;
mod job;
mod lanes;
mod mail;
mod models;
mod results;
mod row;
mod take;

pub use child::Bench;
pub use collect::{Collected, Collector, Told};
pub use job::{Asked, Job, hash_of};
pub use lanes::alone;
pub use models::{each_property, find};
pub use results::{Again, Results};
pub use row::{Finding, Row, Status, Totals};
pub use take::{Taker, take};
