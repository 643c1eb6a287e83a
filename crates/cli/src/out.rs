//! Standard output. Whoever closes the pipe has read enough: the program ends without a word, with the code of one
//! that SIGPIPE killed. A disk that is full, or another fault of what is written to, is said, and is a fault. Colours
//! are for terminals: elsewhere, and where `NO_COLOR` is set, they are taken out.

use std::io::{self, ErrorKind, Write};

use crate::exit;

/// Prints a text as it is.
pub fn print(text: &str) {
    let mut out = anstream::stdout().lock();
    if let Err(error) = out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        fail(&error);
    }
}

/// Prints a line.
pub fn line(text: &str) {
    print(&format!("{text}\n"));
}

/// Ends the process.
pub fn fail(error: &io::Error) -> ! {
    if error.kind() == ErrorKind::BrokenPipe {
        std::process::exit(exit::PIPE.into());
    }
    let _ = writeln!(io::stderr(), "error: standard output: {error}");
    std::process::exit(exit::FAULT.into());
}

/// Says something beside the output; where that cannot be written, nobody is left to be told.
pub fn note(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}
