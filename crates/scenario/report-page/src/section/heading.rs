//! Identification of the run: experiment, scenario, machine, and how it ended.

use maud::{Markup, html};
use netloom_api::machine::Machine;

use super::outcome;
use crate::run::Run;

/// Returns the title of the page and the identification of the run.
pub fn heading(run: &Run) -> Markup {
    let summary = &run.summary;
    let seconds = summary.ended.as_secs_f64();
    html! {
        header {
            h1 { "Run of " span class="name" { (summary.name) } }
            (outcome(summary))
            dl {
                dt { "Scenario" } dd { (summary.file.display()) ", seed " (summary.seed) }
                dt { "Started" } dd { (run.started) }
                dt { "Lasted" }
                dd {
                    (format!("{seconds:.2} s; the network was {}; ", summary.start_in_words()))
                    "it ended because " (summary.reason.in_words())
                }
                @if !summary.dilation.is_none() {
                    dt { "Time" }
                    dd { "of the experiment; the machine's was " (summary.dilation) " times that" }
                }
                dt { "NetLoom" } dd { (summary.version) }
                @if summary.machines.is_empty() {
                    dt { "Machine" }
                    dd {
                        @match &run.machine {
                            Some(machine) => (machine_in_words(machine)),
                            None => "not known",
                        }
                    }
                } @else {
                    dt { "Machines" }
                    dd { (summary.machines.len()) ", see " a href="#machines" { "below" } }
                }
            }
            @for missing in &run.missing { p class="note missing" { (missing) } }
        }
    }
}

fn machine_in_words(machine: &Machine) -> String {
    let processor = machine.processor.as_deref().unwrap_or(&machine.architecture);
    let mut words = vec![machine.host.clone(), format!("{} × {processor}", machine.processors)];
    let mut say = |what: &str, value: Option<&str>| {
        words.extend(value.map(|value| format!("{what}{value}")));
    };
    let memory =
        machine.memory_bytes.map(|bytes| format!("{:.1} GiB", bytes as f64 / 2f64.powi(30)));
    say("", memory.as_deref());
    say("", machine.distribution.as_deref());
    say("Linux ", Some(&machine.kernel));
    say("clock ", machine.clock_source.as_deref());
    say("frequency governor ", machine.frequency_governor.as_deref());
    say("TCP ", machine.tcp_congestion_control.as_deref());
    words.join(", ")
}
