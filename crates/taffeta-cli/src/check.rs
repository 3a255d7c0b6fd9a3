//! `taffeta check`

use std::process::ExitCode;

use serde_json::json;
use taffeta_io::cache::CacheReader;
use taffeta_scene::check::{Certificate, Worst, check as check_run};
use taffeta_scene::format::Checks;
use taffeta_scene::{SceneFile, SceneText};

use crate::args::CheckArgs;
use crate::failure::Failure;

/// Violations shown to people; machines get all of them.
const SHOWN: usize = 20;

pub fn check(args: &CheckArgs) -> Result<ExitCode, Failure> {
    let mut reader = CacheReader::open(&args.dir).map_err(Failure::new)?;
    let scene = reader.scene().map_err(Failure::new)?;
    let origin = args.dir.join("scene.toml").display().to_string();
    let text = SceneText { origin: &origin, name: "", base: &args.dir, text: &scene };
    let checks = SceneFile::read(text, &[])?.checks;
    let manifest = reader.manifest();
    let all = manifest.first..=manifest.last;
    let range = args.frames.map_or(all.clone(), |frames| frames.within(&all));
    if range.start() < all.start() {
        return Err(Failure::new(format!("the run begins with frame {}", all.start())));
    }
    let certificate = check_run(&mut reader, &checks, range).map_err(Failure::new)?;
    if args.json {
        println!("{}", json!({ "holds": certificate.holds(), "certificate": certificate }));
    } else {
        tell(&certificate, &checks);
    }
    Ok(if certificate.holds() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn tell(certificate: &Certificate, checks: &Checks) {
    println!("{} frames, {} edges measured", certificate.frames, certificate.edges);
    tell_worst("extension", certificate.extension, checks.extension, checks.from);
    tell_worst("compression", certificate.compression, checks.compression, checks.from);
    certificate.unchecked.iter().for_each(|what| println!("not checked: {what}"));
    for violation in certificate.violations.iter().take(SHOWN) {
        println!("  frame {}: {}", violation.frame, violation.what);
    }
    let count = certificate.violations.len();
    if count > SHOWN {
        println!("  and {} more; --json lists them all", count - SHOWN);
    }
    match count {
        0 => println!("everything holds"),
        1 => println!("1 violation"),
        _ => println!("{count} violations"),
    }
}

fn tell_worst(what: &str, worst: Option<Worst>, limit: Option<f64>, from: f64) {
    let Some(Worst { value, frame, edge: [a, b] }) = worst else { return };
    let limit = match limit {
        Some(limit) if from > 0.0 => format!("at most {} % from {from} s on", limit * 100.0),
        Some(limit) => format!("at most {} %", limit * 100.0),
        None => "no limit".into(),
    };
    println!(
        "worst {what} {:.4} % at frame {frame}, edge {a}–{b} (asked for: {limit})",
        value * 100.0
    );
}
