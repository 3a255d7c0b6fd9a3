//! What a command may take of the machine: threads and memory.

use sysinfo::System;

use crate::console::warn;
use crate::failure::Failure;

/// So many threads, or one for each core.
pub fn threads(count: Option<u32>) -> Result<rayon::ThreadPool, Failure> {
    rayon::ThreadPoolBuilder::new()
        .num_threads(count.map_or(0, |count| count as usize))
        .build()
        .map_err(|error| Failure::new(format!("cannot start threads: {error}")))
}

/// The memory that may be taken, in bytes, from what the user allows in GiB.
pub fn memory(allowed: Option<f64>) -> Result<u64, Failure> {
    match allowed {
        Some(gib) if gib > 0.0 && gib.is_finite() => {
            let asked = (gib * f64::from(1u32 << 30)) as u64;
            let there = machine_memory().unwrap_or(u64::MAX);
            if asked > there {
                let there = there as f64 / f64::from(1u32 << 30);
                warn(format_args!(
                    "note: --memory {gib} is more than the machine's {there:.1} GiB"
                ));
            }
            Ok(asked.min(there))
        }
        Some(gib) => {
            Err(Failure::new(format!("--memory {gib}: a positive number of GiB is needed")))
        }
        None => Ok(machine_memory()? / 4 * 3),
    }
}

fn machine_memory() -> Result<u64, Failure> {
    let mut system = System::new().map_err(|error| {
        Failure::new(format!("cannot ask for the machine's memory ({error}); say --memory"))
    })?;
    system.refresh_memory();
    Ok(system.total_memory())
}
