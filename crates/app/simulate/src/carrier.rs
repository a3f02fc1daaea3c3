//! The simulation of a run in virtual time, as a carrier of frames.

use std::cell::{RefCell, RefMut};

use anyhow::{Result, bail};
use netloom_api::change::LinkChange;
use netloom_api::event::What;
use netloom_api::flow::FlowStatus;
use netloom_api::state::LinkStatus;
use netloom_course::{Audience, Carrier, Frames, Prepared};
use netloom_fabric::PipeId;
use netloom_link::{LogEntry, PipeStatistics, Window};
use netloom_medium::AssociationEvent;
use netloom_results::MediaSample;
use netloom_scenario::Scenario;
use netloom_sim::MediumSample;
use netloom_units::Time;

use crate::configs::Configs;
use crate::fluid::Course;
use crate::processes::Processes;
use crate::statuses;
use crate::timeline::{Routes, Timeline};
use crate::traffic::Flow;

/// The simulation of a whole network in virtual time, with the names that its scenario gives.
pub struct InVirtualTime<'s> {
    scenario: &'s Scenario,
    flows: Vec<Flow>,
    course: Course,
    /// Those who watch it.
    audience: Option<&'s dyn Audience>,
    state: RefCell<State>,
}

/// What changes while the run lasts.
struct State {
    processes: Processes,
    configs: Configs,
    taken: Taken,
}

/// What the last samples had beside statistics of pipes, until it is asked for.
#[derive(Default)]
struct Taken {
    frames: Frames,
    /// Shared media in the last sample.
    media: Vec<MediumSample>,
    /// Entries of air logs, by the numbers of media.
    air: Vec<(u32, Vec<u8>)>,
    routes: Routes,
    associations: Vec<(u32, AssociationEvent)>,
    events: Vec<(Time, What)>,
}

impl<'s> InVirtualTime<'s> {
    /// The simulation that `processes` run, whose pipes have these configurations at the start.
    /// `traffic` is that of packets, and fluid. Those who watch are shown each sample.
    pub fn new(
        scenario: &'s Scenario,
        traffic: (Vec<Flow>, Course),
        processes: Processes,
        configs: Configs,
        audience: Option<&'s dyn Audience>,
    ) -> Self {
        let state = RefCell::new(State { processes, configs, taken: Taken::default() });
        Self { scenario, flows: traffic.0, course: traffic.1, audience, state }
    }

    /// The processes that run it.
    pub fn processes(&self) -> RefMut<'_, Processes> {
        RefMut::map(self.state.borrow_mut(), |state| &mut state.processes)
    }

    /// The flow of this number.
    pub fn flow(&self, number: u32) -> &Flow {
        &self.flows[number as usize]
    }

    /// Returns what has happened until the last sample, by time. Changes of `timeline` are recorded
    /// as made.
    pub fn take_events(&self, timeline: &mut Timeline) -> Vec<(Time, What)> {
        let state = &mut *self.state.borrow_mut();
        let now = state.processes.now();
        let mut happened = Vec::new();
        let routes = std::mem::take(&mut state.taken.routes);
        timeline.record((now, routes), &mut |time, what| happened.push((time, what)));
        let nodes = &self.scenario.nodes;
        let name = |number: u32| nodes.get(number as usize).map(|node| node.name.clone());
        let associations = std::mem::take(&mut state.taken.associations);
        happened.extend(associations.iter().filter_map(|(medium, event)| {
            Some((event.at, What::of_association(*medium, event, name)?))
        }));
        happened.append(&mut state.taken.events);
        happened.sort_by_key(|(time, _)| *time);
        happened
    }
}

impl State {
    /// Takes a sample, and returns the statistics of all pipes. The rest waits until it is asked
    /// for.
    fn sample(&mut self, scenario: &Scenario) -> Result<Vec<(PipeId, PipeStatistics)>> {
        let sample = self.processes.sample_pipes()?;
        self.configs.reach(self.processes.now());
        let Taken { frames, media, air, routes, associations, events } = &mut self.taken;
        // There are fewer pipes than `u32` can number.
        let logged = sample.log.into_iter();
        frames.log.extend(logged.map(|(pipe, event)| LogEntry::Frame(pipe.index() as u32, event)));
        frames.captured.extend(sample.captured);
        routes.extend(sample.routes);
        associations.extend(sample.associations);
        events.extend(statuses::neighbour_changes(&sample.media, scenario));
        *media = sample.media;
        air.extend(media.iter_mut().map(|one| (one.medium.0, std::mem::take(&mut one.air))));
        Ok(sample.statistics)
    }
}

impl Carrier for InVirtualTime<'_> {
    fn has(&self, link: &str) -> bool {
        self.scenario.link(link).is_some()
    }

    fn links(&self, window: Option<Window>) -> Result<Vec<LinkStatus>> {
        if window.is_some() {
            bail!("counts over a window are for runs in real time");
        }
        let state = &mut *self.state.borrow_mut();
        let statistics = state.sample(self.scenario)?;
        let links = statuses::links(statistics, &state.configs, self.scenario);
        if let Some(audience) = self.audience {
            audience.links(state.processes.now(), &links);
        }
        Ok(links)
    }

    /// Returns the media of the last sample.
    fn media(&self, _with_neighbours: bool) -> Result<MediaSample> {
        let media = statuses::media(&self.state.borrow().taken.media, self.scenario);
        if let Some(audience) = self.audience {
            audience.media(&media);
        }
        Ok(media)
    }

    fn take_air(&self) -> Result<Vec<(String, Vec<u8>)>> {
        let state = &mut *self.state.borrow_mut();
        let nodes = &self.scenario.nodes;
        let named =
            |(medium, bytes): (u32, _)| Some((nodes.get(medium as usize)?.name.clone(), bytes));
        Ok(state.taken.air.drain(..).filter_map(named).collect())
    }

    fn flows(&self) -> Result<Vec<FlowStatus>> {
        let mut flows = statuses::flows(self.processes().sample_flows()?, &self.flows);
        flows.extend(self.course.flows(self.processes().now()));
        if let Some(audience) = self.audience {
            audience.flows(&flows);
        }
        Ok(flows)
    }

    fn take_frames(&self) -> Result<Frames> {
        Ok(std::mem::take(&mut self.state.borrow_mut().taken.frames))
    }

    fn prepare<'c>(&'c self, _changes: &[LinkChange]) -> Result<Box<dyn Prepared + 'c>> {
        bail!("links of a run in virtual time are changed by its timeline only")
    }
}
