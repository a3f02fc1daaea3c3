//! The files that are written while a run lasts. A file that fails costs no other one: the run goes
//! on, and the failure is known at its end.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufWriter, Write};

use anyhow::{Context, Result, anyhow};
use netloom_api::in_words;
use netloom_api::summary::FrameLogSummary;
use netloom_monitor::Marks;
use netloom_results::{FlowSampler, MediaSampler, Results, Sampler};
use netloom_scenario::Scenario;
use netloom_units::Time;

use crate::carrier::{Carrier, Frames};
use crate::frames::{CaptureFile, FrameFile, log_header};
use crate::schedule::Due;

/// The files that a run has beside samples of pipes and media.
#[derive(Debug, Clone, Copy)]
pub struct Wanted {
    /// Samples of the flows that carriers send themselves.
    pub flows: bool,
    /// The frame log and captures, from frames that carriers hand over. Their time zero has no
    /// date.
    pub frames: bool,
}

/// The files of a run.
pub struct Recorder {
    pipes: Option<Sampler>,
    flows: Option<FlowSampler>,
    media: Option<MediaSampler>,
    /// Air logs, by medium.
    air: BTreeMap<String, BufWriter<File>>,
    log: Option<FrameFile>,
    captures: Vec<CaptureFile>,
    failures: Vec<String>,
}

/// How recording went.
#[derive(Debug, Default)]
pub struct Recorded {
    /// What is missing in which file, in words.
    pub failures: Vec<String>,
    /// The summary of the frame log, if carriers handed over frames for it.
    pub frame_log: Option<FrameLogSummary>,
}

impl Recorder {
    /// Makes the files that `scenario` and `wanted` ask for.
    pub fn new(results: &Results, scenario: &Scenario, wanted: Wanted) -> Self {
        let mut failures = Vec::new();
        let mut kept = Kept(&mut failures);
        let has_media = scenario.nodes.iter().any(|node| node.medium.is_some());
        let pipes =
            kept.of(PIPES, results.sample_file().map_err(Into::into).and_then(Sampler::new));
        let flows = wanted.flows.then(|| FlowSampler::new(results.flow_file()?));
        let flows = flows.and_then(|made| kept.of(FLOWS, made));
        let media = has_media.then(|| MediaSampler::new(results.media_files()?));
        let media = media.and_then(|made| kept.of(MEDIA, made));
        let air = scenario.measure.air.iter().filter_map(|medium| {
            let file = results.air_log_file(medium);
            let file = file.with_context(|| format!("cannot make the air log of `{medium}`"));
            Some((medium.clone(), BufWriter::new(kept.of(AIR, file)?)))
        });
        let air = air.collect();
        let (mut log, mut captures) = (None, Vec::new());
        if wanted.frames {
            let is_logged = !scenario.measure.frames.is_empty();
            let header = || log_header(0, scenario.links.iter().map(|link| &*link.name));
            let made = is_logged.then(|| Ok(FrameFile::new(results.frame_log_file()?, &header())));
            log = made.and_then(|made| kept.of(LOG, made));
            captures.extend(scenario.measure.capture.iter().filter_map(|capture| {
                let zero = std::time::Duration::ZERO;
                kept.of(CAPTURES, CaptureFile::new(capture, results, zero))
            }));
        }
        Self { pipes, flows, media, air, log, captures, failures }
    }

    /// Takes samples of a carrier at `now`.
    pub fn look(&mut self, now: Time, due: Due, carrier: &dyn Carrier) {
        if due.pipes {
            if let Some(pipes) = &mut self.pipes {
                pipes.add(now, carrier.links(None));
            }
            self.until_failure(
                MEDIA,
                |all| &mut all.media,
                |media| media.add(now, &carrier.media(true)?),
            );
            self.look_at_frames(carrier);
        }
        if due.air && !self.air.is_empty() {
            let written = self.write_air(carrier);
            if Kept(&mut self.failures).of(AIR, written).is_none() {
                self.air.clear();
            }
        }
        if due.flows {
            self.until_failure(
                FLOWS,
                |all| &mut all.flows,
                |flows| flows.add(now, &carrier.flows()?),
            );
        }
    }

