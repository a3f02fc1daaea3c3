//! Next steps: remedies for each finding, and files with more data.

use std::collections::BTreeSet;

use maud::{Markup, html};
use netloom_api::summary::Summary;
use netloom_monitor::{Finding, SignalKind};

use super::processes::went_wrong;

/// Returns the next steps of the reader.
pub fn next(summary: &Summary) -> Markup {
    let findings = summary.verdict.iter().flat_map(|verdict| &verdict.findings);
    let contended: BTreeSet<SignalKind> = findings
        .clone()
        .filter(|finding| finding.on.is_some())
        .map(|finding| finding.signal)
        .collect();
    let unseen = findings.clone().any(|finding: &Finding| finding.on.is_none());
    let wrong = summary.processes.iter().find(|process| went_wrong(&process.state));
    html! {
        section {
            h2 { "What to look at next" }
            ul {
                @for signal in contended { li { strong { (signal) } ": " (advice(signal)) } }
                @if unseen {
                    li {
                        "Something that is needed to judge was not observed: the blind spots above \
                         say why, and what would make it visible."
                    }
                }
                @if let Some(process) = wrong {
                    li {
                        "What " (process.process) " said: "
                        code { "processes/" (process.process) "@" (process.node) ".stderr" } "."
                    }
                }
                @if summary.verdict.is_some() {
                    li {
                        "How the verdict is reached, and what each means: "
                        code { "docs/trust.md" } "."
                    }
                }
                li { "Every event with its time: " code { "events.jsonl" } "." }
                li {
                    "Every pipe over time, to draw and compute with: " code { "pipes.parquet" }
                    " (columns in " code { "docs/results.md" } ")."
                }
                @match &summary.frame_log {
                    Some(_) => li {
                        "What happened to every frame: " code { "netloom frames frames.nlf" } "."
                    },
                    None => li {
                        "What happened to every frame: run again with " code { "--frames" } "."
                    },
                }
                li { "All totals, and all the verdict rests on: " code { "summary.json" } "." }
            }
        }
    }
}

/// Returns the remedies for contention of a kind.
fn advice(signal: SignalKind) -> &'static str {
    match signal {
        SignalKind::Lateness => {
            "frames left late. Look at who used the CPUs at that time; timing.workers in \
             summary.json says which worker was busy. Fewer frames a second, more cores, or no \
             other work on the machine help."
        }
        SignalKind::UnmodelledDrop => {
            "frames were lost where no link's model dropped them. The cause says where: \
             not_read_in_time is an engine that was too busy, softnet_backlog a kernel that was, \
             neighbour_table a table that all nodes share (`sysctl \
             net.ipv4.neigh.default.gc_thresh3`, and net.ipv6)."
        }
        SignalKind::Buffers => {
            "packets reached a node, or were to leave it, and its sockets had no room for them: no \
             link's model dropped them. If their program is to read all of them, give it larger \
             buffers (SO_RCVBUF, net.core.rmem_max), or look whether it waited for a CPU; if it is \
             not to, nothing is wrong."
        }
        SignalKind::Cpu => {
            "a CPU had no idle moment. If somebody outside the experiment is the heaviest, run it \
             elsewhere; if nodes are, run fewer or on more cores."
        }
        SignalKind::RunQueue => {
            "a node's tasks waited for a CPU: run fewer nodes, or on more cores."
        }
        SignalKind::NetInternal | SignalKind::NetExternal => {
            "traffic came to what this machine can carry: lower the rates, or use a faster machine."
        }
        SignalKind::MemoryIn | SignalKind::MemoryOut => {
            "memory was short, and pages went to disk and came back: give nodes less to hold, or \
             the machine more memory."
        }
        SignalKind::Disk => {
            "a disk was busy all the time: have processes write less, or to a faster disk; \
             captures and frame logs write too."
        }
        SignalKind::Steal => {
            "the hypervisor took CPU time away: use a machine that is not shared, or run when it \
             is quiet."
        }
        SignalKind::Pressure => "tasks of a node stood still: the resource says for want of what.",
        SignalKind::Timeline => {
            "events of the timeline were late, or never happened: `timeline` in summary.json has \
             the planned and the actual time of each. What came before them kept the engine \
             waiting."
        }
        SignalKind::Simulation => {
            "the simulation took longer than a period, so that pipes between real hosts followed \
             it late: simulate less, on more `threads`, or with a longer `period`."
        }
        SignalKind::Divergence => {
            "pipes between real hosts treated packets otherwise than the simulated network treated \
             their twins: `flows` of `simulation.symbiosis` in summary.json says which and by how \
             much. Calibrate by `cross_traffic`, with a shorter `period`, or at steadier times."
        }
        SignalKind::Clock => {
            "the clocks of two machines were compared less exactly than their links need: a \
             quieter or shorter way between them, receive stamps of the kernel, or longer delays \
             of the links between them help."
        }
        SignalKind::Tunnel => {
            "a link between machines is shorter than the way between them: place its ends on one \
             machine, or give it a longer delay."
        }
        SignalKind::ChangeLate => {
            "a change reached a machine after the instant at which all were to make it: the stream \
             to that machine was held up."
        }
        SignalKind::MachineLost => "a machine was lost: look at its own log, and at the way to it.",
        SignalKind::Application => "a metric of your own left the range that you gave it.",
    }
}
