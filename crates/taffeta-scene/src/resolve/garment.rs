//! A garment of the scene: its pattern read or loaded, cut, and made ready to be put on.

use std::path::PathBuf;

use taffeta::{Mesh, Model, Pose, Setup};
use taffeta_garment::{
    Cut, Dressing, EdgeOf, Panel, PanelEdge, Pattern, PatternProblem, Piece, Placement, Seam, Sewn,
};
use taffeta_io::import;

use super::drawing;
use super::memory::too_many;
use super::place::{place, rotation};
use super::shape::LoadedShape;
use crate::format::{
    ClothFile, ClothModel, GarmentCut, GarmentFile, GarmentSeamFile, PanelFile, SceneFile, Shape,
    nearest,
};
use crate::garment::Garment;
use crate::text::{Problem, Problems, Span};

/// Reads or loads a garment's pattern and cuts it; problems are noted.
pub fn load(
    (file, cloth): (&SceneFile, &ClothFile),
    written: &GarmentFile,
    memory: u64,
    problems: &Problems,
) -> Option<LoadedShape> {
    let mut notes = Vec::new();
    let mut read = |name: &PathBuf| match import::read_pattern(&file.base.join(name)) {
        Ok(read) => {
            notes = read.notes;
            Some(read.pattern)
        }
        Err(error) => {
            problems.add(Problem::at(cloth.span.clone(), error.to_string()));
            None
        }
    };
    let pattern = match &written.cut {
        GarmentCut::File(name) => read(name)?,
        GarmentCut::Drawing(name, panels, seams) => {
            let (pattern, left) = drawing::placed(&read(name)?, panels, problems)?;
            notes.extend(left);
            sewn(pattern, seams, problems)?
        }
        GarmentCut::Here(panels, seams) => pattern_here(panels, seams, problems)?,
    };
    if file.model != ClothModel::Continuum {
        let help = "add [model.continuum]";
        let message = "a garment is a continuum of triangles, not springs";
        problems.add(Problem::at(cloth.span.clone(), message).help(help));
        return None;
    }
    let about = pattern.particles(written.edge);
    if let Some(why) = too_many(file, about as u64, memory) {
        problems.add(Problem::at(cloth.span.clone(), why));
        return None;
    }
    let mut cut = match pattern.cut(written.edge) {
        Ok(cut) => cut,
        Err(found) => {
            found.iter().for_each(|problem| tell(problem, cloth, written, problems));
            return None;
        }
    };
    cut.places = place(&cut.places, cloth, file.seed);
    notes.push(told(&pattern, &cut));
    let sewn = Sewn::new(&cut);
    let mesh = Mesh { positions: sewn.firsts(&cut.places), faces: sewn.faces(&cut) };
    let fingerprint = match written.cut {
        GarmentCut::File(_) | GarmentCut::Drawing(..) => super::shape::fingerprint(&Mesh {
            positions: cut.places.clone(),
            faces: cut.flat.faces.clone(),
        }),
        GarmentCut::Here(..) => Vec::new(),
    };
    let garment = Some(Garment { pattern, cut, sewn });
    Some(LoadedShape { mesh, fingerprint, notes, cut: None, garment })
}

/// How a garment was cut, for the user to know.
fn told(pattern: &Pattern, cut: &Cut) -> String {
    let (angle, panel) = cut.least_angle;
    format!(
        "{} panels with {} seams are cut into {} triangles; the least angle of any is {:.1}°, in `{}`",
        pattern.panels.len(),
        pattern.seams.len(),
        cut.flat.faces.len(),
        angle.to_degrees(),
        pattern.panels[panel].name
    )
}

fn pattern_here(
    panels: &[PanelFile],
    seams: &[GarmentSeamFile],
    problems: &Problems,
) -> Option<Pattern> {
    refuse_alike(panels, problems);
    let panels: Vec<Panel> = panels.iter().map(panel_here).collect();
    sewn(Pattern { panels, seams: Vec::new() }, seams, problems)
}

/// Refuses two panels of one name.
pub(super) fn refuse_alike(panels: &[PanelFile], problems: &Problems) {
    for (number, panel) in panels.iter().enumerate() {
        if panels[..number].iter().any(|other| other.name == panel.name) {
            let problem =
                Problem::at(panel.span.clone(), format!("two panels are `{}`", panel.name));
            problems.add(problem.help("every panel has a name of its own"));
        }
    }
}

/// A pattern with seams between its panels.
fn sewn(pattern: Pattern, seams: &[GarmentSeamFile], problems: &Problems) -> Option<Pattern> {
    let seam = |written: &GarmentSeamFile| {
        let [a, b] = written.join.each_ref().map(|name| edge_named(&pattern, name));
        let sides = match (a, b) {
            (Ok(a), Ok(b)) => [a, b],
            (a, b) => {
                for problem in [a.err(), b.err()].into_iter().flatten() {
                    let [message, help] = problem;
                    problems.add(Problem::at(written.span.clone(), message).help(help));
                }
                return None;
            }
        };
        Some(Seam { sides, reversed: written.reversed })
    };
    let seams: Vec<Option<Seam>> = seams.iter().map(seam).collect();
    let seams: Option<Vec<Seam>> = seams.into_iter().collect();
    Some(Pattern { seams: seams?, ..pattern }).filter(|_| problems.is_empty())
}

