//! Messages from the engine to the client that started it.

use std::io::{self, Write};

use netloom_api::launch::StartUp;

/// Prints an event, which is in JSON already, for the lead of several machines.
pub fn say_event(json: &str) {
    let _ = writeln!(io::stdout(), "{{\"member\":{{\"event\":{json}}}}}");
}

/// Prints how far the engine is. There need not be a reader.
pub fn say(line: &StartUp) {
    // Plain data always has a JSON form. A missing reader does not matter.
    let text = serde_json::to_string(line).unwrap_or_default();
    let _ = writeln!(io::stdout(), "{text}");
}
