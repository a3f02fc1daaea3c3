//! One direction of a link: its properties, its totals in sentences, and its curves.

use std::borrow::Cow;

use netloom_api::state::{DirectPipe, PipeStatus};
use netloom_link::{DropReason, PipeConfig, PipeStatistics};
use netloom_units::readable::{bit_rate, count, micros};

use crate::chart::{COUNTS, DELAYS, DROPS, Line, Panel, RATES};
use crate::curves::{Curves, Sample, Way};

/// Mean queue length in frames below which no queue is drawn.
pub const LEAST_QUEUE: f64 = 0.1;

/// Classes of the curves of drop reasons, in the order of [`DropReason::ALL`].
const DROP_CLASSES: [&str; DropReason::ALL.len()] =
    ["drop-1", "drop-2", "drop-3", "drop-4", "drop-5", "drop-6", "drop-7", "drop-8"];

/// Describes the properties of the pipe at the end and, if they differ, at first.
pub fn properties(pipe: &PipeStatus, at_first: Option<&PipeConfig>) -> String {
    let words = |config: &PipeConfig| match config.in_words() {
        words if words.is_empty() => "unlimited".to_string(),
        words => words.join(", "),
    };
    let Some(pipe) = pipe.modelled() else { return "direct".into() };
    let now = words(&pipe.config);
    match at_first.map(words) {
        Some(at_first) if at_first != now => format!("{at_first}; at the end {now}"),
        _ => now,
    }
}

/// Returns the panels of a pipe that are not empty.
pub fn panels(curves: &Curves, link: &str, way: Way) -> Vec<Panel> {
    let Some(curve) = curves.of(link, way) else { return Vec::new() };
    let line = |name: &'static str, class, value: &dyn Fn(&Sample) -> u64, worth: f64| {
        let mean = |a: &Sample, b: &Sample, ns: f64| {
            Some(value(b).saturating_sub(value(a)) as f64 * worth / ns)
        };
        Line { name: Cow::Borrowed(name), class, steps: curve.steps(mean) }
    };
    // Factors from bytes/ns to bit/s, and from frames/ns to frames/s.
    let (bits, frames) = (8e9, 1e9);
    let mut panels = vec![Panel {
        title: "throughput".into(),
        units: RATES,
        nothing: 0.0,
        lines: vec![
            line("delivered", "delivered", &|sample| sample.delivered_bytes, bits),
            line("offered", "offered", &|sample| sample.offered_bytes, bits),
        ],
    }];
    if !curves.only_traffic() {
        let delay = |a: &Sample, b: &Sample, _| {
            let frames = b.delivered_frames.saturating_sub(a.delivered_frames);
            let delays = b.delay_sum_ns.saturating_sub(a.delay_sum_ns);
            (frames > 0).then(|| delays as f64 / frames as f64)
        };
        let delay = Line { name: "".into(), class: "delay", steps: curve.steps(delay) };
        let queue = line("", "queue", &|sample| sample.queue_sum_ns, 1.0);
        let drops = (0..DropReason::ALL.len()).map(|reason| {
            let (name, class) = (DropReason::ALL[reason].name(), DROP_CLASSES[reason]);
            line(name, class, &|sample: &Sample| sample.dropped_frames[reason], frames)
        });
        let seen = |line: &Line| line.steps.iter().any(|step| step.mean > 0.0);
        panels.extend([
            Panel { title: "mean delay".into(), units: DELAYS, nothing: 0.0, lines: vec![delay] },
            Panel {
                title: "mean queue".into(),
                units: COUNTS,
                nothing: LEAST_QUEUE,
                lines: vec![queue],
            },
            Panel {
                title: "drops".into(),
                units: DROPS,
                nothing: 0.0,
                lines: drops.filter(seen).collect(),
            },
        ]);
    }
    panels.retain(|panel| panel.most() > panel.nothing);
    panels
}

/// Describes the totals of a pipe in sentences.
pub fn in_words(pipe: &PipeStatus) -> String {
    match pipe {
        PipeStatus::Modelled(pipe) => modelled(&pipe.statistics),
        PipeStatus::Direct(DirectPipe { statistics: Some(counted) }) => format!(
            "By the kernel's count, in which a super-frame is one frame: offered {}, delivered {} \
             ({}), dropped {}.",
            count(counted.offered.frames),
            count(counted.delivered.frames),
            pipe.mean_rate().map_or("–".into(), bit_rate),
            count(counted.dropped_frames),
        ),
        PipeStatus::Direct(DirectPipe { statistics: None }) => {
            "What it carried is not known: one of its interfaces was gone.".into()
        }
    }
}

fn modelled(statistics: &PipeStatistics) -> String {
    let seconds = statistics.at.since(statistics.since).as_secs_f64().max(1e-9);
    let rate = |bytes: u64| bit_rate(bytes as f64 * 8.0 / seconds);
    let mut words = vec![format!(
        "Offered {} frames ({}), delivered {} ({}), the line busy {:.1} % of the time.",
        count(statistics.offered.frames),
        rate(statistics.offered.bytes),
        count(statistics.delivered.frames),
        rate(statistics.delivered.bytes),
        100.0 * statistics.load,
    )];
    if let Some(delay) = &statistics.delay {
        let time = |ns: u64| micros(ns as f64 / 1000.0);
        words.push(format!(
            "Delay: median {}, p99 {}, max {}.",
            time(delay.p50_ns),
            time(delay.p99_ns),
            time(delay.max_ns),
        ));
    }
    let queue = &statistics.queue;
    if queue.maximum.frames > 0 {
        let fill = queue.fill.map(|share| format!(" ({:.1} % of the limit)", 100.0 * share));
        let seen = queue.seen_mean_frames.map(|mean| format!(", {mean:.1} as arrivals found it"));
        words.push(format!(
            "Queue: mean {:.1} frames{}{}, max {}.",
            queue.mean_frames,
            fill.unwrap_or_default(),
            seen.unwrap_or_default(),
            count(queue.maximum.frames)
        ));
    }
    words.push(match drops_by_reason(statistics) {
        drops if drops.is_empty() => "No drops.".into(),
        drops => {
            let lost = statistics.lost_percent.map(|percent| format!(" (lost: {percent:.2} %)"));
            format!("Dropped: {drops}{}.", lost.unwrap_or_default())
        }
    });
    if statistics.marked.frames > 0 {
        words.push(format!("Marked (ECN): {}.", count(statistics.marked.frames)));
    }
    if let Some(background) = &statistics.background {
        words.push(format!(
            "Background: offered {} frames ({}), delivered {}, dropped {}.",
            count(background.offered.frames),
            rate(background.offered.bytes),
            count(background.delivered.frames),
            count(background.dropped.frames),
        ));
    }
    words.join(" ")
}

/// Describes dropped frames, by reason if known.
pub fn drops(pipe: &PipeStatus) -> String {
    match pipe {
        PipeStatus::Modelled(pipe) => drops_by_reason(&pipe.statistics),
        PipeStatus::Direct(_) => {
            let dropped = pipe.dropped_frames().filter(|frames| *frames > 0);
            dropped.map_or(String::new(), count)
        }
    }
}

fn drops_by_reason(statistics: &PipeStatistics) -> String {
    let of = |reason: DropReason| {
        let frames = statistics.dropped.of(reason).frames;
        (frames > 0).then(|| format!("{} {}", reason.name(), count(frames)))
    };
    DropReason::ALL.into_iter().filter_map(of).collect::<Vec<_>>().join(", ")
}
