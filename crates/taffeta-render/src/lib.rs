//! Pictures, movies and plots of cloth, made by the processor alone: no graphics card, no driver,
//! no other program, and the same bits on any number of threads.
//!
//! A [`Scene`] is plain data; [`render`] makes a [`Picture`] of it; a [`Look`] makes the scene
//! from a frame of a run; a [`Movie`] writes pictures to a file.

#![deny(clippy::print_stdout, clippy::print_stderr)]

mod camera;
pub mod colour;
mod draw;
mod error;
mod finish;
mod looks;
mod movie;
mod picture;
mod plot;
mod scene;
mod texture;
mod trace;
mod track;

pub use camera::{Camera, Framing, View};
pub use colour::Colour;
pub use error::RenderError;
pub use looks::{Dress, Look, Stage, Subject, picture_of, scene_of, yarns};
pub use movie::{FORMATS, Movie, MovieFormat};
pub use picture::Picture;
pub use plot::{Figure, PLOT_FORMATS, Panel, Series};
pub use scene::{Cover, Curve, Finish, Ground, Light, Material, Scene, Shape, Solid, Surface};
pub use texture::{Image, Motif, Texture, Tile};
pub use trace::{FINAL_SAMPLES, Options, PREVIEW_SAMPLES, render};
pub use track::{CameraKey, Track};
