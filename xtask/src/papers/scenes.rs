//! Every scene that shows a figure of the papers: the seconds of a frame they print, and ours.

use std::fmt::Write;

use super::bench::{Bench, Summary};

/// A scene of a paper's figure.
struct Shown {
    scene: &'static str,
    figure: &'static str,
    /// What the paper prints, in its words.
    printed: &'static str,
    /// Its seconds a frame, of all that is in the scene, where it prints them.
    seconds: Option<f64>,
}

const fn shown(
    scene: &'static str,
    figure: &'static str,
    printed: &'static str,
    seconds: Option<f64>,
) -> Shown {
    Shown { scene, figure, printed, seconds }
}

const SCENES: [Shown; 21] = [
    shown("drape-cylinder", "BW98 fig. 1", "2,602 particles", Some(2.23)),
    shown("sheet-two-particles", "BW98 fig. 2", "2,602 particles", Some(3.06)),
    shown("shirt-twist", "BW98 fig. 3", "shirt of 6,450 vertices", Some(7.32)),
    shown("walking-man", "BW98 fig. 4", "shirt 14.5, pants 38.5 s", Some(53.0)),
    shown("dancer-short-skirt", "BW98 fig. 5", "skirt 3.68, blouse 16.7 s", Some(20.38)),
    shown("dancer-long-skirt", "BW98 fig. 6", "skirt 10.2, blouse 16.6 s", Some(26.8)),
    shown("hang-two-corners", "YWG05 fig. 5, Ye08 fig. 1", "no over-stretch at corners", None),
    shown("hang-two-corners-plain", "YWG05 fig. 5", "the same without impulses", None),
    shown("swing", "YWG05 fig. 6, Ye08 fig. 4", "1,681 nodes, 1,000 steps in 12.9 s", None),
    shown("ball-hits-cloth", "Ye08 fig. 5", "6,561 nodes", Some(5.5)),
    shown("skirt-live", "Ye08 fig. 6", "108 nodes, 140 frames/s", Some(1.0 / 140.0)),
    shown("tshirt-dummy", "Ye08 fig. 7", "2,792 nodes", None),
    shown("strips-hang", "BB08 fig. 4", "41 × 41", None),
    shown("strips-contact", "BB08 fig. 6", "collision and friction", None),
    shown("tear-two-balls", "MBCN09 fig. 6", "80 × 40 yarns", Some(10.3)),
    shown("tear-ball-plain", "MBCN09 fig. 7", "plain weave", None),
    shown("tear-cube", "MBCN09 fig. 8, 11c", "160 × 80 yarns", Some(67.7)),
    shown("tear-out-of-plane", "MBCN09 fig. 11a", "out of its plane", None),
    shown("tear-bars", "MBCN09 fig. 11b", "two bars", None),
    shown("tear-ball-twill", "MBCN09 fig. 11d", "twill weave", None),
    shown("skirt-walk", "–", "ours: a skirt on a person", None),
];
/// Frames of each, where it has to be quick.
const QUICK_FRAMES: u32 = 8;

pub fn run(bench: &Bench) -> Result<String, String> {
    let mut text = bench.stamp("1 thread");
    let _ = write!(
        text,
        "\nEach scene as it is built in{}. The papers' machines are 195 MHz R10000 (BW98), 2.13 GHz Core 2 Duo \
         (Ye08), 2.4 GHz Core 2 Quad (BB08) and 2 GHz Core 2 Duo (MBCN09). Garments of the papers were put \
         on bodies of their own; ours are other patterns of about as many vertices.\n\n\
         | scene | figure | printed | s/frame | ours | ratio | worst strain % | memory MB | promises |\n\
         |---|---|---|---|---|---|---|---|---|\n",
        if bench.quick() {
            format!(", its first {QUICK_FRAMES} frames, so that what it promises is not checked")
        } else {
            String::new()
        }
    );
    for scene in &SCENES {
        let _ = writeln!(text, "{}", row(bench, scene));
    }
    Ok(text)
}

/// The line of a scene; what there is not, and what could not be run, says so.
fn row(bench: &Bench, shown: &Shown) -> String {
    let Shown { scene, figure, printed, seconds } = shown;
    let theirs = seconds.map_or("–".into(), |seconds| format!("{seconds:.3}"));
    let head = format!("| `{scene}` | {figure} | {printed} | {theirs}");
    if !bench.has(scene) {
        return format!("{head} | **no scene** | – | – | – | – |");
    }
    let quick = [format!("frames.count={QUICK_FRAMES}")];
    match bench.run_once(1, scene, if bench.quick() { &quick } else { &[] }) {
        Ok(summary) => format!("{head} | {}", measured(bench, *seconds, &summary)),
        Err(problem) => format!("{head} | **not run**: {problem} | – | – | – | – |"),
    }
}

fn measured(bench: &Bench, theirs: Option<f64>, summary: &Summary) -> String {
    let ours = summary.per_frame();
    let ratio = theirs.map_or("–".into(), |theirs| match theirs / ours {
        ratio if ratio < 1.0 => format!("**{ratio:.1}**"),
        ratio => format!("{ratio:.0}"),
    });
    let promises = match (bench.quick(), bench.broken()) {
        (true, _) => "–".into(),
        (_, None) => "hold".into(),
        (_, Some(broken)) => format!("**{}**", broken.replace('|', "/")),
    };
    let peak = summary.peak.map_or("–".into(), |peak| format!("{peak:.0}"));
    let strain = 100.0 * summary.extension;
    format!("{ours:.4} | {ratio} | {strain:.2} | {peak} | {promises} |")
}
