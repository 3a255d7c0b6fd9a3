//! What results are told apart by: the machine and how busy it was, the commit, and the day.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::process;

/// The commit of the sources, and whether they differ from it.
pub fn commit_of(root: &Path) -> String {
    let git = |words: &[&str]| {
        process::capture(Command::new("git").current_dir(root).args(words)).unwrap_or_default()
    };
    let commit = git(&["rev-parse", "--short", "HEAD"]);
    let changed = git(&["status", "--porcelain", "--untracked-files=no", "--", "crates"]);
    let commit = if commit.trim().is_empty() { "unknown" } else { commit.trim() };
    if changed.trim().is_empty() { commit.into() } else { format!("{commit} with changes") }
}

/// The processor and its cores, and how busy they are, for results to be told apart by.
pub fn machine() -> (String, String) {
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = info.lines().find_map(|line| line.strip_prefix("model name"));
    let name = name.map_or("unknown processor", |rest| rest.trim_start_matches(['\t', ' ', ':']));
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load = load.split(' ').next().filter(|load| !load.is_empty()).unwrap_or("unknown");
    (format!("{name}, {cores} cores"), load.to_owned())
}

/// Today.
pub fn day_of_today() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    day(seconds / 86_400)
}

/// A day of the Gregorian calendar, so many days after 1 January 1970.
fn day(since: u64) -> String {
    let leap = |year: u64| {
        year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
    };
    let (mut year, mut left) = (1970, since);
    while left >= 365 + u64::from(leap(year)) {
        left -= 365 + u64::from(leap(year));
        year += 1;
    }
    let mut month = 1;
    for days in [31, 28 + u64::from(leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
        if left < days {
            break;
        }
        left -= days;
        month += 1;
    }
    format!("{year}-{month:02}-{:02}", left + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_those_of_the_calendar() {
        for (since, expected) in [
            (0, "1970-01-01"),
            (58, "1970-02-28"),
            (59, "1970-03-01"),
            (11_016, "2000-02-29"),
            (19_722, "2023-12-31"),
            (20_772, "2026-11-15"),
        ] {
            assert_eq!(day(since), expected);
        }
    }
}
