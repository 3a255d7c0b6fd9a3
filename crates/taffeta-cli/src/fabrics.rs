//! `taffeta fabrics`

use std::process::ExitCode;

use serde_json::json;
use taffeta::Preset;

use crate::args::FabricsArgs;
use crate::console::say;
use crate::failure::Failure;

pub fn fabrics(args: &FabricsArgs) -> Result<ExitCode, Failure> {
    if args.json {
        let all: Vec<serde_json::Value> = Preset::ALL.iter().map(as_json).collect();
        say(json!(all));
        return Ok(ExitCode::SUCCESS);
    }
    say(format_args!(
        "{:10} {:>7} {:>9} {:>13} {:>6} {:>15}",
        "fabric", "density", "thickness", "stretch", "shear", "bending"
    ));
    say(format_args!(
        "{:10} {:>7} {:>9} {:>13} {:>6} {:>15}",
        "warp/weft", "kg/m²", "mm", "N/m", "N/m", "µN·m"
    ));
    for Preset { name, summary, fabric } in Preset::ALL {
        let ([ku, kv], [bu, bv]) = (fabric.stretch_along(), fabric.bending_along());
        say(format_args!(
            "{name:10} {:>7} {:>9.2} {:>13} {:>6} {:>15}   {summary}",
            fabric.density,
            fabric.thickness * 1e3,
            format!("{ku} / {kv}"),
            fabric.shear,
            format!("{:.1} / {:.1}", bu * 1e6, bv * 1e6)
        ));
    }
    say("Use one with [fabric] preset = \"denim\"; keys beside it override its values.");
    Ok(ExitCode::SUCCESS)
}

fn as_json(preset: &Preset) -> serde_json::Value {
    let fabric = &preset.fabric;
    json!({
        "name": preset.name,
        "summary": preset.summary,
        "density": fabric.density,
        "thickness": fabric.thickness,
        "stretch": fabric.stretch_along(),
        "shear": fabric.shear,
        "bending": fabric.bending_along(),
    })
}
