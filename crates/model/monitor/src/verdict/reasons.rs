//! Sentences for findings on the error bound.

use netloom_units::Duration;

use crate::bound::{Lateness, PipeBound, Span, WaitBound, length};
use crate::signal::SignalKind;
use crate::trust::Trust;
use crate::words::{of_machine, quantity};

pub(crate) fn ms(time: Duration) -> String {
    quantity(SignalKind::Lateness, time.as_nanos() as f64)
}

/// Formats a share in percent. Below 10 % it has two decimals.
pub(crate) fn percent(share: f64) -> String {
    let percent = share * 100.0;
    let decimals = if percent >= 10.0 { 0 } else { 2 };
    format!("{percent:.decimals$} %")
}

/// Describes how late the frames of a pipe were, or may have been.
pub(crate) fn pipe(pipe: &PipeBound, trust: &Trust) -> String {
    let needed = format!("needed: at most {} of frames, none by {}", trust.share, trust.stall);
    let name = &pipe.pipe;
    let is_beyond = |late: &Lateness| late.share > trust.share.value() || late.max > trust.stall;
    if is_beyond(&pipe.late) {
        return format!("frames of {name}: {} ({needed})", lateness(&pipe.late, trust));
    }
    if is_beyond(&pipe.at_most) {
        return format!(
            "frames of {name} may have been late for standing unseen, or behind others that did: \
             at most {} ({needed}); handed over late: {}",
            lateness(&pipe.at_most, trust),
            percent(pipe.late.share),
        );
    }
    let lacked = pipe.rate.map_or(0.0, |rate| rate.share);
    let needed = trust.share;
    format!("the line of {name} may have lacked {} of its rate (needed: {needed})", percent(lacked))
}

fn lateness(late: &Lateness, trust: &Trust) -> String {
    format!(
        "{} later than {}, p99 {}, latest {}",
        percent(late.share),
        trust.delay,
        ms(late.p99),
        ms(late.max),
    )
}

/// Describes how long the engine did not run.
pub(crate) fn engine(machine: Option<&str>, pauses: &WaitBound, trust: &Trust) -> String {
    format!(
        "the engine{} stood still for {} in all, {} of the run, {} at once (needed: at most {}, \
         none of {}): what came then was taken in late",
        of_machine(machine),
        ms(pauses.waited),
        percent(pauses.share),
        ms(pauses.longest),
        trust.share,
        trust.stall,
    )
}

/// Describes how long the programs of a node waited for `what`.
pub(crate) fn node(node: &str, what: &str, waited: &WaitBound, trust: &Trust) -> String {
    format!(
        "programs of node {node} waited for {what}: {} of the run (needed: at most {}), {} times, \
         {} at once",
        percent(waited.share),
        trust.waits,
        waited.times,
        ms(waited.longest),
    )
}

/// The number of others beside the worst, as the end of a sentence.
pub(crate) fn others(all: usize, what: &str) -> String {
    match all {
        0 | 1 => String::new(),
        2 => format!("; and 1 more {what}"),
        _ => format!("; and {} more {what}s", all - 1),
    }
}

/// The part of the run that was bad, as the end of a sentence.
pub(crate) fn when(bad: &[Span], run: Span) -> String {
    let Some(first) = bad.first() else { return String::new() };
    format!(
        "; in {:.1} s of {:.1} s, first at {:.1} s",
        length(bad).as_secs_f64(),
        run.to.since(run.from).as_secs_f64(),
        first.from.as_secs_f64(),
    )
}
