//! Pictures on surfaces: placed by their texture coordinates, repeated in both directions, and
//! read at the size they are seen at.

mod builtin;
mod file;

use std::sync::Arc;

use glam::{DVec2, Vec2, Vec3};
use taffeta::mesh::Faces;

pub use builtin::Motif;

use crate::colour::{Encoder, from_code};

/// A picture for a surface, and how large it is on it.
#[derive(Clone, Debug)]
pub struct Texture {
    image: Arc<Image>,
    tile: Tile,
    /// The texture coordinates it is placed by, if not those of the faces it is drawn on.
    ground: Option<Ground>,
}

/// The texture coordinates of faces, all together.
#[derive(Clone, Copy, Debug)]
struct Ground {
    low: DVec2,
    high: DVec2,
    /// Whether u and v turn counter-clockwise on the front.
    from_bottom: bool,
}

impl Ground {
    /// None if the faces have no texture coordinates, or all the same.
    fn of(faces: &Faces) -> Option<Self> {
        let start = (DVec2::INFINITY, DVec2::NEG_INFINITY);
        let uvs = faces.all_uvs().iter();
        let (low, high) = uvs.fold(start, |(low, high), &uv| (low.min(uv), high.max(uv)));
        let extent = high - low;
        let sound = extent.is_finite() && extent.min_element() > 0.0;
        sound.then(|| Self { low, high, from_bottom: turning(faces) > 0.0 })
    }
}

/// How much of a surface one copy of a picture covers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Tile {
    /// All of its texture coordinates, once.
    Whole,
    /// A square: the longer side of the texture coordinates holds so many.
    Times(f64),
    /// This much of u and of v: metres on a sheet.
    Size(DVec2),
}

/// A picture in sRGB bytes, and halves of it down to a single pixel.
#[derive(Debug)]
pub struct Image {
    levels: Vec<Level>,
    /// The linear light of each byte.
    light: [f32; 256],
}

#[derive(Debug)]
struct Level {
    size: [usize; 2],
    bytes: Vec<[u8; 3]>,
}

impl Texture {
    /// A picture on a surface.
    pub fn new(image: Arc<Image>, tile: Tile) -> Self {
        Self { image, tile, ground: None }
    }

    /// The same, placed as on these faces whatever is left of them: on cloth that tears it stays
    /// where it is.
    pub fn placed_on(self, faces: &Faces) -> Self {
        Self { ground: Ground::of(faces), ..self }
    }

    /// Its picture.
    pub fn image(&self) -> &Arc<Image> {
        &self.image
    }

    /// The place in the picture of every corner, in copies of it: 0, 0 is its upper left corner,
    /// 1, 1 its lower right one. None if the faces have no texture coordinates, or all the same.
    ///
    /// A picture is never mirrored on the front: v counts from its bottom where u and v turn
    /// counter-clockwise there, as in OBJ and USD, and from its top otherwise, as on a sheet.
    pub fn places(&self, faces: &Faces) -> Option<Vec<Vec2>> {
        let Ground { low, high, from_bottom } = self.ground.or_else(|| Ground::of(faces))?;
        let extent = high - low;
        let tile = match self.tile {
            Tile::Whole => extent,
            Tile::Times(count) => DVec2::splat(extent.max_element() / count),
            Tile::Size(size) => size,
        };
        let place = |uv: &DVec2| {
            let y = if from_bottom { high.y - uv.y } else { uv.y - low.y };
            (DVec2::new(uv.x - low.x, y) / tile).as_vec2()
        };
        Some(faces.all_uvs().iter().map(place).collect())
    }
}

/// Twice the area of all faces in texture coordinates; negative where most are mirrored.
fn turning(faces: &Faces) -> f64 {
    let area = |uvs: &[DVec2]| -> f64 {
        (0..uvs.len()).map(|i| uvs[i].perp_dot(uvs[(i + 1) % uvs.len()])).sum()
    };
    (0..faces.len()).filter_map(|face| faces.corner_uvs(face)).map(area).sum()
}

