//! Cloth that touches itself.
