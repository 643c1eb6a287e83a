//! Whole files through the public interface.

mod generator;
mod malformed;
mod mutation;
mod roundtrip;
mod shared;
