//! Captured frames, as pcapng, for a reader who takes them while they come.

use std::fs::File;
use std::io::{self, Write};
use std::sync::mpsc::RecvTimeoutError;
use std::thread;
use std::time::Duration;

use futures_util::Stream;
use netloom_dataplane::Capture;
use netloom_results::CaptureWriter;
use tokio::sync::mpsc;

/// Longest wait for a frame before checking whether anybody still reads.
const LOOK: Duration = Duration::from_millis(50);

/// The destination of a capture, which takes whole blocks.
pub trait Sink {
    /// Writes some bytes.
    ///
    /// # Errors
    /// The destination takes no more.
    fn put(&mut self, bytes: Vec<u8>) -> io::Result<()>;
    /// Whether the reader is gone.
    fn closed(&self) -> bool;
}

impl Sink for File {
    fn put(&mut self, bytes: Vec<u8>) -> io::Result<()> {
        self.write_all(&bytes)
    }

    fn closed(&self) -> bool {
        false
    }
}

/// Writes frames until the capture ends or the sink is closed. Closes with a statistics block that
/// says how many frames the reader was too slow for.
///
/// # Errors
/// The sink takes no more.
pub fn write_capture(
    mut capture: Capture,
    mut writer: CaptureWriter,
    sink: &mut dyn Sink,
) -> io::Result<()> {
    loop {
        sink.put(writer.take())?;
        match capture.recv_timeout(LOOK) {
            Ok(frame) => writer.add(&frame)?,
            Err(RecvTimeoutError::Timeout) if sink.closed() => return Ok(()),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    sink.put(writer.finish(capture.missed())?)
}

/// Streams a capture until it ends or the stream is dropped, and holds `place` until then. It is
/// written in a thread of its own: those that answer requests are few.
///
/// # Errors
/// No thread can be started.
pub fn stream(
    capture: Capture,
    writer: CaptureWriter,
    place: impl Send + 'static,
) -> io::Result<impl Stream<Item = io::Result<Vec<u8>>> + Send + 'static> {
    let (sender, receiver) = mpsc::channel(16);
    let thread = thread::Builder::new().name("capture".into());
    thread.spawn(move || {
        let _place = place;
        // Ends with an error when the reader is gone: this is how captures end.
        let _ = write_capture(capture, writer, &mut Channel(sender));
    })?;
    Ok(futures_util::stream::unfold(receiver, |mut receiver| async move {
        let bytes = receiver.recv().await?;
        Some((Ok(bytes), receiver))
    }))
}

/// Writes into a channel, and detects when the receiver is gone.
struct Channel(mpsc::Sender<Vec<u8>>);

impl Sink for Channel {
    fn put(&mut self, bytes: Vec<u8>) -> io::Result<()> {
        self.0.blocking_send(bytes).map_err(|_| io::ErrorKind::BrokenPipe.into())
    }

    fn closed(&self) -> bool {
        self.0.is_closed()
    }
}
