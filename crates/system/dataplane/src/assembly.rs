//! Putting a data plane together: links onto workers, pipes and devices into their shards,
//! threads started. Not here: what runs afterwards, and how links come and go then (`rewiring`).

use std::collections::BTreeMap;
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::thread;

use netloom_fabric::{LinkId, receiver_mtus};
use netloom_link::{Direction, Pipe, Stream};

use crate::balance::{Rebalancing, WORTH};
use crate::handle::{
    Control, Dataplane, JoinedSegment, LinkControl, Location, PeerControl, WorkerHandle,
};
use crate::partition;
use crate::peer_id::PeerId;
use crate::peers::{Board, Doors, Streams, TELL, Timekeeper, Tunnels};
use crate::room::default_frame_memory;
use crate::scheduling::WorkerPlace;
use crate::shard::{Parts, Shard};
use crate::waiter::Waiter;
use crate::wakeup::WakeupProbe;
use crate::wiring::is_segment;
use crate::worker::Worker;
use crate::worker_id::WorkerId;
use crate::worker_stats::WorkerStats;
use crate::{Clock, DataplaneError, End, Heartbeat, LinkWiring, Options, Scheduling, Wiring};

/// The parts of one worker, while they are being put together.
struct Draft {
    shard: Shard,
    waiter: Waiter,
}

/// How the workers are to run.
struct Plan {
    clock: Clock,
    frame_memory: usize,
    scheduling: Scheduling,
    dedicated_cpus: Vec<usize>,
    heartbeat: Option<Heartbeat>,
}

impl Dataplane {
    /// Takes over the devices of `wiring` and begins to carry frames.
    ///
    /// # Errors
    /// If the wiring names a switch it does not have, the machine refuses threads or event queues,
    /// or the carrier of a link that starts down cannot be switched. The devices are dropped then.
    pub fn start(wiring: Wiring, options: Options) -> Result<Self, DataplaneError> {
        let dataplane = assemble(wiring, &options)?;
        let control = dataplane.control();
        for (id, link) in &control.links {
            if link.is_cut() {
                link.switch_carriers(*id)?;
            }
        }
        drop(control);
        Ok(dataplane)
    }
}

fn assemble(wiring: Wiring, options: &Options) -> Result<Dataplane, DataplaneError> {
    wiring.validate(options.tunnels.as_ref())?;
    let dedicated = options.dedicated_cpus.len();
    let cores = match dedicated {
        0 => thread::available_parallelism().map_or(1, usize::from),
        // And all others together are as one more.
        dedicated => dedicated + 1,
    };
    let wanted = options.workers.unwrap_or(cores - 1).max(1);
    let segments_of = |link: &LinkWiring| {
        link.ends.each_ref().map(|end| end.segment_port().map(|port| port.segment().index()))
    };
    let segments: Vec<_> = wiring.links.iter().map(segments_of).collect();
    let assignment = partition::assign(&segments, &vec![None; segments.len()], wanted);
    let away: Vec<_> = wiring.links.iter().map(LeadsAway::of).collect();
    let used = partition::used(&assignment);
    let on_its_own = |ends: &&[Option<usize>; 2]| ends.iter().all(Option::is_none);
    // One more, without links, for when the others cannot bear theirs.
    let can_help = segments.iter().filter(on_its_own).count() >= 2 * WORTH;
    let is_room = if dedicated == 0 { cores > used } else { dedicated > used };
    let spare = (options.workers.is_none() && is_room && can_help).then_some(WorkerId::at(used));
    let workers = used + usize::from(spare.is_some());
    let plan = Plan {
        clock: Clock::dilated(options.origin, options.dilation),
        frame_memory: options.frame_memory.unwrap_or_else(default_frame_memory) / workers,
        scheduling: options.scheduling,
        dedicated_cpus: options.dedicated_cpus.clone(),
        heartbeat: options.heartbeat.clone(),
    };
    let mut drafts = (0..workers).map(|_| Draft::new(&plan)).collect::<Result<Vec<_>, _>>()?;
    let mut control = Control::default();
    let mut locations = BTreeMap::new();
    for (link, worker) in wiring.links.into_iter().zip(assignment) {
        let segments = link.ends.each_ref().map(JoinedSegment::of);
        let (id, name, mtus) = (link.id, link.name.clone(), link.mtus);
        let parts = Parts::of(link, options.seed, plan.clock);
        control.links.insert(id, LinkControl::of(&parts, mtus));
        drafts[worker.index()].add(id, &name, parts)?;
        locations.insert(id, Location { worker, segments });
    }
    let peers = match &options.tunnels {
        Some(tunnels) => Some(tunnel(tunnels, &mut drafts, &away, &locations, &plan)?),
        None => None,
    };
    let workers = WorkerId::first(drafts.len()).zip(drafts);
    let workers = workers.map(|(worker, draft)| draft.start(worker, &plan));
    let dataplane = Dataplane {
        clock: plan.clock,
        seed: options.seed,
        workers: workers.collect::<Result<_, _>>()?,
        rebalancing: Mutex::new(Rebalancing::new(cores, spare)),
        locations,
        control: Mutex::new(control),
        peers,
        capture_backlog: options.capture_backlog,
        scheduling: plan.scheduling,
        probe: WakeupProbe::start(plan.clock)?,
        alive: Arc::new(()),
    };
    dataplane.note_places();
    Ok(dataplane)
}

