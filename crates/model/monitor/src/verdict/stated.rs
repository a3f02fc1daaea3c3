//! The error bound as lines of text for people.

use netloom_units::readable::counted;

use super::reasons::{ms, percent};
use super::{Judgement, Verdict};
use crate::bound::{Lateness, NodeBound, PipeBound};
use crate::trust::Purpose;

impl Verdict {
    /// The two judgements and what the run needed, in one line.
    pub fn in_words(&self) -> String {
        let needed = self.trust.in_words();
        format!("links {}, programs {}; {needed}", self.links, self.programs)
    }

    /// The error bound, a line each: the worst pipe, the losses, the node that waited most, and how
    /// much of the run is good.
    pub fn stated(&self) -> Vec<String> {
        let worst = |a: &&PipeBound, b: &&PipeBound| {
            let key = |pipe: &PipeBound| (pipe.late.share, pipe.late.p999, pipe.at_most.share);
            key(a).partial_cmp(&key(b)).unwrap_or(std::cmp::Ordering::Equal)
        };
        let pipe = self.bound.pipes.iter().max_by(worst).map(|pipe| self.pipe(pipe));
        let all = [self.for_purpose(), pipe, Some(self.losses()), self.waits(), self.good()];
        all.into_iter().flatten().collect()
    }

    /// The error bound in terms of what the run is for, if it is not for delays, on which all other
    /// lines are.
    fn for_purpose(&self) -> Option<String> {
        let bound = &self.bound;
        let latest = bound.pipes.iter().map(|pipe| pipe.at_most.max).max().unwrap_or_default();
        match self.trust.purpose {
            Purpose::Functional => Some(format!(
                "everything happened in order: events of the timeline at most {} late, frames at \
                 most {} late, {} lost outside the model",
                ms(bound.timeline.latest),
                ms(latest.max(bound.engine.longest)),
                counted(bound.losses.frames as usize, "frame"),
            )),
            Purpose::Throughput => {
                let slowest = bound.pipes.iter().filter_map(|pipe| pipe.rate);
                let lacked = slowest.map(|rate| rate.share).fold(0.0, f64::max);
                Some(format!(
                    "goodput within {}: lines lacked at most {} of their rate, and the engine \
                     stood still for {} of the run",
                    percent(lacked + bound.engine.share),
                    percent(lacked),
                    percent(bound.engine.share),
                ))
            }
            Purpose::Delay => None,
        }
    }

    fn pipe(&self, pipe: &PipeBound) -> String {
        let delay = self.trust.delay;
        let of = match self.bound.pipes.len() {
            1 => String::new(),
            pipes => format!(", the latest of {pipes} pipes"),
        };
        let late = |late: &Lateness| {
            format!(
                "p50 {}, p99 {}, p99.9 {} late, {} later than {delay}",
                ms(late.p50),
                ms(late.p99),
                ms(late.p999),
                percent(late.share),
            )
        };
        let unseen = match pipe.late == pipe.at_most {
            true => String::new(),
            false => format!("; with what stood unseen at most {}", late(&pipe.at_most)),
        };
        format!("frames of {}{of}: {}{unseen}", pipe.pipe, late(&pipe.late))
    }

    fn losses(&self) -> String {
        let (losses, timeline) = (self.bound.losses, self.bound.timeline);
        let mut text = format!("lost outside the model: {} frames", losses.frames);
        if losses.perhaps > 0 {
            text += &format!(", and {} that may be somebody else's", losses.perhaps);
        }
        if losses.buffers > 0 {
            text += &format!("; without room in sockets: {} packets", losses.buffers);
        }
        text + &format!("; latest event of the timeline: {}", ms(timeline.latest))
    }

    fn waits(&self) -> Option<String> {
        let sum = |node: &NodeBound| node.cpu.share + node.memory.share + node.disk.share;
        let most = self.bound.nodes.iter().max_by(|a, b| sum(a).total_cmp(&sum(b)))?;
        let waited = [("a CPU", &most.cpu), ("memory", &most.memory), ("a disk", &most.disk)];
        let waited = waited.into_iter().filter(|(_, waited)| waited.share > 0.0);
        let waited = waited.map(|(what, waited)| format!("{what} {}", percent(waited.share)));
        let waited: Vec<String> = waited.collect();
        Some(format!(
            "programs that waited most, in node {}: for {} of the run",
            most.node,
            waited.join(", for ")
        ))
    }

    fn good(&self) -> Option<String> {
        let (all, bad) = (self.length().as_secs_f64(), self.bad_time().as_secs_f64());
        let first = self.bad.first()?.from.as_secs_f64();
        let pieces = counted(self.bad.len(), "piece");
        if self.judgement == Judgement::Valid {
            return Some(format!(
                "disturbed, within what is needed: {bad:.1} s of {all:.1} s in {pieces}, the first \
                 at {first:.1} s"
            ));
        }
        Some(format!(
            "good: {:.1} s of {all:.1} s; leave out {bad:.1} s in {pieces}, the first at \
             {first:.1} s",
            (all - bad).max(0.0),
        ))
    }
}
