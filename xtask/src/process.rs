//! Running other programs: shown, captured, or only asked whether they work.

use std::fs;
use std::process::{Command, Stdio};

/// Runs a program with its output on the terminal; the error says how it ended.
pub fn show(command: &mut Command) -> Result<(), String> {
    let line = line_of(command);
    println!("$ {line}");
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("`{line}` ended with {status}")),
        Err(error) => Err(format!("`{line}` could not be started: {error}")),
    }
}

/// Runs a program in silence and returns what it wrote to standard output.
pub fn capture(command: &mut Command) -> Result<String, String> {
    let line = line_of(command);
    let output =
        command.output().map_err(|error| format!("`{line}` could not be started: {error}"))?;
    if output.status.success() {
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    } else {
        let said = String::from_utf8_lossy(&output.stderr);
        Err(format!("`{line}` ended with {}:\n{}", output.status, said.trim_end()))
    }
}

/// Whether the program exists and succeeds with these arguments.
pub fn works(program: &str, arguments: &[&str]) -> bool {
    Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

fn line_of(command: &Command) -> String {
    std::iter::once(command.get_program())
        .chain(command.get_args())
        .map(|word| word.to_string_lossy())
        .collect::<Vec<_>>()
        .join(" ")
}

/// Processor time that a process has taken so far, all its threads together \[s\].
pub fn processor_time_of(process: u32) -> Option<f64> {
    let state = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    ticks(&state, [11, 12])
}

/// Processor time of all programs that were run and have ended \[s\], as Linux tells it: in
/// hundredths of a second, the 16th and 17th word of a process's state, of which the second, its
/// name, may hold spaces.
pub fn processor_time() -> Option<f64> {
    let state = fs::read_to_string("/proc/self/stat").ok()?;
    ticks(&state, [13, 14])
}

/// The sum of two words of a process's state after its name, in seconds.
fn ticks(state: &str, which: [usize; 2]) -> Option<f64> {
    let (_, words) = state.rsplit_once(')')?;
    let words: Vec<&str> = words.split_whitespace().collect();
    let ticks = |n: usize| words.get(n)?.parse::<f64>().ok();
    Some((ticks(which[0])? + ticks(which[1])?) / 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cargo(argument: &str) -> Command {
        let mut command = Command::new("cargo");
        command.arg(argument);
        command
    }

    #[test]
    fn output_is_captured() {
        assert!(capture(&mut cargo("--version")).unwrap().starts_with("cargo "));
    }

    #[test]
    fn a_failure_names_the_command_and_keeps_its_words() {
        let problem = capture(&mut cargo("--no-such-flag")).unwrap_err();
        assert!(problem.starts_with("`cargo --no-such-flag` ended with"), "{problem}");
        assert!(problem.contains("unexpected argument"), "{problem}");
    }

    #[test]
    fn a_missing_program_is_an_error_not_a_panic() {
        let problem = show(&mut Command::new("no-such-program-here")).unwrap_err();
        assert!(problem.contains("could not be started"), "{problem}");
        assert!(!works("no-such-program-here", &[]));
        assert!(works("cargo", &["--version"]));
    }
}
