//! Vertices over time as NumPy's arrays: `vertices` of frames × n × 3, `faces` of m × 3 or 4, and
//! `rate` in frames a second, as tools for body models write them.

mod archive;
mod array;

use glam::DVec3;
use taffeta::mesh::Faces;

use self::archive::{Entry, entries};
use self::array::Array;
use super::builder::MeshBuilder;
use super::{Fault, FormatError, Moment, Motion};

/// Reads an NPZ file of vertices over time.
pub fn read_npz_motion(bytes: &[u8]) -> Result<Motion, FormatError> {
    let entries = entries(bytes).map_err(|fault| fault.in_part("the archive"))?;
    let vertices = array(&entries, "vertices")?;
    let [frames, count, 3] = vertices.shape[..] else {
        let what = format!("its shape is {:?}; frames × n × 3 is needed", vertices.shape);
        return Err(Fault::malformed(what).in_part("vertices"));
    };
    if frames == 0 || count == 0 {
        return Err(Fault::missing("a frame with vertices").in_part("vertices"));
    }
    let rate = array(&entries, "rate")?;
    let rate = match rate.numbers[..] {
        [rate] if rate.is_finite() && rate > 0.0 => rate,
        _ => {
            let what = "it is not one number of frames a second, above zero";
            return Err(Fault::malformed(what).in_part("rate"));
        }
    };
    let faces = faces(&array(&entries, "faces")?, count).map_err(|fault| fault.in_part("faces"))?;
    let place = |at: &[f64]| DVec3::new(at[0], at[1], at[2]);
    let moment = |(number, positions): (usize, &[f64])| Moment {
        time: number as f64 / rate,
        positions: positions.chunks_exact(3).map(place).collect(),
    };
    let frame = (3 * count).max(1);
    let moments = vertices.numbers.chunks_exact(frame).enumerate().map(moment).collect();
    Ok(Motion { faces, moments, notes: Vec::new() })
}

/// The array of this name.
fn array(entries: &[Entry], name: &str) -> Result<Array, FormatError> {
    let file = format!("{name}.npy");
    let entry = entries.iter().find(|entry| entry.name == file).ok_or_else(|| {
        let names: Vec<&str> =
            entries.iter().map(|entry| entry.name.trim_end_matches(".npy")).collect();
        let there = if names.is_empty() { "nothing".into() } else { names.join(", ") };
        Fault::missing(format!("the array `{name}` (there is {there})")).in_part("the archive")
    })?;
    let read = entry.content().and_then(|content| Array::read(&content));
    read.map_err(|fault| fault.in_part(name))
}

fn faces(array: &Array, count: usize) -> Result<Faces, Fault> {
    let [_, corners @ (3 | 4)] = array.shape[..] else {
        let what = format!("its shape is {:?}; m × 3 or m × 4 is needed", array.shape);
        return Err(Fault::malformed(what));
    };
    let mut builder = MeshBuilder::new();
    for face in array.numbers.chunks_exact(corners) {
        let mut numbers = [0; 4];
        for (number, corner) in numbers.iter_mut().zip(face) {
            let known = *corner >= 0.0 && *corner < count as f64 && corner.fract() == 0.0;
            if !known {
                return Err(Fault::OutOfRange { what: "vertex", number: *corner as i64, count });
            }
            *number = *corner as u32;
        }
        builder.face(&numbers[..corners], None)?;
    }
    Ok(builder.finish().mesh.faces)
}
