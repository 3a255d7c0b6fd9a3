//! Work that Python waits for: without the interpreter's lock, and stopped by Ctrl-C.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use pyo3::prelude::*;
use rayon::ThreadPool;

/// How often it is looked whether somebody pressed Ctrl-C.
const LOOK: Duration = Duration::from_millis(50);

/// Does work on a pool's threads while this one waits, and hears signals, which only Python's main
/// thread gets. When one of them raises, the work is asked to stop, and once it has, what was raised
/// is passed on.
pub fn patiently<T: Send>(
    py: Python,
    pool: &ThreadPool,
    stop: impl Fn() + Sync + Send,
    work: impl FnOnce() -> T + Send,
) -> PyResult<T> {
    py.detach(|| {
        let (done, waiting) = channel();
        pool.in_place_scope(|scope| {
            scope.spawn(move |_| {
                // The receiver waits until this arrives.
                let _ = done.send(work());
            });
            let mut raised = None;
            loop {
                match waiting.recv_timeout(LOOK) {
                    Ok(made) => return raised.map_or(Ok(made), Err),
                    Err(RecvTimeoutError::Timeout) if raised.is_some() => stop(),
                    Err(RecvTimeoutError::Timeout) => {
                        raised = Python::attach(|py| py.check_signals()).err();
                        if raised.is_some() {
                            stop();
                        }
                    }
                    Err(RecvTimeoutError::Disconnected) => {
                        return Err(crate::errors::simulation("the work ended without a result"));
                    }
                }
            }
        })
    })
}
