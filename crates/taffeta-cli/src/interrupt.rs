//! Ctrl-C.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use crate::console;
use crate::failure::Failure;

/// What a shell shows of a program stopped by Ctrl-C.
pub const INTERRUPTED: u8 = 130;

/// How long a command may take to stop by itself: a single solve of a large cloth takes longer.
const PATIENCE: Duration = Duration::from_millis(1500);

/// Ctrl-C, or a request to end, gives up the step or the picture that is being made; what has not
/// stopped by itself a moment later, or is asked for once more, ends at once, which loses nothing
/// that is on disk. `kept` says what there is then.
pub fn listen(kept: String) -> Result<Arc<AtomicBool>, Failure> {
    let stop = Arc::new(AtomicBool::new(false));
    let (flag, kept) = (Arc::clone(&stop), Arc::new(kept));
    ctrlc::set_handler(move || {
        if flag.swap(true, Ordering::Relaxed) {
            end();
        }
        console::warn("stopping; once more to stop at once");
        let kept = Arc::clone(&kept);
        // Without a thread to wait on, whoever asked has to ask once more.
        let _ = thread::Builder::new().name("patience".into()).spawn(move || {
            thread::sleep(PATIENCE);
            console::warn(format_args!("stopped in the middle of its work; {kept}"));
            end();
        });
    })
    .map_err(|error| Failure::new(format!("cannot listen for Ctrl-C: {error}")))?;
    Ok(stop)
}

#[expect(clippy::disallowed_methods, reason = "whoever asked to end has waited, or asked twice")]
fn end() -> ! {
    std::process::exit(i32::from(INTERRUPTED));
}
