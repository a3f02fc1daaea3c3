//! The encoding of the samples that results are made from.

use netloom_fabric::{LinkId, PipeId, SegmentId};
use netloom_link::{
    AqmState, BackgroundStatistics, CaptureDirection, CaptureNote, CapturedFrame, Count,
    DelayStatistics, Delays, Direction, DropReason, DropStatistics, FrameEvent, Histogram,
    IpPrefix, Occurrence, PipeStatistics, QueueStatistics,
};
use netloom_medium::{
    AssociationChange, AssociationEvent, FrameLoss, Losses, NeighbourChange, NeighbourView, Point,
    StationCounters, StationId,
};
use netloom_units::{Duration, Rate, Time};

use super::{Binary, DecodeError, Input, fields, places};
use crate::cell::Work;
use crate::flow::FlowTotals;
use crate::hosts::NodeCounts;
use crate::network::{Route, RouteChanged, RouteError};
use crate::plant::{MediumSample, StationSample};
use crate::simulation::{FlowSample, PipeSample, Standing, TcpTotals};

fields! {
    PipeSample { statistics, log, captured, routes, associations, media }
    AssociationEvent { at, station, what }
    MediumSample { medium, stations, changes, air }
    StationSample { station, on, position, queued, window, counters, reached }
    NeighbourView { station, distance, power, snr, decodes, rate, delivery, hidden }
    NeighbourChange { at, pair, up }
    Point { x, y, z }
    FlowSample { ends, tcp, delivered }
    Standing { done_at, work, nodes, not_begun }
    Work { events, packet_hops }
    Count { frames, bytes }
    Route { to, via, interface, metric }
    RouteChanged { was, is }
    StationCounters {
        offered,
        sent,
        failed,
        received,
        drops,
        missed,
        attempts,
        retries,
        requests,
        collisions,
        airtime,
        airtime_by_kind,
        busy,
        access_delay,
    }
    FrameEvent { number, at, frames, bytes, what }
    CapturedFrame { time, direction, note, bytes, original_length }
    DelayStatistics { min_ns, mean_ns, max_ns, p50_ns, p99_ns, p999_ns }
    DropStatistics { down, mtu, queue_full, aqm, loss, bit_error, policed, receiver_mtu }
    QueueStatistics { now, maximum, mean_frames, seen_mean_frames, fill }
    AqmState { probability, coupled, average, count }
    BackgroundStatistics { offered, delivered, dropped, marked, queued, on_line }
    NodeCounts { time_exceeded, unreachable, too_big, not_forwarded, no_port, damaged, no_link }
    FlowTotals {
        sent,
        refused,
        received,
        duplicated,
        reordered,
        errors,
        delay,
        begun,
        completions,
        jitter_ns,
    }
    TcpTotals {
        flow,
        node,
        connections,
        cwnd,
        ssthresh,
        in_flight,
        srtt,
        rttvar,
        rto,
        min_rtt,
        delivery_rate,
        bytes_acked,
        retransmitted,
        lost,
        delivered_ce,
    }
    PipeStatistics {
        since,
        at,
        offered,
        frame_bytes_mean,
        delivered,
        lost_unmodelled,
        duplicated,
        corrupted,
        marked,
        dropped,
        lost_percent,
        queue,
        in_flight,
        delay,
        busy_ns,
        load,
        background,
        aqm,
    }
}

places! {
    DropReason, "reason of a drop": DropReason::ALL;
    CaptureDirection, "direction": [CaptureDirection::Inbound, CaptureDirection::Outbound];
    RouteError, "reason why a route cannot be changed": RouteError::ALL;
}

impl Binary for SegmentId {
    fn encode(&self, out: &mut Vec<u8>) {
        self.0.encode(out);
    }

    fn decode(input: &mut Input<'_>) -> Result<Self, DecodeError> {
        u32::decode(input).map(Self)
    }
}

impl Binary for StationId {
    fn encode(&self, out: &mut Vec<u8>) {
        self.0.encode(out);
    }

    fn decode(input: &mut Input<'_>) -> Result<Self, DecodeError> {
        u32::decode(input).map(Self)
    }
}

impl Binary for Rate {
    fn encode(&self, out: &mut Vec<u8>) {
        self.bits_per_second().encode(out);
    }

    fn decode(input: &mut Input<'_>) -> Result<Self, DecodeError> {
        let rate = Self::from_bits_per_second(u64::decode(input)?);
        rate.ok_or(DecodeError::Value("rate"))
    }
}

impl<const N: usize> Binary for [u64; N] {
    fn encode(&self, out: &mut Vec<u8>) {
        self.iter().for_each(|number| number.encode(out));
    }

    fn decode(input: &mut Input<'_>) -> Result<Self, DecodeError> {
        let mut numbers = [0; N];
        for number in &mut numbers {
            *number = u64::decode(input)?;
        }
        Ok(numbers)
    }
}

impl Binary for Losses {
    fn encode(&self, out: &mut Vec<u8>) {
        FrameLoss::ALL.map(|reason| self.of(reason)).to_vec().encode(out);
    }

    fn decode(input: &mut Input<'_>) -> Result<Self, DecodeError> {
        let counts = Vec::<Count>::decode(input)?;
        let counts = counts.try_into().map_err(|_| DecodeError::Value("losses"))?;
        Ok(Self::from_counts(counts))
    }
}

impl Binary for Histogram {
    fn encode(&self, out: &mut Vec<u8>) {
        self.buckets().collect::<Vec<_>>().encode(out);
    }