impl Image {
    /// A picture of rows of sRGB pixels from top to bottom; none if they do not fill it.
    pub fn new(width: usize, bytes: Vec<[u8; 3]>) -> Option<Self> {
        let height = bytes.len().checked_div(width)?;
        if height == 0 || height * width != bytes.len() {
            return None;
        }
        Some(Self::with_halves(Level { size: [width, height], bytes }))
    }

    fn with_halves(whole: Level) -> Self {
        let light = std::array::from_fn(|byte| from_code(byte as u32).z);
        let mut image = Self { levels: vec![whole], light };
        let encoder = Encoder::default();
        while let Some(half) = image.levels.last().and_then(|last| image.halved(last, &encoder)) {
            image.levels.push(half);
        }
        image
    }

    /// Pixels across and down.
    pub fn size(&self) -> [usize; 2] {
        self.levels[0].size
    }

    /// Half as many pixels each way, the means of those they stand for; none of a single one.
    fn halved(&self, level: &Level, encoder: &Encoder) -> Option<Level> {
        let size = level.size.map(|side| side.div_ceil(2));
        if size == level.size {
            return None;
        }
        let mean = |index: usize| {
            let (x, y) = (2 * (index % size[0]), 2 * (index / size[0]));
            let corners = [[x, y], [x + 1, y], [x, y + 1], [x + 1, y + 1]];
            let sum: Vec3 = corners.into_iter().map(|at| self.texel(level, at)).sum();
            encoder.bytes(sum / 4.0)
        };
        Some(Level { size, bytes: (0..size[0] * size[1]).map(mean).collect() })
    }

    /// The light of a pixel; beyond its border the last one goes on.
    fn texel(&self, level: &Level, at: [usize; 2]) -> Vec3 {
        let [x, y] = [0, 1].map(|axis| at[axis].min(level.size[axis] - 1));
        let [red, green, blue] = level.bytes[y * level.size[0] + x];
        Vec3::new(self.light[red as usize], self.light[green as usize], self.light[blue as usize])
    }

    /// The light at a place, in copies of the picture, for somebody who sees `blur` of a copy at
    /// once.
    pub fn at(&self, place: Vec2, blur: f32) -> Vec3 {
        let [width, height] = self.size();
        let pixels = (blur * width.max(height) as f32).max(1.0);
        // Whole levels by the exponent, the rest along the straight line between powers of two.
        let exponent = ((pixels.to_bits() >> 23) & 0xff).saturating_sub(127) as usize;
        let level = exponent.min(self.levels.len() - 1);
        let next = (level + 1).min(self.levels.len() - 1);
        let share = (pixels / (1u64 << exponent.min(63)) as f32 - 1.0).clamp(0.0, 1.0);
        self.smooth(&self.levels[level], place).lerp(self.smooth(&self.levels[next], place), share)
    }

