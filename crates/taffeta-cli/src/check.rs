//! `taffeta check`

use std::process::ExitCode;

use serde_json::json;
use taffeta_io::cache::{CacheError, CacheReader};
use taffeta_scene::check::{Certificate, Torn, Worst, check as check_run};
use taffeta_scene::format::Checks;
use taffeta_scene::{SceneFile, SceneText};

use crate::args::CheckArgs;
use crate::console::say;
use crate::failure::Failure;

/// Violations shown to people; machines get all of them.
const SHOWN: usize = 20;

pub fn check(args: &CheckArgs) -> Result<ExitCode, Failure> {
    let (certificate, checks) = certify(args)?;
    if args.json {
        say(json!({ "holds": certificate.holds(), "certificate": certificate }));
    } else {
        tell(&certificate, &checks);
    }
    Ok(if certificate.holds() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Looks at the frames; with what they promise.
pub fn certify(args: &CheckArgs) -> Result<(Certificate, Checks), Failure> {
    let unknown = |error: CacheError| Failure::new(format!("not checked: {error}"));
    let mut reader = CacheReader::open(&args.dir).map_err(unknown)?;
    let scene = reader.scene().map_err(unknown)?;
    let origin = args.dir.join("scene.toml").display().to_string();
    let text = SceneText { origin: &origin, name: "", base: &args.dir, text: &scene };
    let checks = SceneFile::read(text, &[])?.checks;
    let all = reader.manifest().first..=reader.manifest().last;
    let asked = args.frames.map(|frames| frames.within(&all));
    if asked.as_ref().is_some_and(|asked| asked.start() < all.start()) {
        return Err(Failure::new(format!("the run begins with frame {}", all.start())));
    }
    let certificate = check_run(&mut reader, &checks, asked).map_err(unknown)?;
    Ok((certificate, checks))
}

fn tell(certificate: &Certificate, checks: &Checks) {
    say(format_args!("{} frames, {} strains measured", certificate.frames, certificate.gauges));
    let own = |which: usize| -> Vec<(&str, f64)> {
        let own = checks.of_cloths.iter();
        own.filter_map(|(name, own)| Some((name.as_str(), own[which]?))).collect()
    };
    let (extension, compression) = (&certificate.extension, &certificate.compression);
    tell_worst("extension", extension.as_ref(), (checks.extension, &own(0)), checks.from);
    tell_worst("compression", compression.as_ref(), (checks.compression, &own(1)), checks.from);
    if let (Some(most), Some(limit)) = (certificate.inside, checks.inside) {
        say(format_args!("at most {most} particles inside solids (asked for: at most {limit})"));
    }
    if let (Some(worst), Some(most)) = (certificate.intersections, checks.intersections) {
        say(format_args!(
            "most intersections {} at frame {} (asked for: at most {most})",
            worst.count, worst.frame
        ));
    }
    if let Some(Torn { frame, torn, pieces, .. }) = certificate.torn {
        let asked = |range: Option<[u32; 2]>| match range {
            Some([least, most]) => format!("asked for: {least} to {most}"),
            None => "no limit".into(),
        };
        let (spans, parts) = (asked(checks.torn), asked(checks.pieces));
        say(format_args!(
            "{torn} torn spans of yarn in frame {frame} ({spans}), {pieces} pieces ({parts})"
        ));
    }
    let unchecked = certificate.unread.iter().chain(&certificate.unchecked);
    unchecked.for_each(|what| say(format_args!("not checked: {what}")));
    for violation in certificate.violations.iter().take(SHOWN) {
        say(format_args!("  frame {}: {}", violation.frame, violation.what));
    }
    let count = certificate.violations.len();
    if count > SHOWN {
        say(format_args!("  and {} more; --json lists them all", count - SHOWN));
    }
    match count {
        0 if !certificate.unread.is_empty() => {
            say(
                "not everything that is promised could be checked: `run … --resume` makes the files again",
            );
        }
        0 if !certificate.holds() => {
            say("not everything that is promised could be checked: the run is too short for it");
        }
        0 if certificate.partial => say("everything holds in these frames"),
        0 => say("everything holds"),
        1 => say("1 violation"),
        _ => say(format_args!("{count} violations")),
    }
}

fn tell_worst(
    what: &str,
    worst: Option<&Worst>,
    (limit, own): (Option<f64>, &[(&str, f64)]),
    from: f64,
) {
    let Some(Worst { value, frame, at }) = worst else { return };
    let mut limit = match limit {
        Some(limit) if from > 0.0 => format!("at most {} % from {from} s on", limit * 100.0),
        Some(limit) => format!("at most {} %", limit * 100.0),
        None => "no limit".into(),
    };
    for (name, own) in own {
        limit.push_str(&format!(", of `{name}` {} %", own * 100.0));
    }
    say(format_args!(
        "worst {what} {:.4} % at frame {frame}, {at} (asked for: {limit})",
        value * 100.0
    ));
}
