//! Scene text: a tree of values that remember where they were written.

mod brackets;
mod node;
mod overrides;
mod problem;
mod source;

pub use node::{Entry, Node, Span, Value};
pub use overrides::Override;
pub use problem::{Problem, Problems, SceneError, Sources};
