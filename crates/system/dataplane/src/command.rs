//! The commands of the owner of a data plane to a worker, and the worker's answers.

use std::io;
use std::sync::Arc;
use std::sync::mpsc::Sender;

use netloom_fabric::{
    AirLogPart, LinkId, MediaNews, MediumView, Neighbourhood, PipeId, SegmentEnd, SegmentId,
};
use netloom_link::{PipeChange, PipeConfig, PipeStatistics, Window};
use netloom_medium::{AssociationEvent, MediumChange, RadioError, StationId};
use netloom_units::Time;

use crate::balance::Load;
use crate::capture::CaptureSink;
use crate::frame_log::LogSink;
use crate::gate::Ticket;
use crate::shard::Parts;
use crate::timing::Counters;
use crate::watch::{Limits, WorkerEnd};

/// A command of the owner to a worker.
pub(crate) enum Command {
    /// Apply the changes at the time that the ticket's gate gives.
    Change { changes: Vec<(PipeId, PipeChange)>, ticket: Ticket, done: Sender<Time> },
    /// Change a shared medium now. The answer is the time of the change.
    ChangeMedium {
        medium: SegmentId,
        change: Arc<MediumChange>,
        done: Sender<Result<Time, RadioError>>,
    },
    /// The interface at end `end` of a link is up or down now, and these MTUs limit the frames of
    /// its pipes.
    SetEnd { link: LinkId, end: usize, up: bool, receivers: [Option<u32>; 2], done: Sender<()> },
    /// Report on shared media.
    Media { reply: Sender<Vec<MediumView>> },
    /// Report which stations a station on a shared medium reaches, with those hidden from them if
    /// `with_hidden`.
    Neighbours {
        of: (SegmentId, StationId),
        with_hidden: bool,
        reply: Sender<Option<Neighbourhood>>,
    },
    /// Report pairs that have appeared or disappeared on media with at most `most` stations, and
    /// the positions of stations if `with_places`.
    MediaNews { most: usize, with_places: bool, reply: Sender<MediaNews> },
    /// Hand over new entries of air logs.
    AirLogs { reply: Sender<Vec<AirLogPart>> },
    /// Report stations that have joined or left access points since the last query.
    Associations { reply: Sender<Vec<(SegmentId, AssociationEvent)>> },
    /// Start everything that changes by itself with time anew at `at`.
    Begin { at: Time, done: Sender<()> },
    /// Report on every pipe, since its start or over the window.
    Pipes { window: Option<Window>, reply: Sender<Vec<PipeStatus>> },
    /// Report on the ports of switches.
    SegmentEnds { reply: Sender<Vec<SegmentEnd>> },
    /// Report timing and lost frames.
    Timing { reply: Sender<Counters> },
    /// Show the frames that enter `entry` and those that leave `exit`.
    Capture { entry: PipeId, exit: PipeId, sink: CaptureSink, done: Sender<()> },
    /// Show all frames on a shared medium.
    CaptureMedium { medium: SegmentId, sink: CaptureSink, done: Sender<()> },
    /// Log the events in these pipes, each under its number. The answer is `false` if there is a
    /// log already.
    Log { pipes: Vec<(PipeId, u32)>, sink: LogSink, done: Sender<bool> },
    /// End the log.
    EndLog { done: Sender<()> },
    /// Report to a monitor from now on.
    Watch { limits: Limits, reply: Sender<WorkerEnd> },
    /// Join links. On an error, returns all of them, with the one that could not be joined and why.
    Join { links: Vec<(LinkId, Parts)>, reply: Sender<Result<(), Unjoined>> },
    /// Report the load of links since the last query.
    Load { reply: Sender<Load> },
    /// Remove links, with the frames in them or without.
    Part { links: Vec<LinkId>, with_frames: bool, reply: Sender<Vec<(LinkId, Parts)>> },
    /// End the worker.
    Stop,
}

/// Links that a worker did not join, with the one that failed, at which end, and why.
pub(crate) struct Unjoined {
    pub links: Vec<(LinkId, Parts)>,
    pub failed: LinkId,
    pub end: usize,
    pub source: io::Error,
}

/// One pipe: its configuration and its statistics.
#[derive(Debug, Clone, PartialEq)]
pub struct PipeStatus {
    /// Identity of the pipe.
    pub id: PipeId,
    /// Configuration that it runs on.
    pub config: PipeConfig,
    /// Statistics of the pipe.
    pub statistics: PipeStatistics,
}
