//! Woven cloth that tears, from what the scene says of it.

use glam::DVec2;
use taffeta::woven::{Cut, Tearing, Woven};
use taffeta::{Mesh, Model, Sheet};

use taffeta_io::import::GreyMap;

use crate::format::{SceneFile, Shape, StrengthMap, TearFile};
use crate::text::{Problem, Problems};

/// Weaves a sheet, if it is to tear; problems are noted.
pub fn weave(file: &SceneFile, mesh: &Mesh, model: &Model, problems: &Problems) -> Option<Woven> {
    let tear = file.tear.as_ref()?;
    let refuse = |message: String| {
        problems.add(Problem::at(tear.span.clone(), message));
        None
    };
    let Shape::Sheet(sheet) = &file.first_cloth().shape else {
        return refuse("only a sheet tears so far: give the cloth a [cloth.sheet]".into());
    };
    let flat = Flat { mesh, sheet, model };
    for (cut, made) in tear.cuts.iter().zip(tear.cuts.iter().map(|cut| flat.cut(cut))) {
        if made.edges.is_empty() {
            let message = format!("a cut from {:?} to {:?} meets no yarn", cut.0, cut.1);
            problems.add(Problem::at(tear.span.clone(), message));
        }
    }
    let factors = flat.factors(tear, strength_map(file, tear, problems)?.as_ref());
    let tearing = Tearing {
        strength: tear.strength,
        loosens_at: tear.loosens_at,
        slip: tear.slip,
        grip: tear.grip,
        averaging: tear.averaging,
        seed: file.seed.into(),
        factors,
        cuts: flat.cuts(tear),
        all_yarn: tear.all_yarn,
        coarse: tear.coarse,
    };
    let weave = (tear.weave.clone(), tear.thickness);
    match Woven::new(model.clone(), sheet, weave, tearing) {
        Ok(woven) => Some(woven),
        Err(error) => refuse(error.to_string()),
    }
}

/// The map of the strength, if the scene has one; none at all if it cannot be read.
fn strength_map(file: &SceneFile, tear: &TearFile, problems: &Problems) -> Option<Option<GreyMap>> {
    let Some(written) = &tear.map else { return Some(None) };
    match GreyMap::read(&file.base.join(&written.file)) {
        Ok(map) => Some(Some(map)),
        Err(error) => {
            problems.add(Problem::at(written.span.clone(), error.to_string()));
            None
        }
    }
}

/// What a scene's map makes of the strengths, so that another picture is another scene.
pub fn fingerprint(file: &SceneFile, woven: Option<&Woven>) -> Vec<u8> {
    let mapped = file.tear.as_ref().is_some_and(|tear| tear.map.is_some());
    let factors = woven.filter(|_| mapped).map_or(&[][..], |woven| &woven.tearing().factors);
    factors.iter().flat_map(|factor| factor.to_le_bytes()).collect()
}

/// The edges of cloth as it lies flat.
struct Flat<'a> {
    mesh: &'a Mesh,
    sheet: &'a Sheet,
    model: &'a Model,
}

impl Flat<'_> {
    fn place(&self, particle: u32) -> DVec2 {
        let at = self.mesh.positions[particle as usize];
        DVec2::new(at.x + self.sheet.width / 2.0, at.z + self.sheet.height / 2.0)
    }

    fn edges(&self) -> impl Iterator<Item = [DVec2; 2]> {
        self.model.structural().iter().map(|edge| edge.ends.map(|end| self.place(end)))
    }

    /// A factor of the strength of each edge, by where its middle is; none if there is neither a
    /// region nor a map.
    fn factors(&self, tear: &TearFile, map: Option<&GreyMap>) -> Vec<f64> {
        if tear.regions.is_empty() && map.is_none() {
            return Vec::new();
        }
        let size = DVec2::new(self.sheet.width, self.sheet.height);
        let painted = |middle: DVec2| match (map, &tear.map) {
            (Some(map), Some(StrengthMap { factors: [black, white], .. })) => {
                black + (white - black) * map.at(middle / size)
            }
            _ => 1.0,
        };
        let factor = |[a, b]: [DVec2; 2]| -> f64 {
            let middle = (a + b) / 2.0;
            let within = tear.regions.iter().filter(|(from, to, _)| {
                let (from, to) = (DVec2::from(*from), DVec2::from(*to));
                middle.cmpge(from.min(to)).all() && middle.cmple(from.max(to)).all()
            });
            painted(middle) * within.map(|(.., factor)| factor).product::<f64>()
        };
        self.edges().map(factor).collect()
    }

    /// The cuts.
    fn cuts(&self, tear: &TearFile) -> Vec<Cut> {
        tear.cuts.iter().map(|cut| self.cut(cut)).collect()
    }

    fn cut(&self, &(from, to, time): &([f64; 2], [f64; 2], f64)) -> Cut {
        let line = [DVec2::from(from), DVec2::from(to)];
        let crossed = (0u32..).zip(self.edges()).filter(|(_, edge)| cross(line, *edge));
        Cut { time, edges: crossed.map(|(edge, _)| edge).collect() }
    }
}

/// Whether two segments cross.
fn cross([a, b]: [DVec2; 2], [c, d]: [DVec2; 2]) -> bool {
    let side = |from: DVec2, to: DVec2, point: DVec2| (to - from).perp_dot(point - from) > 0.0;
    side(a, b, c) != side(a, b, d) && side(c, d, a) != side(c, d, b)
}
