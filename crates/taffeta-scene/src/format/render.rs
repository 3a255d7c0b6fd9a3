//! `[render]`: how pictures show the cloth. It bears on no frame.

use std::path::PathBuf;

use super::key::{Bounds, Key, Kind, Section};
use super::reader::Reader;
use crate::text::Problem;

/// The names of the looks.
pub const LOOKS: &[&str] = &["cloth", "strain", "wire", "levels", "yarns"];
/// The names of the weaves.
pub const WEAVES: &[&str] = &["plain", "twill-2-2", "twill-3-1", "satin-5"];
/// The names of the built-in pictures for cloth.
pub const MOTIFS: &[&str] = &["checker", "gingham", "weave"];

pub const RENDER: Section = Section {
    heading: "[render]",
    doc: "How `taffeta render` and `run --render` show the cloth; it bears on no frame. Options of \
          the command line override it. Colours are sRGB in hexadecimal.",
    keys: &[
        Key::new("look", Kind::Choice(LOOKS), "How the cloth is shown.").or("\"cloth\""),
        Key::new("size", Kind::CountPair(1, 65_535), "Width and height in pixels.")
            .or("[1280, 720]"),
        Key::new(
            "samples",
            Kind::Count(1, 4096),
            "Samples in a pixel on an edge; without it, those of `--quality`: 8 or 64.",
        ),
        Key::new("front", Kind::Colour, "Colour of the cloth's front, and of its warp yarns."),
        Key::new("back", Kind::Colour, "Colour of the cloth's back, and of its weft yarns."),
        Key::new("background", Kind::Colour, "Colour behind the cloth, and of the ground."),
        Key::new("ground", Kind::Flag, "Whether there is a ground for shadows to fall on.")
            .or("true"),
        Key::new(
            "weave",
            Kind::Choice(WEAVES),
            "How yarns cross in the look `yarns`; without it, as `[weave]` says. Not for cloth that \
             tears, whose yarns are what they are.",
        ),
        Key::new("texture", Kind::Table, ""),
    ],
};

pub const TEXTURE: Section = Section {
    heading: "[render.texture]",
    doc: "A picture on the cloth, on both of its sides, in the look `cloth`: exactly one of `file` \
          and `motif`. It is placed by the texture coordinates and never mirrored on the front.",
    keys: &[
        Key::new(
            "file",
            Kind::Text,
            "A PNG or JPEG file, relative to the scene's folder. It covers the cloth once.",
        ),
        Key::new("motif", Kind::Choice(MOTIFS), "A built-in picture, repeated over the cloth."),
        Key::new(
            "size",
            Kind::Pair("", Bounds::Above(0.0)),
            "How much of u and of v one copy covers instead: metres on a sheet.",
        ),
    ],
};

/// How pictures show the cloth, as written.
#[derive(Clone, Debug, PartialEq)]
pub struct RenderFile {
    /// The name of the look.
    pub look: &'static str,
    /// Width and height in pixels.
    pub size: [u32; 2],
    /// Samples in a pixel.
    pub samples: Option<u32>,
    /// Colour of the front and of the warp, as an sRGB code.
    pub front: Option<u32>,
    /// Colour of the back and of the weft, as an sRGB code.
    pub back: Option<u32>,
    /// Colour of the background, as an sRGB code.
    pub background: Option<u32>,
    /// Whether there is a ground.
    pub ground: bool,
    /// The name of the weave, if it is another than the cloth's.
    pub weave: Option<&'static str>,
    /// A picture on the cloth.
    pub texture: Option<TextureFile>,
}

/// A picture on the cloth, as written.
#[derive(Clone, Debug, PartialEq)]
pub struct TextureFile {
    /// Which.
    pub source: TextureSource,
    /// The extent of one copy in texture coordinates.
    pub size: Option<[f64; 2]>,
}

/// Where a picture for cloth comes from.
#[derive(Clone, Debug, PartialEq)]
pub enum TextureSource {
    /// A file, as written.
    File(PathBuf),
    /// A built-in one, by name.
    Motif(&'static str),
}

pub fn read(top: &Reader) -> RenderFile {
    let render = top.table("render", &RENDER);
    RenderFile {
        look: render.choice("look"),
        size: render.count_pair("size"),
        samples: render.has("samples").then(|| render.count("samples")),
        front: render.optional_colour("front"),
        back: render.optional_colour("back"),
        background: render.optional_colour("background"),
        ground: render.flag("ground"),
        weave: render.has("weave").then(|| render.choice("weave")),
        texture: render.has("texture").then(|| read_texture(&render)).flatten(),
    }
}

fn read_texture(render: &Reader) -> Option<TextureFile> {
    let texture = render.table("texture", &TEXTURE);
    if texture.has("file") == texture.has("motif") {
        let message = "the texture is either a file or a motif";
        let help = "write one of `file` and `motif`";
        render.add(Problem::at(render.key_span("texture"), message).help(help));
    }
    let size = texture.has("size").then(|| texture.pair("size"));
    let motif = texture.has("motif").then(|| TextureSource::Motif(texture.choice("motif")));
    let file = texture.has("file").then(|| TextureSource::File(texture.text("file").into()));
    Some(TextureFile { source: file.or(motif)?, size })
}
