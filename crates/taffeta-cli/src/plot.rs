//! `taffeta plot`

use std::process::ExitCode;

use taffeta_io::cache::CacheReader;
use taffeta_render::{Figure, Panel, Series};
use taffeta_scene::run::FrameReport;

use crate::args::PlotArgs;
use crate::console::say;
use crate::export;
use crate::failure::Failure;

pub fn plot(args: &PlotArgs) -> Result<ExitCode, Failure> {
    Figure::check_path(&args.out).map_err(Failure::new)?;
    let reader = CacheReader::open(&args.dir).map_err(Failure::new)?;
    let frames = frames(&reader)?;
    let figure = figure(&reader.manifest().scene, &frames);
    let file = figure.write(&args.out).map_err(Failure::new)?;
    say(format_args!("strain and energy of {} frames:", frames.len()));
    export::tell_files(&[file]);
    Ok(ExitCode::SUCCESS)
}

/// The report's lines; a crash may have left the last one half written.
fn frames(reader: &CacheReader) -> Result<Vec<FrameReport>, Failure> {
    let report = reader.report().map_err(Failure::new)?;
    let folder = reader.folder().display();
    let lines: Vec<&str> = report.lines().collect();
    let mut frames = Vec::with_capacity(lines.len());
    for (i, line) in lines.iter().enumerate() {
        match serde_json::from_str(line) {
            Ok(frame) => frames.push(frame),
            Err(_) if i + 1 == lines.len() && !report.ends_with('\n') => {
                say("note: the report's last line is half written and left out");
            }
            Err(error) => {
                let line = i + 1;
                return Err(Failure::new(format!("line {line} of {folder}/report.jsonl: {error}")));
            }
        }
    }
    if frames.is_empty() {
        return Err(Failure::new(format!("{folder} has no report of any frame to plot")));
    }
    Ok(frames)
}

fn figure(scene: &str, frames: &[FrameReport]) -> Figure {
    let series = |name: &str, colour: u32, value: fn(&FrameReport) -> f64| Series {
        name: name.into(),
        colour,
        points: frames.iter().map(|frame| [frame.time, value(frame)]).collect(),
    };
    let strain = Panel {
        y_label: "strain [%]".into(),
        series: vec![
            series("worst extension", 0xc8_3a_2a, |frame| frame.extension * 100.0),
            series("99.9 % of edges", 0xe8_a0_3c, |frame| frame.extension_p999 * 100.0),
            series("compression", 0x2f_6d_b5, |frame| frame.compression * 100.0),
        ],
    };
    let energy = Panel {
        y_label: "energy [J]".into(),
        series: vec![
            series("kinetic", 0xc8_3a_2a, |frame| frame.kinetic),
            series("potential", 0x2f_6d_b5, |frame| frame.potential),
            series("in springs", 0x3c_9a_5f, |frame| frame.elastic),
            series("total", 0x22_22_22, |frame| frame.kinetic + frame.potential),
        ],
    };
    Figure { title: scene.into(), x_label: "time [s]".into(), panels: vec![strain, energy] }
}
