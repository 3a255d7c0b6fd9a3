//! Looks: ways to show a frame of cloth.

mod cloth;
mod dress;
mod fray;
mod grid;
mod legend;
mod loose;
mod solids;
mod stage;
mod strain;
mod threads;
mod wire;
mod yarns;

use std::str::FromStr;

use taffeta::{Frame, Gauge, Mesh};

pub use dress::Dress;
pub use stage::Stage;
pub use yarns::yarns;

use crate::error::RenderError;
use crate::picture::Picture;
use crate::scene::Scene;
use crate::trace::{Options, render};

/// A way to show cloth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// As cloth, with folds to be seen.
    Cloth,
    /// Coloured by the strain of its edges.
    Strain,
    /// Its edges alone.
    Wire,
    /// Its edges, with the levels of cloth that tears told apart.
    Levels,
    /// Every row and column as a yarn.
    Yarns,
}

impl Look {
    /// Every look and its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("cloth", Self::Cloth),
        ("strain", Self::Strain),
        ("wire", Self::Wire),
        ("levels", Self::Levels),
        ("yarns", Self::Yarns),
    ];
}

impl Look {
    /// The least width and height in pixels at which its legend can be read; on smaller pictures
    /// it is left out. None if it has no legend.
    pub fn least_size(self) -> Option<[u32; 2]> {
        (self == Self::Strain).then_some(legend::LEAST)
    }
}

impl FromStr for Look {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let all = || Self::ALL.iter();
        all().find(|(known, _)| *known == name).map(|(_, look)| *look).ok_or_else(|| {
            let names: Vec<&str> = all().map(|(known, _)| *known).collect();
            format!("there is no look `{name}`; these are there: {}", names.join(", "))
        })
    }
}

/// What a picture of a frame shows.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// The cloth.
    pub frame: &'a Frame<'a>,
    /// The gauges whose strain is shown.
    pub gauges: &'a [Gauge],
    /// The surfaces of solids, where they are in this frame.
    pub solids: &'a [Mesh],
}

/// The scene a look makes of a frame.
pub fn scene_of(look: Look, subject: &Subject, stage: &Stage) -> Result<Scene, RenderError> {
    let mut scene = stage.empty();
    if matches!(look, Look::Wire | Look::Levels) {
        // Lines are a diagram: they throw no shadow.
        scene.ground = None;
    }
    let Subject { frame, gauges, solids } = *subject;
    scene.solids = solids.iter().map(solids::body).collect();
    match look {
        Look::Cloth => {
            scene.surfaces.extend(cloth::surfaces(frame, &stage.dress));
            scene.curves = loose::yarns(frame, &stage.dress);
        }
        Look::Strain => {
            scene.surfaces.push(strain::surface(frame, gauges, stage));
            scene.curves = loose::strained(frame, gauges, stage);
        }
        Look::Wire => scene.curves = wire::edges(frame, stage),
        Look::Levels => scene.curves = wire::levels(frame, stage),
        Look::Yarns => scene.curves = yarns(frame, &stage.dress)?,
    }
    Ok(scene)
}

/// The picture of a frame in a look, with its legend if it has one.
pub fn picture_of(
    look: Look,
    subject: &Subject,
    stage: &Stage,
    options: &Options,
) -> Result<Picture, RenderError> {
    let mut picture = render(&scene_of(look, subject, stage)?, options)?;
    if look == Look::Strain {
        legend::annotate(&mut picture, subject.frame, subject.gauges, stage);
    }
    Ok(picture)
}
