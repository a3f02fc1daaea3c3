//! What the engine says to the client that started it.

use std::io::{self, Write};

use netloom_api::launch::StartUp;

/// Says how far the engine is. Nobody has to listen.
pub fn say(line: &StartUp) {
    // Plain data always has a JSON form; a reader that is gone does not matter.
    let text = serde_json::to_string(line).unwrap_or_default();
    let _ = writeln!(io::stdout(), "{text}");
}
