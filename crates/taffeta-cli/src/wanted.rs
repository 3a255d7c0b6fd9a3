//! What a user wants to see: what the scene says, and the command line in its place.

use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;

use glam::DVec2;
use taffeta_render::{
    Camera, CameraKey, Dress, FINAL_SAMPLES, Framing, Image, Look, Motif, PREVIEW_SAMPLES, Stage,
    Texture, Tile, Track, View,
};
use taffeta_scene::SceneFile;
use taffeta_scene::format::{CameraFile, TextureFile, TextureSource};

use crate::args::{Quality, RenderArgs};
use crate::failure::Failure;

/// What pictures shall show.
pub struct Wanted {
    pub camera: CameraFile,
    pub look: Look,
    /// Width and height in pixels.
    pub size: [u32; 2],
    pub samples: u32,
    dress: Dress,
    background: Option<u32>,
    ground: bool,
    /// Whether the cloth is woven of yarns that can tear.
    tears: bool,
}

impl Wanted {
    /// What a scene says; reads the picture it may want on the cloth.
    pub fn by_scene(scene: &SceneFile, memory: u64) -> Result<Self, Failure> {
        let render = &scene.render;
        let tears = scene.tear.is_some();
        let weave = match render.weave {
            Some(_) if tears => return Err(other_weave("[render] weave")),
            Some(name) => name.parse().map_err(Failure::new)?,
            None => scene.weave.clone(),
        };
        let mut dress = Dress { weave, ..Dress::default() };
        for (side, code) in [render.front, render.back].into_iter().enumerate() {
            if let Some(code) = code {
                (dress.sides[side], dress.yarns[side]) = (code, code);
            }
        }
        if let Some(written) = &render.texture {
            dress.texture = Some(texture(written, &scene.base, memory)?);
        }
        Ok(Self {
            camera: scene.camera.clone(),
            look: known(render.look)?,
            size: render.size,
            samples: render.samples.unwrap_or(PREVIEW_SAMPLES),
            dress,
            background: render.background,
            ground: render.ground,
            tears,
        })
    }

    /// The same, with what was typed in its place.
    pub fn but(mut self, args: &RenderArgs) -> Result<Self, Failure> {
        self.look = args.look.unwrap_or(self.look);
        self.size = args.size.map_or(self.size, |size| size.0);
        if let Some(weave) = &args.weave {
            if self.tears {
                return Err(other_weave("--weave"));
            }
            self.dress.weave = weave.clone();
        }
        self.background = args.background.map(|colour| colour.0).or(self.background);
        self.ground &= !args.no_ground;
        self.samples = match (args.samples, args.quality) {
            (Some(samples), _) => samples,
            (None, Some(Quality::Preview)) => PREVIEW_SAMPLES,
            (None, Some(Quality::Final)) => FINAL_SAMPLES,
            (None, None) => self.samples,
        };
        self.camera = camera(self.camera, args);
        Ok(self)
    }

    /// The direction to look from where the camera has no place of its own.
    pub fn view(&self) -> View {
        View {
            azimuth: self.camera.azimuth.to_radians(),
            elevation: self.camera.elevation.to_radians(),
            field_of_view: self.camera.field_of_view.to_radians(),
        }
    }

    /// Whether the camera's place follows from what there is to see.
    pub fn is_framed(&self) -> bool {
        self.camera.position.is_none() && self.camera.keys.iter().all(|k| k.position.is_none())
    }

    /// The camera's way, and the stage it sees at the start of it.
    pub fn stage(&self, framing: &Framing) -> Result<(Track, Stage), Failure> {
        let nowhere = || Failure::new("no frame of the run has a particle at a finite place");
        let framed = framing.camera().ok_or_else(nowhere)?;
        let track = self.track(framed)?;
        let mut stage = Stage::around(framing, Some(track.at(0.0))).ok_or_else(nowhere)?;
        stage.dress = self.dress.clone();
        if !self.ground {
            stage.ground = None;
        }
        if let Some(background) = self.background {
            stage.set_background(background);
        }
        Ok((track, stage))
    }

    /// What neither the scene nor the command line says is as the camera that sees all has it.
    fn track(&self, framed: Camera) -> Result<Track, Failure> {
        let file = &self.camera;
        let still = Camera {
            position: file.position.unwrap_or(framed.position),
            target: file.target.unwrap_or(framed.target),
            field_of_view: file.field_of_view.to_radians(),
        };
        let key = |key: &taffeta_scene::format::CameraKeyFile| CameraKey {
            time: key.time,
            camera: Camera {
                position: key.position.unwrap_or(still.position),
                target: key.target.unwrap_or(still.target),
                field_of_view: key.field_of_view.unwrap_or(file.field_of_view).to_radians(),
            },
        };
        let keys: Vec<CameraKey> = file.keys.iter().map(key).collect();
        let track = if keys.is_empty() { Track::still(still) } else { Track::new(keys) };
        track.map_err(Failure::new)
    }
}

/// A place typed in stops a moving camera there; a direction typed in takes it from any place.
fn camera(mut camera: CameraFile, args: &RenderArgs) -> CameraFile {
    if args.azimuth.is_some() || args.elevation.is_some() {
        camera = CameraFile { position: None, target: None, keys: Vec::new(), ..camera };
    }
    if let Some(position) = args.camera {
        camera.position = Some(position.0.into());
        camera.keys.clear();
    }
    if let Some(target) = args.target {
        camera.target = Some(target.0.into());
        camera.keys.iter_mut().for_each(|key| key.target = None);
    }
    if let Some(angle) = args.fov {
        camera.field_of_view = angle;
        camera.keys.iter_mut().for_each(|key| key.field_of_view = None);
    }
    camera.azimuth = args.azimuth.unwrap_or(camera.azimuth);
    camera.elevation = args.elevation.unwrap_or(camera.elevation);
    camera
}

/// Another weave cannot be drawn on yarns that cross as they do.
fn other_weave(what: &str) -> Failure {
    Failure::new(format!(
        "cloth that tears is drawn with its own yarns, which cross as [weave] says: leave {what} out"
    ))
}

/// What a name of the scene format stands for.
fn known<T: FromStr<Err = String>>(name: &str) -> Result<T, Failure> {
    name.parse().map_err(Failure::new)
}

fn texture(written: &TextureFile, base: &Path, memory: u64) -> Result<Texture, Failure> {
    let (image, usual) = match &written.source {
        TextureSource::File(file) => {
            (Image::read(&base.join(file), memory).map_err(Failure::new)?, Tile::Whole)
        }
        TextureSource::Motif(name) => {
            let motif: Motif = known(name)?;
            (motif.image(), motif.usual_tile())
        }
    };
    let tile = written.size.map_or(usual, |size| Tile::Size(DVec2::from_array(size)));
    Ok(Texture::new(Arc::new(image), tile))
}

#[cfg(test)]
mod tests {
    use super::*;
    use taffeta::woven::Weave;
    use taffeta_scene::format::{LOOKS, MOTIFS, WEAVES};

    #[test]
    fn the_scene_format_names_what_there_is() {
        let looks = Look::ALL.iter().map(|(name, _)| *name);
        assert_eq!(looks.collect::<Vec<_>>(), LOOKS);
        assert_eq!(Weave::NAMED.map(|(name, _)| name), WEAVES);
        let motifs = Motif::ALL.iter().map(|(name, _)| *name);
        assert_eq!(motifs.collect::<Vec<_>>(), MOTIFS);
    }
}
