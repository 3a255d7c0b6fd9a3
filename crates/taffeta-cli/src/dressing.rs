//! What is shown while a garment is put on.

use std::sync::atomic::{AtomicU32, Ordering};

use taffeta_scene::{Progress, Stage};

use crate::console::warn;

/// Lines told of each stage, at most.
const LINES: f64 = 8.0;

/// What was told last.
#[derive(Default)]
pub struct Told(AtomicU32);

impl Told {
    /// Tells how far dressing is, now and then.
    pub fn tell(&self, progress: &Progress) {
        let [time, all] = progress.time;
        let stage = match progress.stage {
            Stage::Sewing => 0,
            Stage::Settling => 100,
        };
        let line = 1 + stage + (LINES * time / all) as u32;
        if self.0.fetch_max(line, Ordering::Relaxed) >= line {
            return;
        }
        match progress.stage {
            Stage::Sewing => warn(format_args!(
                "dressing: seams are drawn together, the widest gap is {:.1} mm after {time:.2} s",
                progress.gap * 1e3
            )),
            Stage::Settling => {
                warn(format_args!("dressing: the garment settles, {time:.2} s of {all:.2} s"));
            }
        }
    }
}