    /// Notes that nothing could be sampled at `now`.
    pub fn miss(&mut self, now: Time, due: Due, why: &anyhow::Error) {
        let why = in_words(why.as_ref());
        if let Some(pipes) = self.pipes.as_mut().filter(|_| due.pipes) {
            pipes.add(now, Err(anyhow!(why.clone())));
        }
        let lost = (due.flows && self.flows.take().is_some()).then_some(FLOWS);
        let media = (due.pipes && self.media.take().is_some()).then_some(MEDIA);
        let all = lost.into_iter().chain(media);
        self.failures.extend(all.map(|what| format!("{what} is not complete: {why}")));
    }

    /// Adds to a part of the results. Nothing is added to it any more once that has failed.
    fn until_failure<T>(
        &mut self,
        what: &str,
        part: impl Fn(&mut Self) -> &mut Option<T>,
        add: impl FnOnce(&mut T) -> Result<()>,
    ) {
        let Some(one) = part(self) else { return };
        let added = add(one);
        if Kept(&mut self.failures).of(what, added).is_none() {
            *part(self) = None;
        }
    }

    fn look_at_frames(&mut self, carrier: &dyn Carrier) {
        if self.log.is_none() && self.captures.is_empty() {
            return;
        }
        let mut kept = Kept(&mut self.failures);
        let Some(Frames { log, captured }) = kept.of(LOG, carrier.take_frames()) else {
            (self.log, self.captures) = (None, Vec::new());
            return;
        };
        if let Some(file) = &mut self.log {
            let written = log.iter().try_for_each(|entry| file.write(entry)).map_err(Into::into);
            if kept.of(LOG, written).is_none() {
                self.log = None;
            }
        }
        let written = captured.iter().try_for_each(|(capture, frame)| {
            let file = self.captures.get_mut(*capture as usize);
            file.map_or(Ok(()), |file| file.add(frame)).map_err(anyhow::Error::from)
        });
        let mut all = || self.captures.iter_mut().try_for_each(CaptureFile::write);
        if kept.of(CAPTURES, written.and_then(|()| all())).is_none() {
            self.captures.clear();
        }
    }

    fn write_air(&mut self, carrier: &dyn Carrier) -> Result<()> {
        for (medium, bytes) in carrier.take_air()? {
            if let Some(file) = self.air.get_mut(&medium) {
                // What has been written outlives a run that is killed.
                let written = file.write_all(&bytes).and_then(|()| file.flush());
                written.with_context(|| format!("the air log of `{medium}`"))?;
            }
        }
        Ok(())
    }

    /// The samples of pipes, which wait until it is known whether their times are to be left out.
    pub fn pipes(&mut self) -> Option<&mut Sampler> {
        self.pipes.as_mut()
    }

    /// What has failed until now, in words.
    pub fn failures(&self) -> &[String] {
        &self.failures
    }

    /// Writes all that remains, with the times that are to be left out.
    pub fn finish(self, marks: Option<&Marks>) -> Recorded {
        let Self { pipes, flows, media, air, log, captures, mut failures } = self;
        let mut kept = Kept(&mut failures);
        kept.of(FLOWS, flows.map_or(Ok(()), FlowSampler::finish));
        kept.of(CAPTURES, captures.into_iter().try_for_each(CaptureFile::finish));
        kept.of(MEDIA, media.map_or(Ok(()), MediaSampler::finish));
        for (_, mut file) in air {
            kept.of(AIR, file.flush().map_err(Into::into));
        }
        let log = log.map(|log| log.finish().map_err(Into::into));
        let frame_log = log.and_then(|summary| kept.of(LOG, summary));
        failures.extend(pipes.into_iter().flat_map(|pipes| pipes.finish(marks)));
        Recorded { failures, frame_log }
    }
}

const PIPES: &str = "pipes.parquet";
const FLOWS: &str = "flows.parquet";
const MEDIA: &str = "what was to be written of shared media";
const AIR: &str = "an air log";
const LOG: &str = "frames.nlf";
const CAPTURES: &str = "a capture";

/// Failures, kept in words.
struct Kept<'f>(&'f mut Vec<String>);

impl Kept<'_> {
    /// Returns a part of the results. If it has failed, the failure is kept.
    fn of<T>(&mut self, what: &str, part: Result<T>) -> Option<T> {
        let keep = |error: &anyhow::Error| {
            self.0.push(format!("{what} is not complete: {}", in_words(error.as_ref())));
        };
        part.inspect_err(keep).ok()
    }
}
