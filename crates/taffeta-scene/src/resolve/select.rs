//! Which particles a pin holds and a pull pulls.

use std::ops::Range;

use glam::DVec3;
use taffeta::mesh::SheetEdge;
use taffeta::{Model, Pin, Pull};
use taffeta_garment::EdgeOf;

use super::cloths::{named_particles, refuse_unnamed};
use super::garment::edge_named;
use super::pin;
use crate::format::{ClothFile, PinFile, PullFile, Pulled, SceneFile, Selection, Shape};
use crate::garment::Garment;
use crate::text::{Problem, Problems, Span};

/// Cloth as pins and pulls see it: particles of one cloth or of all, where they start.
struct Part<'a> {
    /// The cloth, if one is meant.
    cloth: Option<&'a ClothFile>,
    particles: Range<u32>,
    positions: &'a [DVec3],
}

impl<'a> Part<'a> {
    /// What a name means, or all cloths without one.
    fn of(
        file: &'a SceneFile,
        (model, positions): (&Model, &'a [DVec3]),
        name: Option<&(String, Span)>,
        problems: &Problems,
    ) -> Option<Self> {
        let particles = named_particles(model, name, problems)?;
        let named =
            |cloth: &&ClothFile| name.is_some() && cloth.name.as_ref() == name.map(|n| &n.0);
        let cloth = match &file.cloths[..] {
            [only] => Some(only),
            several => several.iter().find(named),
        };
        let own = particles.start as usize..particles.end as usize;
        Some(Self { cloth, positions: &positions[own], particles })
    }

    /// A particle of all cloths, from its number among these.
    fn number(&self, particle: u32) -> u32 {
        self.particles.start.saturating_add(particle)
    }
}

/// Chooses the particles of every pin by the places they start at; problems are noted.
pub fn pins(
    file: &SceneFile,
    cloth: (&Model, &[DVec3]),
    garments: &[Option<Garment>],
    problems: &Problems,
) -> Vec<Pin> {
    let chosen = |written: &PinFile| {
        let mine = meant(file, cloth.0, written.cloth.as_ref(), garments);
        match &written.selection {
            Selection::PanelEdges(names) => {
                return Some(along_edges(written, names, &mine, problems));
            }
            Selection::Particles(_) => {}
            _ if mine.is_empty() => {}
            _ => {
                let message = "where a garment will be is not known before it is put on";
                let help = "choose its particles by `edges` of its panels";
                problems.add(Problem::at(written.span.clone(), message).help(help));
                return None;
            }
        }
        let part = Part::of(file, cloth, written.cloth.as_ref(), problems)?;
        let numbered = matches!(written.selection, Selection::Particles(_) | Selection::Edge(_));
        if numbered && written.cloth.is_none() && refuse_unnamed(cloth.0, &written.span, problems) {
            return None;
        }
        let particles = select(&part, written, problems);
        Some(particles.into_iter().map(|particle| part.number(particle)).collect())
    };
    file.pins.iter().map(|written| pin(written, chosen(written).unwrap_or_default())).collect()
}

/// The pulls, each on its particle; problems are noted.
pub fn pulls(file: &SceneFile, cloth: (&Model, &[DVec3]), problems: &Problems) -> Vec<Pull> {
    let pull = |written: &PullFile| {
        let part = Part::of(file, cloth, written.cloth.as_ref(), problems)?;
        let particle = match written.particle {
            Pulled::Particle(_)
                if written.cloth.is_none() && refuse_unnamed(cloth.0, &written.span, problems) =>
            {
                return None;
            }
            Pulled::Particle(number) => match (number as usize) < part.positions.len() {
                true => part.number(number),
                // One beyond this cloth is no particle of the next one.
                false => number.max(cloth.1.len() as u32),
            },
            Pulled::Nearest(point) => part.number(nearest(point, part.positions)),
        };
        let start = cloth.1.get(particle as usize).copied().unwrap_or_default();
        Some(Pull {
            particle,
            point: written.to.unwrap_or(start),
            motion: written.motion.clone(),
            stiffness: written.stiffness,
            damping: written.damping,
            from: written.times[0],
            until: written.times[1],
        })
    };
    file.pulls.iter().filter_map(pull).collect()
}

/// A garment, and the number of its first particle.
type Meant<'a> = (&'a Garment, u32);

/// The garments that a name means, or all without one.
fn meant<'a>(
    file: &SceneFile,
    model: &Model,
    name: Option<&(String, Span)>,
    garments: &'a [Option<Garment>],
) -> Vec<Meant<'a>> {
    let all = file.cloths.iter().zip(garments).enumerate();
    let named = all
        .filter(|(_, (cloth, _))| name.is_none_or(|(name, _)| cloth.name.as_ref() == Some(name)));
    let first = |number: usize| model.cloths().get(number).map_or(0, |cloth| cloth.particles.start);
    named.filter_map(|(number, (_, garment))| Some((garment.as_ref()?, first(number)))).collect()
}