    /// Between the four nearest pixels of a level, across its borders.
    fn smooth(&self, level: &Level, place: Vec2) -> Vec3 {
        let axis = |place: f32, count: usize| {
            let along = (place - place.floor()) * count as f32 - 0.5;
            let first = along.floor();
            let before = (first + count as f32) as usize % count;
            ([before, (before + 1) % count], along - first)
        };
        let (x, right) = axis(place.x, level.size[0]);
        let (y, down) = axis(place.y, level.size[1]);
        let row = |y: usize| self.texel(level, [x[0], y]).lerp(self.texel(level, [x[1], y]), right);
        row(y[0]).lerp(row(y[1]), down)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use taffeta::Sheet;

    #[test]
    fn a_picture_stays_where_it_is_when_faces_go() {
        let faces = Sheet { width: 2.0, height: 1.0, columns: 5, rows: 4 }.mesh().faces;
        let image = Arc::new(stripes());
        let texture = Texture::new(image, Tile::Whole);
        let whole = texture.places(&faces).unwrap();
        let (mut rest, mut uvs) = (Faces::new(), Vec::new());
        for face in [5, 6] {
            rest.push(faces.corners(face));
            uvs.extend_from_slice(faces.corner_uvs(face).unwrap());
        }
        assert!(rest.set_uvs(uvs));
        assert_ne!(texture.places(&rest).unwrap(), whole[20..28]);
        let texture = texture.placed_on(&faces);
        assert_eq!(texture.places(&rest).unwrap(), whole[20..28]);
        assert_eq!(texture.places(&Faces::new()), Some(Vec::new()));
    }

    fn stripes() -> Image {
        let bytes = (0..64 * 32).map(|i| if i % 2 == 0 { [255; 3] } else { [0; 3] }).collect();
        Image::new(64, bytes).unwrap()
    }

    #[test]
    fn a_picture_is_itself_near_by_and_its_mean_from_afar() {
        let image = stripes();
        let at = |x: f32, blur: f32| image.at(Vec2::new(x / 64.0, 0.3), blur).x;
        assert_eq!((at(0.5, 0.0), at(1.5, 0.0)), (1.0, 0.0));
        assert!((at(1.0, 0.0) - 0.5).abs() < 1e-5, "half-way");
        assert!((at(64.0, 0.0) - 0.5).abs() < 1e-5, "across the border");
        for blur in [0.05, 0.3, 1.0, 40.0] {
            // Means are rounded to bytes.
            assert!((at(0.5, blur) - 0.5).abs() < 0.01, "{}", at(0.5, blur));
        }
    }

    #[test]
    fn a_picture_repeats_in_both_directions() {
        let image = Motif::Weave.image();
        for (x, y) in [(0.1, 0.2), (0.9, 0.45), (0.5, 0.99)] {
            let here = image.at(Vec2::new(x, y), 0.0);
            let far = image.at(Vec2::new(x + 3.0, y - 2.0), 0.0);
            assert!((here - far).abs().max_element() < 0.02, "{here} {far}");
        }
    }

    #[test]
    fn pictures_are_never_mirrored_on_the_front() {
        let mut mesh = Sheet { width: 2.0, height: 1.0, columns: 3, rows: 2 }.mesh();
        let corner_of = |mesh: &taffeta::Mesh, place: Vec2| {
            let places =
                Texture::new(Arc::new(stripes()), Tile::Whole).places(&mesh.faces).unwrap();
            let corner = places.iter().position(|p| p.distance(place) < 1e-6).unwrap();
            mesh.positions[mesh.faces.all_corners()[corner] as usize]
        };
        for flip in [false, true] {
            if flip {
                let uvs = mesh.faces.all_uvs().iter().map(|uv| DVec2::new(uv.x, -uv.y)).collect();
                assert!(mesh.faces.set_uvs(uvs));
            }
            // From the upper left corner to the right, then down: clockwise seen from the front,
            // which is above.
            let start = corner_of(&mesh, Vec2::ZERO);
            let right = corner_of(&mesh, Vec2::X) - start;
            let down = corner_of(&mesh, Vec2::Y) - start;
            assert!(right.cross(down).y < 0.0, "{flip}: {right} {down}");
        }
    }

    #[test]
    fn tiles_have_the_size_asked_for() {
        let mesh = Sheet { width: 2.0, height: 1.0, columns: 3, rows: 2 }.mesh();
        let reach = |tile: Tile| {
            let places = Texture::new(Arc::new(stripes()), tile).places(&mesh.faces).unwrap();
            places.into_iter().reduce(Vec2::max).unwrap()
        };
        assert_eq!(reach(Tile::Whole), Vec2::ONE);
        assert_eq!(reach(Tile::Times(8.0)), Vec2::new(8.0, 4.0));
        assert_eq!(reach(Tile::Size(DVec2::new(0.5, 0.1))), Vec2::new(4.0, 10.0));
        assert!(Texture::new(Arc::new(stripes()), Tile::Whole).places(&Faces::new()).is_none());
    }
}
