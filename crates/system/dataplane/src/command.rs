//! What the owner of a data plane asks of a worker, and what the worker answers.

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

/// What the owner asks of a worker.
pub(crate) enum Command {
    /// Apply the changes at the time the ticket's gate gives.
    Change { changes: Vec<(PipeId, PipeChange)>, ticket: Ticket, done: Sender<Time> },
    /// Change a shared medium now; when that was.
    ChangeMedium {
        medium: SegmentId,
        change: Arc<MediumChange>,
        done: Sender<Result<Time, RadioError>>,
    },
    /// Report on shared media.
    Media { reply: Sender<Vec<MediumView>> },
    /// Report who reaches whom on shared media, or whom one station reaches.
    Neighbours { of: Option<(SegmentId, StationId)>, reply: Sender<Vec<Neighbourhood>> },
    /// Report where stations are, and which pairs came or went on media with so many at most.
    MediaNews { most: usize, reply: Sender<MediaNews> },
    /// Hand over what air logs have got.
    AirLogs { reply: Sender<Vec<AirLogPart>> },
    /// Report who came to access points or left them since that was last asked.
    Associations { reply: Sender<Vec<(SegmentId, AssociationEvent)>> },
    /// What changes by itself with time begins anew at `at`.
    Begin { at: Time, done: Sender<()> },
    /// Report on every pipe, since it began or in the window.
    Pipes { window: Option<Window>, reply: Sender<Vec<PipeStatus>> },
    /// Report on the ports of switches.
    SegmentEnds { reply: Sender<Vec<SegmentEnd>> },
    /// Report on time kept and frames lost.
    Timing { reply: Sender<Counters> },
    /// Show what enters `entry` and what leaves `exit`.
    Capture { entry: PipeId, exit: PipeId, sink: CaptureSink, done: Sender<()> },
    /// Show all that is on a shared medium.
    CaptureMedium { medium: SegmentId, sink: CaptureSink, done: Sender<()> },
    /// Log what happens in these pipes, each under its number; `false` if there is a log already.
    Log { pipes: Vec<(PipeId, u32)>, sink: LogSink, done: Sender<bool> },
    /// Log no more.
    EndLog { done: Sender<()> },
    /// Tell a monitor from now on.
    Watch { limits: Limits, reply: Sender<WorkerEnd> },
    /// Join links; or all of them back, and which one could not be joined and why.
    Join { links: Vec<(LinkId, Parts)>, reply: Sender<Result<(), Unjoined>> },
    /// Report what links have given to do since that was last asked.
    Load { reply: Sender<Load> },
    /// Let links go, with the frames in them or without.
    Part { links: Vec<LinkId>, with_frames: bool, reply: Sender<Vec<(LinkId, Parts)>> },
    /// End.
    Stop,
}

/// Links that a worker did not join; which of them failed, at which end, and why.
pub(crate) struct Unjoined {
    pub links: Vec<(LinkId, Parts)>,
    pub failed: LinkId,
    pub end: usize,
    pub source: io::Error,
}

/// One pipe: its configuration and what it has counted.
#[derive(Debug, Clone, PartialEq)]
pub struct PipeStatus {
    /// Which pipe.
    pub id: PipeId,
    /// What it runs on.
    pub config: PipeConfig,
    /// What it has counted.
    pub statistics: PipeStatistics,
}
