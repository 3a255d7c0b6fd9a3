//! Everything that is printed. A reader that goes away, as in `taffeta run --json | head -1`, is
//! no reason to stop; what else keeps output from being written makes the command fail at its end.

use std::fmt::Display;
use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether something that was to be printed is lost though somebody was listening.
static LOST: AtomicBool = AtomicBool::new(false);

/// Prints a line on standard output.
pub fn say(line: impl Display) {
    print(format_args!("{line}\n"));
}

/// Prints text on standard output as it is.
pub fn print(text: impl Display) {
    let mut output = io::stdout().lock();
    let written = write!(output, "{text}").and_then(|()| output.flush());
    if written.is_err_and(|error| error.kind() != io::ErrorKind::BrokenPipe) {
        LOST.store(true, Ordering::Relaxed);
    }
}

/// Prints a line on standard error; where that fails, there is nobody to tell.
pub fn warn(line: impl Display) {
    let _ = writeln!(io::stderr().lock(), "{line}");
}

/// Whether all that was printed arrived, as far as anybody wanted it.
pub fn complete() -> bool {
    !LOST.load(Ordering::Relaxed)
}