fn panel_here(written: &PanelFile) -> Panel {
    let edge = |(name, from, curve, _): &(String, _, _, Span)| PanelEdge {
        name: name.clone(),
        from: *from,
        curve: Clone::clone(curve),
    };
    Panel {
        name: written.name.clone(),
        outline: written.edges.iter().map(edge).collect(),
        grain: written.grain.to_radians(),
        rest: written.rest,
        placement: placement(written),
    }
}

pub(super) fn placement(written: &PanelFile) -> Placement {
    let pose = Pose { turn: rotation(written.rotation), ..Pose::at(written.position) };
    Placement { roll: written.roll, pose }
}

/// The edge of a name, as `panel.edge`; or what is wrong, and what can be done.
pub fn edge_named(pattern: &Pattern, name: &str) -> Result<EdgeOf, [String; 2]> {
    let all = || {
        let edges = |panel: usize| {
            (0..pattern.panels[panel].outline.len()).map(move |edge| EdgeOf { panel, edge })
        };
        (0..pattern.panels.len()).flat_map(edges)
    };
    let found = all().find(|edge| pattern.name(*edge) == name);
    found.ok_or_else(|| {
        let names: Vec<String> = all().map(|edge| pattern.name(edge)).collect();
        let close = nearest(name, names.iter().map(String::as_str));
        let help = close.map(|close| format!("did you mean `{close}`?"));
        let help = help.unwrap_or_else(|| format!("there are {}", names.join(", ")));
        [format!("no panel has an edge `{name}`"), help]
    })
}

/// Tells a pattern's problem where it is written.
fn tell(problem: &PatternProblem, cloth: &ClothFile, written: &GarmentFile, problems: &Problems) {
    let span = match (&written.cut, problem) {
        (GarmentCut::File(_), _) => None,
        (
            GarmentCut::Here(_, seams) | GarmentCut::Drawing(_, _, seams),
            PatternProblem::SewnTwice { seam, .. } | PatternProblem::Hopeless { seam, .. },
        ) => seams.get(*seam).map(|seam| seam.span.clone()),
        (GarmentCut::Here(panels, _) | GarmentCut::Drawing(_, panels, _), problem) => {
            let named = |panel: &&PanelFile| problem.panel() == Some(&*panel.name);
            panels.iter().find(named).map(|panel| panel.span.clone())
        }
    };
    let span = span.unwrap_or_else(|| cloth.span.clone());
    problems.add(Problem::at(span, problem.to_string()));
}

/// What has to be done before the simulation of a scene with garments can begin; nothing without any.
/// Pins are as they hold while garments settle: not carried yet.
pub fn dressing(
    file: &SceneFile,
    (garments, models): (Vec<Option<Garment>>, Vec<Model>),
    bonds: Vec<taffeta::Seam>,
    setup: Setup,
) -> Option<Dressing> {
    let any = garments.iter().any(Option::is_some);
    let piece = |((cloth, garment), model): ((&ClothFile, Option<Garment>), Model)| match (
        &cloth.shape,
        garment,
    ) {
        (Shape::Garment(written), Some(cut)) => {
            Piece::Garment(Box::new(to_put_on((file, cloth), written, cut)))
        }
        _ => Piece::Other(Box::new(model)),
    };
    let pieces = file.cloths.iter().zip(garments).zip(models).map(piece).collect();
    let time = file.frames.time(file.frames.first);
    any.then(|| Dressing { pieces, setup, bonds, time })
}

fn to_put_on(
    (file, cloth): (&SceneFile, &ClothFile),
    written: &GarmentFile,
    garment: Garment,
) -> taffeta_garment::Garment {
    let Garment { pattern, cut, sewn } = garment;
    let of_panel = |(panel, faces): (&Panel, &std::ops::Range<usize>)| {
        let [warp, weft] = file.rest_stretch;
        vec![[panel.rest[0] * warp, panel.rest[1] * weft]; faces.len()]
    };
    let seam = |seam: usize| match &cloth.name {
        None => pattern.seam_name(seam),
        Some(name) => format!("{} of `{name}`", pattern.seam_name(seam)),
    };
    taffeta_garment::Garment {
        rest: pattern.panels.iter().zip(&cut.panels).flat_map(of_panel).collect(),
        seams: (0..pattern.seams.len()).map(seam).collect(),
        cut,
        sewn,
        fabric: cloth.fabric,
        pull: written.pull,
        patience: written.patience,
        settle: written.settle,
    }
}
