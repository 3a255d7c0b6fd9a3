//! Command lines to copy: what to type next.

use std::path::Path;

use crate::args::RunArgs;

/// How the user called this program: cargo sets CARGO for what it runs.
pub fn program() -> &'static str {
    if std::env::var_os("CARGO").is_some() { "cargo run --release --" } else { "taffeta" }
}

/// The command that goes on with a run.
pub fn resume(args: &RunArgs) -> String {
    let mut words = vec![program().to_string(), "run".into(), quoted(&args.scene)];
    let mut option = |name: &str, value: &str| words.extend([name.into(), quoted(value)]);
    args.overrides.iter().for_each(|value| option("--set", value));
    if let Some(folder) = &args.out {
        option("--out", &folder.to_string_lossy());
    }
    if let Some(file) = &args.render {
        option("--render", &file.to_string_lossy());
    }
    if let Some(threads) = args.threads {
        option("--threads", &threads.to_string());
    }
    if let Some(memory) = args.memory {
        option("--memory", &memory.to_string());
    }
    words.push("--resume".into());
    words.join(" ")
}

/// A path as a shell takes it.
pub fn quoted_path(path: &Path) -> String {
    quoted(&path.to_string_lossy())
}

/// A word as a shell takes it: in quotes where it has to be.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./=+,:@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.into();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn plain_words_stay_plain() {
        for word in ["hang", "out/my-run_2", "fabric.density=0.3", "größe.toml"] {
            assert_eq!(quoted(word), word);
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_shell_takes_quoted_words_as_they_were() {
        let words = ["", "[61, 61]", "it's", "$HOME `ls` \"x\" \\ *", "a\nb", "~/x", "#no", "a;b"];
        for word in words {
            let script = format!("printf %s {}", quoted(word));
            let output = Command::new("sh").args(["-c", &script]).output().unwrap();
            assert_eq!(String::from_utf8(output.stdout).unwrap(), word);
        }
    }
}