    fn decode(input: &mut Input<'_>) -> Result<Self, DecodeError> {
        let mut histogram = Self::default();
        let mut last = None;
        for (bucket, times) in Vec::<(u16, u64)>::decode(input)? {
            // Each bucket once, in order.
            if last.replace(bucket).is_some_and(|last| last >= bucket)
                || !histogram.record_in(bucket, times)
            {
                return Err(DecodeError::Value("histogram"));
            }
        }
        Ok(histogram)
    }
}

impl Binary for AssociationChange {
    fn encode(&self, out: &mut Vec<u8>) {
        let (from, to, since) = match *self {
            Self::Associated { to, since } => (None, Some(to), since),
            Self::HandedOver { from, to, since } => (Some(from), Some(to), since),
            Self::Left { from } => (Some(from), None, Time::ZERO),
        };
        (from, (to, since)).encode(out);
    }

    fn decode(input: &mut Input<'_>) -> Result<Self, DecodeError> {
        Ok(match <(Option<StationId>, (Option<StationId>, Time))>::decode(input)? {
            (None, (Some(to), since)) => Self::Associated { to, since },
            (Some(from), (Some(to), since)) => Self::HandedOver { from, to, since },
            (Some(from), (None, _)) => Self::Left { from },
            (None, (None, _)) => return Err(DecodeError::Value("association")),
        })
    }
}

impl Binary for PipeId {
    fn encode(&self, out: &mut Vec<u8>) {
        (self.index() as u64).encode(out);
    }

    fn decode(input: &mut Input<'_>) -> Result<Self, DecodeError> {
        let number = u64::decode(input)?;
        let link = u32::try_from(number / 2).map_err(|_| DecodeError::Value("pipe"))?;
        Ok(Self { link: LinkId(link), direction: Direction::from_end((number % 2) as usize) })
    }
}

impl Binary for Delays {
    fn encode(&self, out: &mut Vec<u8>) {
        self.extremes().encode(out);
        self.sum_ns().encode(out);
        self.distribution().buckets().collect::<Vec<_>>().encode(out);
    }

    fn decode(input: &mut Input<'_>) -> Result<Self, DecodeError> {
        let extremes: Option<(Duration, Duration)> = Binary::decode(input)?;
        let sum_ns = u128::decode(input)?;
        let buckets = Vec::<(u16, u64)>::decode(input)?;
        let mut distribution = Histogram::default();
        let all: Option<u64> = buckets.iter().try_fold(0, |all: u64, one| all.checked_add(one.1));
        let is_whole = all.is_some_and(|all| (all > 0) == extremes.is_some())
            && buckets.iter().all(|(bucket, times)| distribution.record_in(*bucket, *times));
        match is_whole {
            true => Ok(Self::from_parts(extremes, sum_ns, distribution)),
            false => Err(DecodeError::Value("distribution of delays")),
        }
    }
}

impl Binary for IpPrefix {
    fn encode(&self, out: &mut Vec<u8>) {
        self.address().encode(out);
        out.push(self.length());
    }

    fn decode(input: &mut Input<'_>) -> Result<Self, DecodeError> {
        let (address, length) = Binary::decode(input)?;
        Self::new(address, length).ok_or(DecodeError::Value("length of a prefix"))
    }
}

impl Binary for CaptureNote {
    fn encode(&self, out: &mut Vec<u8>) {
        match self {
            Self::None => out.push(0),
            Self::Marked => out.push(1),
            Self::Dropped(reason) => {
                out.push(2);
                reason.encode(out);
            }
        }
    }

    fn decode(input: &mut Input<'_>) -> Result<Self, DecodeError> {
        Ok(match u8::decode(input)? {
            0 => Self::None,
            1 => Self::Marked,
            2 => Self::Dropped(Binary::decode(input)?),
            _ => return Err(DecodeError::Value("note of a capture")),
        })
    }
}

impl Binary for Occurrence {
    fn encode(&self, out: &mut Vec<u8>) {
        match self {
            Self::Offered => out.push(0),
            Self::Rejected { reason } => {
                out.push(1);
                reason.encode(out);
            }
            Self::Delivered { offered, started, serialized } => {
                out.push(2);
                [offered, started, serialized].iter().for_each(|time| time.encode(out));
            }
            Self::Dropped { reason, offered, started, serialized } => {
                out.push(3);
                reason.encode(out);
                offered.encode(out);
                [started, serialized].iter().for_each(|time| time.encode(out));
            }
            Self::Marked => out.push(4),
            Self::Corrupted => out.push(5),
            Self::Duplicated => out.push(6),
            Self::HandedOver => out.push(7),
            Self::Refused => out.push(8),
        }
    }

    fn decode(input: &mut Input<'_>) -> Result<Self, DecodeError> {
        Ok(match u8::decode(input)? {
            0 => Self::Offered,
            1 => Self::Rejected { reason: Binary::decode(input)? },
            2 => Self::Delivered {
                offered: Binary::decode(input)?,
                started: Binary::decode(input)?,
                serialized: Binary::decode(input)?,
            },
            3 => Self::Dropped {
                reason: Binary::decode(input)?,
                offered: Binary::decode(input)?,
                started: Binary::decode(input)?,
                serialized: Binary::decode(input)?,
            },
            4 => Self::Marked,
            5 => Self::Corrupted,
            6 => Self::Duplicated,
            7 => Self::HandedOver,
            8 => Self::Refused,
            _ => return Err(DecodeError::Value("event of a frame")),
        })
    }
}
