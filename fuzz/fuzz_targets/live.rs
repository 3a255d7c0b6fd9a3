//! Any text as a message of a page, and as a recording of hands.
#![no_main]

use libfuzzer_sys::fuzz_target;
use taffeta_live::{Message, Recording};

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let _ = Message::read(text);
    let _ = Recording::read(text);
});
