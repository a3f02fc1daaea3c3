//! How pipes between real hosts followed a simulation, in a symbiotic run.

use maud::{Markup, html};
use netloom_api::simulation::{FollowingFlow, FollowingPipe, SymbiosisSummary};
use netloom_units::Duration;
use netloom_units::readable::{count, counted, micros};

use super::table;

/// Compares the pipes with the parts of the network that they followed.
pub fn symbiosis(symbiosis: &SymbiosisSummary) -> Markup {
    let SymbiosisSummary {
        period,
        periods,
        computed_mean,
        computed_most,
        late,
        missed,
        pipes,
        flows,
    } = symbiosis;
    let headings = [
        "pipe",
        "stands for",
        "W",
        "W₁",
        "W₂",
        "|W₁ − W₂|",
        "λ of twins",
        "λ of real",
        "difference",
        "P of twins",
        "P of real",
    ];
    let seconds = period.as_secs_f64() * *periods as f64;
    let rows = html! { @for pipe in pipes { (row(pipe, seconds)) } };
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
                 a period or two later: λ are frames a second that left, P shares that were lost."
            }
            @if !flows.is_empty() { (compared(flows)) }
        }
    }
}

/// Compares the traffic that real hosts received with that of their twins.
fn compared(flows: &[FollowingFlow]) -> Markup {
    let headings = [
        "from",
        "to",
        "bytes of twins",
        "real bytes",
        "differed by",
        "delay of twins",
        "real delay",
        "differed by",
    ];
    let rows = html! { @for flow in flows { (flow_row(flow)) } };
    html! {
        h3 { "What came to real hosts" }
        (table(&headings, &rows))
        p class="note" {
            "How much real flows differed from their twins at most over ten periods; above 10 % a \
             run is suspect."
        }
    }
}

fn flow_row(flow: &FollowingFlow) -> Markup {
    let FollowingFlow { from, to, twins, real, delay_difference, throughput_difference } = flow;
    html! {
        tr {
            td { (from) }
            td { (to) }
            td class="number" { (count(twins.bytes)) }
            td class="number" { (count(real.bytes)) }
            td class="number" { (percent(*throughput_difference)) }
            td class="number" { (micros(twins.delay_mean_ns as f64 / 1e3)) }
            td class="number" { (micros(real.delay_mean_ns as f64 / 1e3)) }
            td class="number" { (percent(*delay_difference)) }
        }
    }
}

fn row(pipe: &FollowingPipe, seconds: f64) -> Markup {
    let [offered, lost, left] = pipe.twins;
    let [real_offered, real_lost, real_left] = pipe.real;
    let a_second = |frames: u64| format!("{:.1}", frames as f64 / seconds.max(1e-9));
    html! {
        tr {
            td { (pipe.pipe) }
            td { (pipe.stands_for.join(", ")) }
            td class="number" { (time(pipe.time_mean)) }
            td class="number" { (time(pipe.backlog_mean)) }
            td class="number" { (time(pipe.real_backlog_mean)) }
            td class="number" { (time(pipe.backlog_difference_mean)) }
            td class="number" { (a_second(left)) }
            td class="number" { (a_second(real_left)) }
            td class="number" { (a_second(left.abs_diff(real_left))) }
            td class="number" { (share(lost, offered)) }
            td class="number" { (share(real_lost, real_offered)) }
        }
    }
}

fn time(time: Duration) -> String {
    micros(time.as_nanos() as f64 / 1e3)
}

fn percent(share: Option<f64>) -> String {
    share.map_or_else(|| "–".into(), |share| format!("{:.1} %", 100.0 * share))
}

fn share(part: u64, whole: u64) -> String {
    match whole {
        0 => "–".into(),
        whole => format!("{:.2} %", 100.0 * part as f64 / whole as f64),
    }
}
