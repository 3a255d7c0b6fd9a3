//! What a frame's particles belong to: faces, masses and strain gauges.

use glam::DVec2;
use taffeta::mesh::Faces;
use taffeta::woven::{Thread, Yarn, YarnPoint, Yarns};
use taffeta::{Along, Cloth, Gauge, Model};

use super::codec::{Decoder, Encoder};

/// The part of a model that frames are read with; constant within a revision.
#[derive(Clone, Debug, PartialEq)]
pub struct Topology {
    /// Counts the changes of topology.
    pub revision: u64,
    /// The faces, by particle number.
    pub faces: Faces,
    /// Mass of each particle \[kg\].
    pub masses: Vec<f64>,
    /// Where the strain of the cloth is measured.
    pub gauges: Vec<Gauge>,
    /// The yarns, if the cloth is woven of yarns that can tear.
    pub yarns: Option<Yarns>,
    /// The cloths it was put together from; none of a single one without a name.
    pub cloths: Vec<Cloth>,
}

impl From<&Model> for Topology {
    fn from(model: &Model) -> Self {
        Self {
            revision: model.revision(),
            faces: model.faces().clone(),
            masses: model.masses().to_vec(),
            gauges: model.gauges().to_vec(),
            yarns: model.yarns().cloned(),
            cloths: model.cloths().to_vec(),
        }
    }
}

impl Topology {
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut to = Encoder::default();
        to.u64(self.revision);
        to.list(&self.masses, |to, &mass| to.f64(mass));
        encode_faces(&self.faces, &mut to);
        to.list(&self.gauges, |to, gauge| {
            gauge.particles.iter().for_each(|&particle| to.u32(particle));
            gauge.weights.iter().for_each(|&weight| to.f64(weight));
            to.u32(gauge.along as u32);
        });
        encode_yarns(self.yarns.as_ref(), &mut to);
        encode_cloths(&self.cloths, &mut to);
        to.0
    }

    /// Reads the payload of its file; any bytes at all give a value or an error.
    pub fn decode(bytes: &[u8]) -> Result<Self, String> {
        let mut from = Decoder(bytes);
        let revision = from.u64()?;
        let masses = from.list(8, Decoder::f64)?;
        let faces = decode_faces(&mut from)?;
        let gauges = from.list(32, |from| {
            Ok(Gauge {
                particles: [from.u32()?, from.u32()?, from.u32()?],
                weights: [from.f64()?, from.f64()?],
                along: along(from.u32()?)?,
            })
        })?;
        let yarns = decode_yarns(&mut from)?;
        let cloths = decode_cloths(&mut from)?;
        from.finish()?;
        let within = |cloth: &Cloth| {
            cloth.particles.end as usize <= masses.len()
                && cloth.faces.end as usize <= faces.len()
                && cloth.gauges.end as usize <= gauges.len()
        };
        if let Some(cloth) = cloths.iter().find(|cloth| !within(cloth)) {
            return Err(format!("its cloth `{}` is larger than all", cloth.name));
        }
        let points = yarns.iter().flat_map(|yarns| &yarns.all).flat_map(|yarn| &yarn.points);
        let mut indices = faces
            .all_corners()
            .iter()
            .chain(gauges.iter().flat_map(|g| &g.particles))
            .chain(points.map(|point| &point.particle));
        if let Some(index) = indices.find(|&&index| index as usize >= masses.len()) {
            return Err(format!("it names particle {index} of {}", masses.len()));
        }
        Ok(Self { revision, faces, masses, gauges, yarns, cloths })
    }
}

/// Nothing at all where there are none.
fn encode_cloths(cloths: &[Cloth], to: &mut Encoder) {
    if cloths.is_empty() {
        return;
    }
    to.list(cloths, |to, cloth| {
        to.list(cloth.name.as_bytes(), |to, &byte| to.u32(byte.into()));
        for range in [&cloth.particles, &cloth.faces, &cloth.gauges] {
            to.u32(range.start);
            to.u32(range.end);
        }
    });
}

fn decode_cloths(from: &mut Decoder) -> Result<Vec<Cloth>, String> {
    if from.0.is_empty() {
        return Ok(Vec::new());
    }
    from.list(32, |from| {
        let name: Vec<u8> = from
            .list(4, Decoder::u32)?
            .into_iter()
            .map(|byte| u8::try_from(byte).map_err(|_| "the name of a cloth is no text"))
            .collect::<Result<_, _>>()?;
        let name = String::from_utf8(name).map_err(|_| "the name of a cloth is no text")?;
        let range = |from: &mut Decoder| {
            let [start, end] = [from.u32()?, from.u32()?];
            let sound = (start <= end).then_some(start..end);
            sound.ok_or_else(|| format!("a cloth ends at {end}, before its start at {start}"))
        };
        Ok(Cloth { name, particles: range(from)?, faces: range(from)?, gauges: range(from)? })
    })
}