/// A link with an end on another machine.
struct LeadsAway {
    link: LinkId,
    peer: PeerId,
    /// The end there.
    end: usize,
    /// Whether a segment is at the end here.
    to_segment: bool,
}

impl LeadsAway {
    fn of(link: &LinkWiring) -> Option<Self> {
        let end = link.ends.iter().position(|end| matches!(end, End::Away { .. }))?;
        let to_segment = is_segment(&link.ends[1 - end]);
        Some(Self { link: link.id, peer: link.peer?, end, to_segment })
    }
}

/// Gives each worker that has such links its socket.
fn tunnel(
    tunnels: &Tunnels,
    drafts: &mut [Draft],
    away: &[Option<LeadsAway>],
    locations: &BTreeMap<LinkId, Location>,
    plan: &Plan,
) -> Result<PeerControl, DataplaneError> {
    let tunnels = Arc::new(tunnels.clone());
    let board = Arc::new(Board::new(tunnels.peers.len()));
    let timekeeper = Timekeeper::start(&tunnels, Arc::clone(&board), plan.scheduling)?;
    let tell_every = plan.clock.dilation().to_experiment(TELL);
    let (mut sockets, mut doors) = (BTreeMap::new(), Vec::new());
    let mut links = BTreeMap::new();
    for LeadsAway { link, peer, end, to_segment } in away.iter().flatten() {
        let worker = locations[link].worker;
        let Draft { shard, waiter } = &mut drafts[worker.index()];
        let socket = match sockets.get(&worker) {
            Some(socket) => *socket,
            None => {
                let streams = Streams::open(Arc::clone(&tunnels), Arc::clone(&board), tell_every)?;
                let socket = streams.address();
                shard.open_streams(streams, waiter)?;
                sockets.insert(worker, socket);
                socket
            }
        };
        let place = tunnels.peers.iter().position(|one| one == peer);
        shard.lead_to(place.ok_or(DataplaneError::UnknownPeer(*peer))?, *link, *end, *to_segment);
        doors.push((*link, socket));
        links.insert(*link, *peer);
    }
    doors.sort_unstable_by_key(|(link, _)| *link);
    let doors = Doors { clock: timekeeper.address(), links: doors };
    Ok(PeerControl { tunnels, timekeeper, doors, links })
}

impl Parts {
    /// A link that is new.
    pub(crate) fn of(link: LinkWiring, seed: u64, clock: Clock) -> Self {
        let LinkWiring { name, ends, pipes, mtus, .. } = link;
        let [forward, reverse] = pipes;
        let pipe = |config, direction| {
            Pipe::new(config, Stream::of_pipe(seed, &name, direction), clock.now())
        };
        let mut pipes = [pipe(forward, Direction::Forward), pipe(reverse, Direction::Reverse)];
        let are_segments = ends.each_ref().map(is_segment);
        for (pipe, mtu) in pipes.iter_mut().zip(receiver_mtus(are_segments, mtus)) {
            pipe.set_receiver_mtu(mtu);
        }
        Self { ends, pipes, taps: Default::default(), parted: None }
    }
}

impl Draft {
    fn new(plan: &Plan) -> Result<Self, DataplaneError> {
        let waiter = Waiter::new(plan.clock.dilation())
            .map_err(DataplaneError::system("create an event queue"))?;
        Ok(Self { shard: Shard::new(plan.clock, plan.frame_memory), waiter })
    }

    /// Adds a link.
    fn add(&mut self, id: LinkId, name: &str, parts: Parts) -> Result<(), DataplaneError> {
        let joined = self.shard.join(id, parts, &self.waiter);
        joined.map_err(|refused| DataplaneError::Watch {
            link: name.into(),
            end: refused.end,
            source: refused.source,
        })
    }

    /// Starts it as this worker.
    fn start(self, id: WorkerId, plan: &Plan) -> Result<WorkerHandle, DataplaneError> {
        let (sender, commands) = channel();
        let waker = self.waiter.waker();
        let stats = Arc::<WorkerStats>::default();
        let seen = Arc::clone(&stats);
        let place = WorkerPlace {
            scheduling: plan.scheduling,
            dedicated_cpu: plan.dedicated_cpus.iter().cycle().nth(id.index()).copied(),
        };
        let mut worker = Worker::new(self.shard, self.waiter, commands, plan.clock, seen, place);
        worker.beat(plan.heartbeat.clone().map(|heartbeat| (heartbeat, id)));
        let thread = thread::Builder::new()
            .name(format!("netloom-data-{}", id.0))
            .spawn(move || worker.run())
            .map_err(DataplaneError::system("start a worker"))?;
        Ok(WorkerHandle { commands: sender, waker, stats, thread: Some(thread) })
    }
}
