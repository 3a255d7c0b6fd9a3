//! Ctrl-C.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::console;
use crate::failure::Failure;

/// What a shell shows of a program stopped by Ctrl-C.
pub const INTERRUPTED: u8 = 130;

/// Ctrl-C, or a request to end, stops after the frame of a run and at once in a picture; a second
/// one at once whatever is being made, which loses nothing but that.
pub fn listen() -> Result<Arc<AtomicBool>, Failure> {
    let stop = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&stop);
    #[expect(clippy::disallowed_methods, reason = "the user asked twice to end at once")]
    ctrlc::set_handler(move || {
        if flag.swap(true, Ordering::Relaxed) {
            std::process::exit(i32::from(INTERRUPTED));
        }
        console::warn("stopping; once more to stop at once");
    })
    .map_err(|error| Failure::new(format!("cannot listen for Ctrl-C: {error}")))?;
    Ok(stop)
}
