//! The counts of torture on the page of results: a line for each seed, replaced when it is run again.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::trial::{BROKEN, EXCEEDED, SLOW, STOPPED};
use crate::papers::{TORTURE, commit_of, day_of_today, put_section};

/// How a scene can end, in the order of the columns.
const ENDS: [&str; 7] = ["held", "told", "refused", EXCEEDED, SLOW, STOPPED, BROKEN];
const INTRODUCTION: &str = "Random scenes over all features: run, checked by `taffeta check` and by the IPC \
    Toolkit, killed and resumed, and compared between numbers of threads (`cargo xtask torture --record`). \
    *Told*: what does not hold was said before the first step, or solids left no room for it; *refused*: \
    with a reason, before the first step; *exceeded*: steps over a limit that were counted, but not said \
    beforehand; *slow*: more than 20 s of the processor; *stopped*: ended with an error.";

/// Enters the counts of a seed.
pub fn write(root: &Path, seed: u64, ends: &BTreeMap<&str, Vec<u64>>) -> Result<(), String> {
    let file = root.join("papers/torture.csv");
    let known = fs::read_to_string(&file).unwrap_or_default();
    let mut lines: BTreeMap<u64, String> = known.lines().skip(1).filter_map(numbered).collect();
    lines.insert(seed, line(seed, ends, (&day_of_today(), &commit_of(root))));
    let head = format!("seed,scenes,{},day,commit\n", ENDS.join(","));
    let table: Vec<&str> = lines.values().map(String::as_str).collect();
    fs::write(&file, format!("{head}{}\n", table.join("\n")))
        .map_err(|error| format!("{}: {error}", file.display()))?;
    put_section(root, TORTURE, &section(&head, &table))
}

fn numbered(line: &str) -> Option<(u64, String)> {
    Some((line.split(',').next()?.parse().ok()?, line.to_owned()))
}

fn line(seed: u64, ends: &BTreeMap<&str, Vec<u64>>, (day, commit): (&str, &str)) -> String {
    let all: usize = ends.values().map(Vec::len).sum();
    let counts = ENDS.map(|name| ends.get(name).map_or(0, Vec::len).to_string());
    format!("{seed},{all},{},{day},{commit}", counts.join(","))
}

/// The table, and its sums.
fn section(head: &str, lines: &[&str]) -> String {
    let cells = |line: &str| format!("| {} |", line.trim().replace(',', " | "));
    let rule = head.split(',').map(|_| "---").collect::<Vec<_>>().join(",");
    let rows: Vec<String> = [head, &rule].iter().chain(lines).map(|line| cells(line)).collect();
    let sum = |column: usize| -> usize {
        let of = |line: &&str| line.split(',').nth(column)?.parse::<usize>().ok();
        lines.iter().filter_map(of).sum()
    };
    let (all, broken) = (sum(1), sum(8));
    let ended = sum(5) + sum(6) + sum(7);
    format!(
        "{INTRODUCTION}\n\n{}\n\n{all} scenes: {broken} broken promises; {:.1} % exceeded, slow or stopped.\n",
        rows.join("\n"),
        100.0 * ended as f64 / all.max(1) as f64
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_added_up() {
        let ends = BTreeMap::from([("held", vec![0, 1]), (SLOW, vec![2]), (BROKEN, vec![3])]);
        let one = line(4, &ends, ("2026-11-19", "abc"));
        assert_eq!(one, "4,4,2,0,0,0,1,0,1,2026-11-19,abc");
        assert_eq!(numbered(&one).map(|(seed, _)| seed), Some(4));
        let text = section("seed,scenes\n", &[&one, &one]);
        assert!(text.contains("8 scenes: 2 broken promises; 25.0 % exceeded"), "{text}");
    }
}
