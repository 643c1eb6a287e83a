//! Tests of the Lustre front end.

mod corpus;
mod errors;
mod meanings;
