//! Taffeta in the browser: a simulation that runs, with hands on it, or a run that is played.
//!
//! `session` is a simulation and what hands do to it, `recording` what they did, `engine` the thread
//! that moves it, `wire` what pages are sent, `server` how they get it, `guard` who may.

#![deny(clippy::print_stdout, clippy::print_stderr)]

mod action;
mod checkpoint;
mod draft;
mod engine;
mod error;
mod guard;
mod instruments;
mod message;
mod page;
mod playback;
mod recording;
mod replay;
mod server;
mod session;
mod stroke;
mod wire;

pub use action::Action;
pub use checkpoint::Checkpoint;
pub use engine::{Engine, Library};
pub use error::LiveError;
pub use message::Message;
pub use page::single_file;
pub use playback::Run;
pub use recording::{Done, Recording};
pub use replay::{Replayed, replay};
pub use server::{Content, Server};
pub use session::Session;
