//! Measures against keys: the mean over all tasks with a value of the key, the least and the most.

use std::fs;
use std::path::{Path, PathBuf};

use taffeta_render::{Figure, Panel, Series};

use crate::error::SweepError;
use crate::plan::Plan;
use crate::table::Table;

/// More different values than these are put together into so many classes.
const CLASSES: usize = 20;

/// A plot for each key that has several numbers.
pub fn make(plan: &Plan, table: &Table, folder: &Path) -> Result<Vec<PathBuf>, SweepError> {
    let mut files = Vec::new();
    for key in &table.keys {
        let Some(figure) = figure(plan, table, key) else { continue };
        fs::create_dir_all(folder).map_err(|e| SweepError::io("make", folder, e))?;
        let path = folder.join(format!("{}.svg", key.replace(['.', '/', '\\'], "-")));
        let written = figure.write(&path);
        files.push(written.map_err(|e| SweepError::Plot { path, why: e.to_string() })?);
    }
    Ok(files)
}

fn figure(plan: &Plan, table: &Table, key: &str) -> Option<Figure> {
    let x = table.numbers(key)?;
    let panel = |name: &String| {
        let y = table.numbers(name)?;
        let both = x.iter().zip(&y).filter_map(|(x, y)| Some([(*x)?, (*y)?]));
        let points: Vec<[f64; 2]> = both.filter(|point| point[1].is_finite()).collect();
        Some(Panel { y_label: name.clone(), series: series(points)? })
    };
    let panels: Vec<Panel> = table.measures.iter().filter_map(panel).collect();
    let title = plan.name.clone();
    (!panels.is_empty()).then(|| Figure { title, x_label: key.into(), panels })
}

/// None if there is nothing to compare.
fn series(mut points: Vec<[f64; 2]>) -> Option<Vec<Series>> {
    points.sort_by(|a, b| a[0].total_cmp(&b[0]));
    let mut classes: Vec<Vec<[f64; 2]>> =
        points.chunk_by(|a, b| a[0] == b[0]).map(<[_]>::to_vec).collect();
    if classes.len() < 2 {
        return None;
    }
    if classes.len() > CLASSES {
        let size = points.len().div_ceil(CLASSES);
        classes = points.chunks(size).map(<[_]>::to_vec).collect();
    }
    let line = |name: &str, colour: u32, of: fn(&[[f64; 2]]) -> f64| Series {
        name: name.into(),
        colour,
        points: classes.iter().map(|class| [mean(class, 0), of(class)]).collect(),
    };
    let several = classes.iter().any(|class| class.len() > 1);
    let mut lines = vec![line("mean", 0x22_22_22, |class| mean(class, 1))];
    if several {
        let least: fn(&[[f64; 2]]) -> f64 =
            |class| class.iter().map(|p| p[1]).fold(f64::INFINITY, f64::min);
        let most: fn(&[[f64; 2]]) -> f64 =
            |class| class.iter().map(|p| p[1]).fold(f64::NEG_INFINITY, f64::max);
        lines.push(line("least", 0x2f_6d_b5, least));
        lines.push(line("most", 0xc8_3a_2a, most));
    }
    Some(lines)
}

fn mean(class: &[[f64; 2]], axis: usize) -> f64 {
    class.iter().map(|point| point[axis]).sum::<f64>() / class.len() as f64
}