fn encode_yarns(yarns: Option<&Yarns>, to: &mut Encoder) {
    to.u32(yarns.is_some().into());
    let Some(yarns) = yarns else { return };
    to.f64(yarns.thickness);
    to.list(&yarns.all, |to, yarn| {
        to.u32(u32::from(yarn.thread == Thread::Weft));
        yarn.torn.iter().for_each(|&torn| to.u32(torn.into()));
        to.list(&yarn.points, |to, point| {
            to.u32(point.particle);
            let flags = [point.over, point.split, point.apart];
            flags.iter().for_each(|&flag| to.u32(flag.into()));
        });
        to.list(&yarn.gauges, |to, &gauge| to.u32(gauge));
    });
}

fn decode_yarns(from: &mut Decoder) -> Result<Option<Yarns>, String> {
    if from.u32()? == 0 {
        return Ok(None);
    }
    let flag = |from: &mut Decoder| Ok::<bool, String>(from.u32()? != 0);
    let thickness = from.f64()?;
    let all = from.list(28, |from| {
        Ok(Yarn {
            thread: if flag(from)? { Thread::Weft } else { Thread::Warp },
            torn: [flag(from)?, flag(from)?],
            points: from.list(16, |from| {
                Ok(YarnPoint {
                    particle: from.u32()?,
                    over: flag(from)?,
                    split: flag(from)?,
                    apart: flag(from)?,
                })
            })?,
            gauges: from.list(4, Decoder::u32)?,
        })
    })?;
    Ok(Some(Yarns { all, thickness }))
}

fn along(code: u32) -> Result<Along, String> {
    let all = [Along::Edge, Along::Warp, Along::Weft];
    let known = all.into_iter().find(|along| *along as u32 == code);
    known.ok_or_else(|| format!("it has a gauge along {code}, which is not known"))
}

pub(super) fn encode_faces(faces: &Faces, to: &mut Encoder) {
    let counts: Vec<u32> = faces.iter().map(|corners| corners.len() as u32).collect();
    to.list(&counts, |to, &count| to.u32(count));
    to.list(faces.all_corners(), |to, &corner| to.u32(corner));
    to.list(faces.all_uvs(), |to, uv| {
        to.f64(uv.x);
        to.f64(uv.y);
    });
    to.list(faces.all_colours(), |to, &code| to.u32(code));
}

pub(super) fn decode_faces(from: &mut Decoder) -> Result<Faces, String> {
    let counts = from.list(4, Decoder::u32)?;
    let corners = from.list(4, Decoder::u32)?;
    let uvs = from.list(16, |from| Ok(DVec2::new(from.f64()?, from.f64()?)))?;
    let mut faces = faces(&counts, &corners, uvs)?;
    let colours = from.list(4, Decoder::u32)?;
    if !colours.is_empty() && !faces.set_colours(colours) {
        return Err("its colours do not fit its corners".into());
    }
    Ok(faces)
}

fn faces(counts: &[u32], mut corners: &[u32], uvs: Vec<DVec2>) -> Result<Faces, String> {
    let mut faces = Faces::new();
    for &count in counts {
        let (face, rest) =
            corners.split_at_checked(count as usize).ok_or("its faces lack corners")?;
        faces.push(face);
        corners = rest;
    }
    if !corners.is_empty() {
        return Err(format!("{} corners belong to no face", corners.len()));
    }
    if !uvs.is_empty() && !faces.set_uvs(uvs) {
        return Err("its texture coordinates do not fit its corners".into());
    }
    Ok(faces)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use taffeta::{Fabric, Sheet};

    use super::*;

    fn topology() -> Topology {
        let mut mesh = Sheet { width: 1.0, height: 2.0, columns: 4, rows: 3 }.mesh();
        let corners = mesh.faces.all_corners().len() as u32;
        assert!(mesh.faces.set_colours((0..corners).map(|corner| 0x01_02_03 * corner).collect()));
        Topology::from(&Model::mass_spring(&mesh, &Fabric::default()).unwrap())
    }

    #[test]
    fn everything_comes_back() {
        let topology = topology();
        assert_eq!(Topology::decode(&topology.encode()), Ok(topology));
        let mesh = Sheet { width: 1.0, height: 2.0, columns: 4, rows: 3 }.mesh();
        let model = Model::mass_spring(&mesh, &Fabric::default()).unwrap();
        let named = ["jupe à plis", "b"].map(|name| (name.to_string(), model.clone()));
        let topology = Topology::from(&Model::together(named.to_vec()).unwrap());
        assert_eq!(topology.cloths.len(), 2);
        assert_eq!(Topology::decode(&topology.encode()), Ok(topology));
    }

    proptest! {
        #[test]
        fn rubbish_is_an_error_and_never_a_panic(
            at in 0usize..1000, value in any::<u8>(), cut in 0usize..2000
        ) {
            let mut bytes = topology().encode();
            let at = at % bytes.len();
            bytes[at] = value;
            bytes.truncate(cut.max(1));
            let _ = Topology::decode(&bytes);
        }
    }
}
