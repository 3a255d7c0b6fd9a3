//! Panels of a drawing, put where the scene says.

use taffeta_garment::{Panel, Pattern};

use super::garment::{placement, refuse_alike};
use crate::format::{PanelFile, nearest};
use crate::text::{Problem, Problems};

/// The panels that the scene names, in its order, and what is said about others; problems are noted.
pub fn placed(
    drawing: &Pattern,
    written: &[PanelFile],
    problems: &Problems,
) -> Option<(Pattern, Option<String>)> {
    refuse_alike(written, problems);
    let names: Vec<&str> = drawing.panels.iter().map(|panel| panel.name.as_str()).collect();
    let panel = |written: &PanelFile| {
        let found = drawing.panels.iter().find(|panel| panel.name == written.name);
        if found.is_none() {
            let help = match nearest(&written.name, names.iter().copied()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("there are {}", names.join(", ")),
            };
            let message = format!("the drawing has no closed outline `{}`", written.name);
            problems.add(Problem::at(written.span.clone(), message).help(help));
        }
        found.map(|panel| Panel {
            grain: written.grain.to_radians(),
            rest: written.rest,
            placement: placement(written),
            ..panel.clone()
        })
    };
    let panels: Vec<Panel> = written.iter().filter_map(panel).collect();
    let unused = names.iter().filter(|name| written.iter().all(|panel| panel.name != **name));
    let unused: Vec<&str> = unused.copied().collect();
    let left = (!unused.is_empty()).then(|| {
        let names = unused.join(", ");
        format!("outlines of the drawing that no [[cloth.panel]] names are not cut: {names}")
    });
    problems.is_empty().then(|| (Pattern { panels, seams: Vec::new() }, left))
}
