//! The sections of the page, in their order. Each file has a function from the data of a run to
//! HTML.

mod contention;
mod expectations;
mod flows;
mod heading;
mod links;
mod machines;
mod metrics;
mod next;
mod outcome;
mod pipe;
mod processes;
mod radio;
mod schedule;
mod symbiosis;
mod timeline;
mod topology;
mod trouble;
mod verdict;

use maud::{Markup, html};
use netloom_units::Time;

pub use contention::{contention, strip};
pub use expectations::expectations;
pub use flows::flows;
pub use heading::heading;
pub use links::links;
pub use machines::machines;
pub use metrics::{CLASSES, metrics};
pub use next::next;
pub use outcome::outcome;
pub use processes::processes;
pub use radio::radio;
pub use schedule::schedule;
pub use symbiosis::symbiosis;
pub use timeline::timeline;
pub use topology::topology;
pub use trouble::trouble;
pub use verdict::verdict;

/// Returns a table with these headings.
pub fn table(headings: &[&str], rows: &Markup) -> Markup {
    html! {
        div class="wide" {
            table {
                thead { tr { @for heading in headings { th scope="col" { (heading) } } } }
                tbody { (rows) }
            }
        }
    }
}

/// Formats a time since the network was ready.
fn at(time: Time) -> String {
    format!("{:.3} s", time.as_secs_f64())
}

/// States how many entries a list leaves out, if any.
fn more(number: usize, of_what: &str, all: &str) -> Markup {
    html! {
        @if number > 0 { p class="note" { "… and " (number) " more " (of_what) ": " (all) "." } }
    }
}
