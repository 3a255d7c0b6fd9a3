//! Watches a run from beside it: stops it in the middle of a frame, and tells of a frame that takes
//! far longer than others what it is doing. Nothing of this bears on the frames.

use std::fmt;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use taffeta::{Doing, Signal};

use super::{RunError, RunOptions};

/// How often it is looked.
const LOOK: Duration = Duration::from_millis(50);
/// A frame is slow after so long, whatever the others took.
const LONG: Duration = Duration::from_secs(10);
/// Or after so many times the mean of the others, if that is not a moment only.
const TIMES: u32 = 100;
const MOMENT: Duration = Duration::from_secs(1);

/// A frame that takes far longer than others.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slow {
    /// The frame.
    pub frame: u32,
    /// How long it has taken so far \[s\].
    pub seconds: f64,
    /// What is being done.
    pub doing: Doing,
}

impl fmt::Display for Slow {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Self { frame, seconds, doing } = self;
        write!(f, "frame {frame} has taken {seconds:.0} s so far: {doing}")
    }
}

/// How a run gets on.
pub struct Pace {
    signal: Arc<Signal>,
    frame: Mutex<Frame>,
}

#[derive(Clone, Copy)]
struct Frame {
    number: u32,
    begun: Option<Instant>,
    /// Those before it, and how long they took together.
    others: u32,
    took: Duration,
    /// When to tell of it.
    due: Duration,
}

impl Pace {
    pub fn new(signal: Arc<Signal>) -> Self {
        let (others, took) = (0, Duration::ZERO);
        let frame = Frame { number: 0, begun: None, others, took, due: LONG };
        Self { signal, frame: Mutex::new(frame) }
    }

    /// A frame is begun.
    pub fn begin(&self, number: u32) {
        let mut frame = self.frame.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(begun) = frame.begun.replace(Instant::now()) {
            frame.others += 1;
            frame.took += begun.elapsed();
        }
        frame.number = number;
        frame.due = match frame.others {
            0 => LONG,
            others => (frame.took / others * TIMES).clamp(MOMENT, LONG),
        };
    }

    /// Whether to tell of the frame now; then again when it has taken twice as long.
    fn slow(&self) -> Option<Slow> {
        let mut frame = self.frame.lock().unwrap_or_else(PoisonError::into_inner);
        let elapsed = frame.begun?.elapsed();
        if elapsed < frame.due {
            return None;
        }
        frame.due = 2 * elapsed;
        let (number, seconds) = (frame.number, elapsed.as_secs_f64());
        Some(Slow { frame: number, seconds, doing: self.signal.doing() })
    }
}

/// Does the work of a run, watched.
pub fn beside(
    pace: &Pace,
    options: &RunOptions,
    work: impl FnOnce() -> Result<(), RunError>,
) -> Result<(), RunError> {
    let (done, waiting) = channel::<()>();
    let (stop, slow) = (options.stop, options.slow);
    thread::scope(|scope| {
        let watch = move || {
            while waiting.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {
                if stop.load(Ordering::Relaxed) {
                    pace.signal.stop();
                }
                if let (Some(tell), Some(frame)) = (slow, pace.slow()) {
                    tell(&frame);
                }
            }
        };
        let watching = thread::Builder::new().name("watch".into()).spawn_scoped(scope, watch);
        watching.map_err(RunError::Thread)?;
        let made = work();
        drop(done);
        made
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_is_slow_by_what_others_took_and_told_of_ever_more_seldom() {
        let pace = Pace::new(Arc::default());
        let set = |begun: Duration, due: Duration| {
            let mut frame = pace.frame.lock().unwrap();
            (frame.begun, frame.due) = (Instant::now().checked_sub(begun), due);
        };
        let due = || pace.frame.lock().unwrap().due;
        assert_eq!(pace.slow(), None);
        pace.begin(1);
        assert_eq!((due(), pace.slow()), (LONG, None));
        set(Duration::from_secs(11), LONG);
        let told = pace.slow().unwrap();
        assert!(told.frame == 1 && told.seconds >= 11.0, "{told}");
        assert!(pace.slow().is_none() && due() >= Duration::from_secs(22));
        // After quick frames a second is long.
        set(Duration::from_millis(1), LONG);
        pace.begin(2);
        assert!(due() >= MOMENT && due() < LONG, "{:?}", due());
    }
}