/// The particles of garments along edges of their panels.
fn along_edges(
    written: &PinFile,
    names: &[String],
    garments: &[Meant],
    problems: &Problems,
) -> Vec<u32> {
    let refuse = |message: String, help: String| {
        problems.add(Problem::at(written.span.clone(), message).help(help));
    };
    if garments.is_empty() {
        let help = "name the cloth that is one, or choose particles otherwise".into();
        refuse("only a [cloth.garment] has edges of panels".into(), help);
    }
    let mut chosen = Vec::new();
    for name in names {
        let (mut good, mut bad) = (Vec::new(), None);
        for (garment, first) in garments {
            match edge_named(&garment.pattern, name) {
                Ok(edge) => good.push((garment, first, edge)),
                Err(why) => bad = bad.or(Some(why)),
            }
        }
        match (&good[..], bad) {
            ([(garment, first, EdgeOf { panel, edge })], _) => {
                let along = garment.sewn.along(&garment.cut.edges[*panel][*edge]);
                chosen.extend(along.into_iter().map(|particle| *first + particle));
            }
            ([], Some([message, help])) => refuse(message, help),
            ([], None) => {}
            _ => refuse(
                format!("several garments have an edge `{name}`"),
                "say which is meant: `cloth`, with its name".into(),
            ),
        }
    }
    chosen.sort_unstable();
    chosen.dedup();
    chosen
}

/// The particles that a pin holds, by their numbers in this part.
fn select(part: &Part, written: &PinFile, problems: &Problems) -> Vec<u32> {
    let positions = part.positions;
    let refuse = |problem: Problem| {
        problems.add(problem);
        Vec::new()
    };
    let nothing = |what: String| {
        let reach = extent(positions);
        let help = format!("the cloth starts between {} and {}", show(reach[0]), show(reach[1]));
        Problem::at(written.span.clone(), what).help(help)
    };
    match &written.selection {
        // Chosen by name already.
        Selection::PanelEdges(_) => Vec::new(),
        Selection::Particles(numbers) => numbered(part, numbers, problems),
        Selection::Nearest(point) => vec![nearest(*point, positions)],
        Selection::Box([low, high]) if !low.cmple(*high).all() => {
            let message = "the box is empty: its first corner is not below its second";
            refuse(Problem::at(written.span.clone(), message))
        }
        Selection::Box([low, high]) => {
            let chosen = matching(positions, |p| p.cmpge(*low).all() && p.cmple(*high).all());
            if chosen.is_empty() {
                refuse(nothing("no particle is in this box".into()))
            } else {
                chosen
            }
        }
        Selection::Segment([a, b], within) => {
            let chosen = matching(positions, |p| distance_to_segment(p, *a, *b) <= *within);
            if chosen.is_empty() {
                refuse(nothing(format!("no particle is within {within} m of this segment")))
            } else {
                chosen
            }
        }
        Selection::Edge(edge) => match (part.cloth.map(|cloth| &cloth.shape), edge) {
            (Some(Shape::Sheet(sheet)), _) => sheet.edge(*edge),
            (Some(Shape::Tube(tube)), SheetEdge::Bottom) => tube.ring(0),
            (Some(Shape::Tube(tube)), SheetEdge::Top) => tube.ring(tube.rows.saturating_sub(1)),
            _ => {
                let message =
                    "only a [cloth.sheet] has named edges, and a [cloth.tube] two of them";
                let help = "a tube has top and bottom; choose a mesh's particles by box, segment, \
                            nearest or particles";
                refuse(Problem::at(written.span.clone(), message).help(help))
            }
        },
    }
}

fn numbered(part: &Part, numbers: &[(u32, Span)], problems: &Problems) -> Vec<u32> {
    let last = part.positions.len().saturating_sub(1);
    let has_rows =
        part.cloth.is_none_or(|cloth| matches!(cloth.shape, Shape::Sheet(_) | Shape::Tube(_)));
    for (number, span) in numbers.iter().filter(|(number, _)| *number as usize > last) {
        let message = format!("{number} is not a particle of this cloth");
        let kind = if has_rows { "row × columns + column" } else { "the file's vertices" };
        problems.add(
            Problem::at(span.clone(), message)
                .label(format!("the cloth has {} particles, 0 to {last}", last + 1))
                .help(format!("particles are numbered by {kind}")),
        );
    }
    numbers.iter().map(|(number, _)| *number).collect()
}

/// The nearest particle; of equals, the first.
fn nearest(point: DVec3, positions: &[DVec3]) -> u32 {
    let mut best = (f64::INFINITY, 0);
    for (particle, position) in positions.iter().enumerate() {
        let distance = position.distance_squared(point);
        if distance < best.0 {
            best = (distance, particle as u32);
        }
    }
    best.1
}

fn matching(positions: &[DVec3], holds: impl Fn(DVec3) -> bool) -> Vec<u32> {
    (0..positions.len() as u32).filter(|&i| holds(positions[i as usize])).collect()
}

fn distance_to_segment(point: DVec3, a: DVec3, b: DVec3) -> f64 {
    let along = b - a;
    let length2 = along.length_squared();
    let t = if length2 > 0.0 { ((point - a).dot(along) / length2).clamp(0.0, 1.0) } else { 0.0 };
    point.distance(a + along * t)
}

fn extent(positions: &[DVec3]) -> [DVec3; 2] {
    let start = [DVec3::INFINITY, DVec3::NEG_INFINITY];
    positions.iter().fold(start, |[low, high], &p| [low.min(p), high.max(p)])
}

fn show(point: DVec3) -> String {
    format!("({:.3}, {:.3}, {:.3})", point.x, point.y, point.z)
}
