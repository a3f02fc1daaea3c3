//! The user's side of a command's streams, each on a thread or task of its own, so that an output
//! without a reader, or an input without a writer, blocks nothing else.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::thread;

use netloom_api::exec::{ExecOutput, STDERR};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use tokio::io::AsyncReadExt;
use tokio::sync::mpsc::{self, Receiver, Sender, UnboundedSender};
use tokio::sync::oneshot;
use tokio_tungstenite::tungstenite::Bytes;
use tokio_tungstenite::tungstenite::Message;

/// Most frames of output that wait to be written.
const WAITING: usize = 16;

/// An output that accepts nothing any more, with the reason. There is none if its reader is gone.
pub type Closed = (ExecOutput, Option<io::Error>);

/// The sender of frames of a command's output, and the receiver that completes once all are
/// written.
pub struct Outputs {
    pub frames: Sender<Bytes>,
    pub written: oneshot::Receiver<()>,
}

impl Outputs {
    /// Starts to write frames to the outputs of this process. Outputs that are closed are reported
    /// to `closed`.
    pub fn start(closed: UnboundedSender<Closed>) -> io::Result<Self> {
        let stdout = File::from(io::stdout().as_fd().try_clone_to_owned()?);
        let stderr = File::from(io::stderr().as_fd().try_clone_to_owned()?);
        let (frames, arriving) = mpsc::channel(WAITING);
        let (done, written) = oneshot::channel();
        let closed_on_write = closed.clone();
        thread::spawn(move || {
            write_all([stdout, stderr], arriving, &closed_on_write);
            // There need not be a receiver.
            let _ = done.send(());
        });
        thread::spawn(move || watch_readers(&closed));
        Ok(Self { frames, written })
    }
}

fn write_all(outputs: [File; 2], mut arriving: Receiver<Bytes>, closed: &UnboundedSender<Closed>) {
    let mut outputs = outputs.map(Some);
    while let Some(frame) = arriving.blocking_recv() {
        let Some((tag, bytes)) = frame.split_first() else { continue };
        let (which, output) = match *tag {
            STDERR => (ExecOutput::Stderr, 1),
            _ => (ExecOutput::Stdout, 0),
        };
        let Some(file) = &mut outputs[output] else { continue };
        if let Err(error) = file.write_all(bytes) {
            outputs[output] = None;
            let why = (error.kind() != io::ErrorKind::BrokenPipe).then_some(error);
            // There is no receiver at the end of the command.
            let _ = closed.send((which, why));
        }
    }
}

/// Detects at once when the reader of an output goes, as the kernel does for a command of its own.
fn watch_readers(closed: &UnboundedSender<Closed>) {
    let (stdout, stderr) = (io::stdout(), io::stderr());
    let mut watched: Vec<(ExecOutput, BorrowedFd<'_>)> =
        vec![(ExecOutput::Stdout, stdout.as_fd()), (ExecOutput::Stderr, stderr.as_fd())];
    while !watched.is_empty() {
        let polled = watched.iter().map(|(_, fd)| PollFd::new(*fd, PollFlags::empty()));
        let mut polled: Vec<PollFd<'_>> = polled.collect();
        match poll(&mut polled, PollTimeout::NONE) {
            Ok(_) => {}
            Err(nix::errno::Errno::EINTR) => continue,
            // Writing detects it, too.
            Err(_) => return,
        }
        let mut gone =
            polled.iter().map(|fd| fd.any() == Some(true)).collect::<Vec<_>>().into_iter();
        watched.retain(|(output, _)| {
            let gone = gone.next() == Some(true);
            !(gone && closed.send((*output, None)).is_ok())
        });
        if closed.is_closed() {
            return;
        }
    }
}

/// Passes standard input on until its end, which is sent as an empty message.
pub async fn read_input(outgoing: Sender<Message>) {
    let mut stdin = tokio::io::stdin();
    let mut buffer = vec![0; 16 * 1024];
    loop {
        // An input that cannot be read is at its end.
        let count = stdin.read(&mut buffer).await.unwrap_or(0);
        if outgoing.send(Message::binary(buffer[..count].to_vec())).await.is_err() || count == 0 {
            return;
        }
    }
}
