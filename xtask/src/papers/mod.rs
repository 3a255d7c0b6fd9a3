//! The experiments of the papers, run by the release build and written down in `papers/<KEY>/`.
//!
//! A paper is a file here with a function that runs its experiments, and a line in [`PAPERS`].

mod bb08;
mod bench;
mod bw98;
mod contact;
mod mbcn09;
mod ye08;

use bench::Bench;

/// Runs all experiments of a paper.
type Experiments = fn(&Bench) -> Result<(), String>;

/// Every paper whose experiments can be run, and what no paper has: the key, and how.
const PAPERS: [(&str, Experiments); 5] = [
    ("BB08", bb08::run),
    ("BW98", bw98::run),
    ("contact", contact::run),
    ("MBCN09", mbcn09::run),
    ("Ye08", ye08::run),
];

/// Runs the experiments of a paper, on another scene than its own if one is named.
pub fn run(key: &str, scene: Option<&str>) -> Result<bool, String> {
    let known = || PAPERS.map(|(key, _)| key).join(", ");
    let (key, experiments) =
        PAPERS.into_iter().find(|(known, _)| known.eq_ignore_ascii_case(key)).ok_or_else(|| {
            format!("there are no experiments of {key}; there are those of {}", known())
        })?;
    experiments(&Bench::new(key, scene)?).map(|()| true)
}
