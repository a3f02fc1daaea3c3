//! How pipes between real hosts followed a simulation, in a symbiotic run.

use maud::{Markup, html};
use netloom_api::simulation::{FollowingPipe, SymbiosisSummary};
use netloom_units::Duration;
use netloom_units::readable::{count, counted, micros};

use super::table;

/// What the pipes did, beside what the network did that they followed.
pub fn symbiosis(symbiosis: &SymbiosisSummary) -> Markup {
    let SymbiosisSummary { period, periods, computed_mean, computed_most, late, missed, pipes } =
        symbiosis;
    let headings = [
        "pipe",
        "stands for",
        "W",
        "W₁",
        "W₂",
        "|W₁ − W₂|",
        "twins left",
        "real left",
        "twins lost",
        "real lost",
    ];
    let rows = html! { @for pipe in pipes { (row(pipe)) } };
    html! {
        section {
            h2 { "How pipes followed the simulation" }
            p {
                (counted(*periods as usize, "period")) " of " (period) ". Calibrations held "
                (time(*computed_mean)) " after a period's end on average, "
                (time(*computed_most)) " at most; " (count(*late)) " later than half a period, "
                (count(*missed)) " later than a period."
            }
            (table(&headings, &rows))
            p class="note" {
                "W is what packets spent in queues and on lines of the network, W₁ its backlog \
                 when pipes were calibrated and W₂ theirs: means over all periods. Twins are what \
                 stood in the simulation for real packets, which are counted in the pipe itself, \
                 a period or two later."
            }
        }
    }
}

fn row(pipe: &FollowingPipe) -> Markup {
    let [offered, lost, left] = pipe.twins;
    let [real_offered, real_lost, real_left] = pipe.real;
    html! {
        tr {
            td { (pipe.pipe) }
            td { (pipe.stands_for.join(", ")) }
            td class="number" { (time(pipe.time_mean)) }
            td class="number" { (time(pipe.backlog_mean)) }
            td class="number" { (time(pipe.real_backlog_mean)) }
            td class="number" { (time(pipe.backlog_difference_mean)) }
            td class="number" { (count(left)) }
            td class="number" { (count(real_left)) }
            td class="number" { (share(lost, offered)) }
            td class="number" { (share(real_lost, real_offered)) }
        }
    }
}

fn time(time: Duration) -> String {
    micros(time.as_nanos() as f64 / 1e3)
}

fn share(part: u64, whole: u64) -> String {
    match whole {
        0 => "–".into(),
        whole => format!("{:.2} %", 100.0 * part as f64 / whole as f64),
    }
}
