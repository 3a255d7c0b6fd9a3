//! Animations out.
