//! A share drawn as a bar. The number is beside it.

use maud::{Markup, html};

/// Draws a share from 0 to 1.
pub fn bar(share: f64) -> Markup {
    let width = format!("{:.1}", 80.0 * share.clamp(0.0, 1.0));
    html! {
        svg class="bar" viewBox="0 0 80 9" width="80" height="9" aria-hidden="true" {
            rect class="whole" width="80" height="9" {}
            rect class="part" width=(width) height="9" {}
        }
    }
}
