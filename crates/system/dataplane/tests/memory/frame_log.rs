//! The frame log of a running data plane: it contains the events of every frame, and reports those
//! that are missing.

use std::io::{self, Write};
use std::sync::mpsc::{Receiver, Sender, channel};

use crate::common::*;
use netloom_dataplane::{Dataplane, DataplaneError};
use netloom_fabric::LinkId;
use netloom_link::{FrameEvent, LogDecoder, LogEntry, LogHeader, Occurrence};
use netloom_units::Time;

/// Passes written bytes to the test, as soon as the test permits it.
struct Out {
    bytes: Sender<Vec<u8>>,
    /// Closed when writing may continue.
    gate: Option<Receiver<()>>,
}

impl Write for Out {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let Some(gate) = self.gate.take() {
            let _ = gate.recv();
        }
        self.bytes.send(bytes.to_vec()).map_err(io::Error::other)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn header(links: usize) -> LogHeader {
    LogHeader { zero_unix_ns: 0, pipes: (0..2 * links).map(|pipe| pipe.to_string()).collect() }
}

fn read(bytes: &Receiver<Vec<u8>>) -> Vec<LogEntry> {
    let mut decoder = LogDecoder::new();
    let mut entries = Vec::new();
    for piece in bytes.iter() {
        decoder.feed(&piece);
        while let Some(entry) = decoder.next_entry().unwrap() {
            entries.push(entry);
        }
    }
    decoder.finish().unwrap();
    entries
}

fn of_pipe(entries: &[LogEntry], wanted: u32) -> Vec<FrameEvent> {
    let event = |entry: &LogEntry| match entry {
        LogEntry::Frame(pipe, event) if *pipe == wanted => Some(*event),
        _ => None,
    };
    entries.iter().filter_map(event).collect()
}

#[test]
fn the_log_agrees_with_the_counters_of_the_pipe() {
    // A frame takes at least 0.13 ms, so 300 frames overrun the queue unless their sender is held
    // up at each. Of the 21 or more that pass, all escape the loss with a probability below 2⁻²⁰,
    // if the draws had no seed.
    let (dataplane, left, right) =
        one_link(r#"{"rate":"5Mbit/s","delay":"2ms","loss":"50%","queue":{"limit":"20packets"}}"#);
    let (bytes, written) = channel();
    let log =
        dataplane.log_frames(&[(LinkId(0), 0)], &header(1), Out { bytes, gate: None }).unwrap();
    assert!((0..300).all(|n| left.send(&frame(2, 1, 60 + n))));
    eventually("every frame has met its fate", || {
        let seen = statistics(&dataplane, forward(0));
        seen.offered.frames == 300 && seen.delivered.frames + seen.dropped.total().frames == 300
    });
    let summary = dataplane.end_frame_log(log).unwrap();
    let entries = read(&written);
    assert_eq!((summary.lost, summary.entries as usize), (0, entries.len()));
    assert!(summary.failure.is_none());

    let events = of_pipe(&entries, 0);
    let seen = statistics(&dataplane, forward(0));
    let count = |wanted: &str| {
        let events = events.iter().filter(|event| event.what.name() == wanted);
        events.fold((0, 0), |sum, event| (sum.0 + u64::from(event.frames), sum.1 + event.bytes))
    };
    assert_eq!(count("offered"), (seen.offered.frames, seen.offered.bytes));
    assert_eq!(count("delivered"), (seen.delivered.frames, seen.delivered.bytes));
    assert_eq!(count("rejected").0, seen.dropped.queue_full.frames);
    assert_eq!(count("dropped").0, seen.dropped.loss.frames);
    assert_eq!(count("handed_over"), count("delivered"));
    assert_eq!(std::iter::from_fn(|| right.receive(NOTHING)).count() as u64, seen.delivered.frames);
    assert!(seen.dropped.queue_full.frames > 0 && seen.dropped.loss.frames > 0);

    let mut released: Option<(u64, Time)> = None;
    for event in events {
        match event.what {
            Occurrence::Delivered { .. } => released = Some((event.number, event.at)),
            Occurrence::HandedOver => {
                let (number, at) = released.take().expect("delivered before it is handed over");
                assert!(number == event.number && event.at >= at);
            }
            _ => {}
        }
    }
}

#[test]
fn only_the_links_asked_for_are_logged() {
    let ((a, left), (b, right)) = (device(), device());
    let ((c, other_left), (d, other_right)) = (device(), device());
    let links = vec![link("l", [a, b], "{}"), link("m", [c, d], "{}")];
    let dataplane = Dataplane::start(wiring(links), options()).unwrap();
    let (bytes, written) = channel();
    let log =
        dataplane.log_frames(&[(LinkId(1), 1)], &header(2), Out { bytes, gate: None }).unwrap();
    assert!(left.send(&frame(2, 1, 60)) && other_right.send(&frame(2, 1, 70)));
    assert!(right.receive(PATIENCE).is_some() && other_left.receive(PATIENCE).is_some());
    dataplane.end_frame_log(log).unwrap();
    // After the end nothing is logged, and another log can begin.
    assert!(other_right.send(&frame(2, 1, 80)) && other_left.receive(PATIENCE).is_some());
    let entries = read(&written);
    let pipes = [0, 1, 2, 3].map(|pipe| of_pipe(&entries, pipe).len());
    assert_eq!(pipes, [0, 0, 0, 3], "{entries:?}");
    assert!(dataplane.log_frames(&[(LinkId(0), 0)], &header(2), io::sink()).is_ok());
}

#[test]
fn entries_that_cannot_be_written_in_time_are_counted_as_lost() {
    let (dataplane, left, right) = one_link("{}");
    let (bytes, written) = channel();
    let (hold, gate) = channel::<()>();
    let log = dataplane
        .log_frames(&[(LinkId(0), 0)], &header(1), Out { bytes, gate: Some(gate) })
        .unwrap();
    // Three entries for each frame, which exceed the ring of the only worker.
    let frames = 60_000;
    for _ in 0..frames / 100 {
        assert!((0..100).all(|_| left.send(&frame(2, 1, 60))));
        assert!((0..100).all(|_| right.receive(PATIENCE).is_some()));
    }
    drop(hold);
    let summary = dataplane.end_frame_log(log).unwrap();
    let entries = read(&written);
    let lost = entries.iter().map(|entry| match entry {
        LogEntry::Lost(entries) => *entries,
        LogEntry::Frame(..) => 0,
    });
    assert!(summary.lost > 0);
    assert_eq!(lost.sum::<u64>(), summary.lost);
    assert_eq!(summary.entries + summary.lost, 3 * frames);
}

#[test]
fn what_is_wrong_is_said() {
    let (dataplane, left, right) = one_link("{}");
    let unnamed = dataplane.log_frames(&[(LinkId(0), 0)], &header(0), io::sink()).unwrap_err();
    assert!(matches!(unnamed, DataplaneError::UnknownPipe(_)), "{unnamed}");
    let unknown = dataplane.log_frames(&[(LinkId(1), 1)], &header(2), io::sink()).unwrap_err();
    assert!(matches!(unknown, DataplaneError::UnknownPipe(_)), "{unknown}");
    let (bytes, written) = channel();
    let first =
        dataplane.log_frames(&[(LinkId(0), 0)], &header(1), Out { bytes, gate: None }).unwrap();
    let second = dataplane.log_frames(&[(LinkId(0), 0)], &header(1), io::sink()).unwrap_err();
    assert!(matches!(second, DataplaneError::LoggedAlready), "{second}");
    // The first log continues.
    assert!(left.send(&frame(2, 1, 60)) && right.receive(PATIENCE).is_some());
    assert_eq!(dataplane.end_frame_log(first).unwrap().entries, 3);
    assert_eq!(read(&written).len(), 3);
    // A full disk ends the log, not the network.
    struct Full;
    impl Write for Full {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::StorageFull.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let log = dataplane.log_frames(&[(LinkId(0), 0)], &header(1), Full).unwrap();
    assert!(left.send(&frame(2, 1, 60)) && right.receive(PATIENCE).is_some());
    let failure = dataplane.end_frame_log(log).unwrap().failure.expect("nothing can be written");
    assert_eq!(failure.kind(), io::ErrorKind::StorageFull);
}

#[test]
fn times_in_a_log_count_from_the_beginning_of_the_run() {
    // A frame of 1,000 bytes takes 8 ms, so that the run begins while one is on the line.
    let (dataplane, left, right) = one_link(r#"{"rate":"1Mbit/s"}"#);
    let (bytes, written) = channel();
    assert!((0..20).all(|_| left.send(&frame(2, 1, 1000))));
    assert!(right.receive(PATIENCE).is_some());
    let zero = dataplane.now();
    dataplane.begin(zero).unwrap();
    let log =
        dataplane.log_frames(&[(LinkId(0), 0)], &header(1), Out { bytes, gate: None }).unwrap();
    assert!((1..20).all(|_| right.receive(PATIENCE).is_some()));
    let ended = dataplane.now().counted_from(zero);
    dataplane.end_frame_log(log).unwrap();
    let entries = read(&written);
    let delivered = of_pipe(&entries, 0).into_iter().filter_map(|event| match event.what {
        Occurrence::Delivered { offered, .. } => Some((offered, event.at)),
        _ => None,
    });
    let delivered: Vec<(Time, Time)> = delivered.collect();
    assert!(delivered.iter().all(|(offered, at)| *offered < Time::ZERO && *at <= ended));
    assert!(delivered.iter().any(|(_, at)| *at > Time::ZERO), "{delivered:?}");
}
