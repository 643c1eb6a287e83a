//! Tests of the Lustre front end.

mod agreement;
mod corpus;
mod errors;
mod meanings;
