//! 64 bits that tell a model from its edited copies, by FNV-1a (Fowler, Noll & Vo). No protection against anybody
//! who wants two models to look alike.

use std::fmt;
use std::io::{self, Write};

/// The hash of the bytes that are written to it.
pub struct Fingerprint(u64);

impl Default for Fingerprint {
    fn default() -> Fingerprint {
        Fingerprint(0xCBF2_9CE4_8422_2325)
    }
}

impl Fingerprint {
    pub fn of(text: &str) -> Fingerprint {
        let mut fingerprint = Fingerprint::default();
        fingerprint.add(text.as_bytes());
        fingerprint
    }

    fn add(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x100_0000_01B3);
        }
    }
}

impl Write for Fingerprint {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.add(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Sixteen digits.
impl fmt::Display for Fingerprint {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:016x}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::Fingerprint;

    #[test]
    fn it_is_fnv_1a() {
        assert_eq!(Fingerprint::of("foobar").to_string(), "85944171f73967e8");
    }
}
