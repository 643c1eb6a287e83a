//! Whole files through the public interface.

mod btor2;
mod generator;
mod malformed;
mod mutation;
mod roundtrip;
mod shared;
