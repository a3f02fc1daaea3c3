//! Relays between the user and a command in a node: input, output, signals, window sizes.

use std::time::Duration;

use anyhow::{Context, Result};
use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt, StreamExt};
use netloom_api::ApiError;
use netloom_api::exec::{ExecControl, ExecNotice, ExecOutput};
use tokio::net::UnixStream;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc::{self, Receiver, UnboundedReceiver, UnboundedSender};
use tokio::time::{Instant, sleep_until};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::{Bytes, Message};

use super::streams::{Closed, Outputs, read_input};
use crate::client::Client;
use crate::exit::{self, WithCode};
use crate::terminal::{self, Raw};

/// Longest time for an engine to confirm a signal once the user has sent a second one.
pub const PATIENCE: Duration = Duration::from_millis(500);

type Socket = WebSocketStream<UnixStream>;

/// The relay for a command that runs, or is about to start.
pub struct Relay<'a> {
    client: &'a Client,
    stream: SplitStream<Socket>,
    control: UnboundedSender<Message>,
    signals: UnboundedReceiver<SignalKind>,
    closures: UnboundedReceiver<Closed>,
    outputs: Outputs,
    /// A frame of output for which there is no room yet.
    waiting: Option<Bytes>,
    tty: bool,
    raw: Option<Raw>,
    state: State,
    /// Time at which the command is given up unless the engine confirms a signal.
    given_up: Option<Instant>,
    /// The reason why some of the output was lost.
    lost: Option<std::io::Error>,
}

/// The state of the command.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Waiting,
    Runs,
    /// It runs, and the engine has not yet confirmed the last signal for it.
    Signalled,
}

/// The next event.
enum Next {
    Signal(SignalKind),
    Closed(Closed),
    /// There is room for the waiting frame.
    Room,
    /// The engine has not confirmed a signal in time.
    Silence,
    FromEngine(Option<Message>),
}

impl<'a> Relay<'a> {
    /// Begins to relay between this process and `socket`, which carries a request.
    pub fn new(client: &'a Client, socket: Socket, tty: bool) -> Result<Self> {
        let (sink, stream) = socket.split();
        let (input, messages) = mpsc::channel(16);
        let (control, controls) = mpsc::unbounded_channel();
        let (noticed, closures) = mpsc::unbounded_channel();
        tokio::spawn(send_all(sink, controls, messages));
        tokio::spawn(read_input(input));
        Ok(Self {
            client,
            stream,
            control,
            signals: signals(tty)?,
            closures,
            outputs: Outputs::start(noticed).context("cannot use this program's outputs")?,
            waiting: None,
            tty,
            raw: None,
            state: State::Waiting,
            given_up: None,
            lost: None,
        })
    }

    /// Relays until the command has ended. Returns its exit code.
    pub async fn run(mut self) -> Result<i32> {
        loop {
            let code = match self.next().await {
                Next::Signal(kind) => self.signal(kind),
                Next::Closed(closed) => self.close(closed),
                Next::Room => None,
                Next::Silence => Some(given_up(self.client)),
                Next::FromEngine(Some(Message::Binary(frame))) => {
                    self.waiting = Some(frame);
                    None
                }
                Next::FromEngine(Some(Message::Text(text))) => {
                    self.notice(serde_json::from_str(&text)?)?
                }
                Next::FromEngine(Some(Message::Pong(_))) => {
                    self.state = State::Runs;
                    self.given_up = None;
                    None
                }
                Next::FromEngine(Some(_)) => None,
                Next::FromEngine(None) => anyhow::bail!(
                    "the experiment `{}` ended while the command ran",
                    self.client.experiment()
                ),
            };
            if let Some(code) = code {
                return self.end(code).await;
            }
        }
    }

    async fn next(&mut self) -> Next {
        let waiting = &mut self.waiting;
        let full = waiting.is_some();
        let frames = &self.outputs.frames;
        let given_up = self.given_up.unwrap_or_else(Instant::now);
        tokio::select! {
            Some(kind) = self.signals.recv() => Next::Signal(kind),
            Some(closed) = self.closures.recv() => Next::Closed(closed),
            room = frames.reserve(), if full => {
                if let (Ok(room), Some(frame)) = (room, waiting.take()) {
                    room.send(frame);
                }
                Next::Room
            }
            () = sleep_until(given_up), if self.given_up.is_some() => Next::Silence,
            message = self.stream.next(), if !full => {
                Next::FromEngine(message.and_then(Result::ok))
            }
        }
    }

    /// Handles a notice of the engine about the command. Returns its exit code once it has ended.
    fn notice(&mut self, notice: ExecNotice) -> Result<Option<i32>> {
        match notice {
            ExecNotice::Started { .. } => {
                self.state = State::Runs;
                if self.tty {
                    self.raw = Raw::enter().context("cannot set up the terminal")?;
                }
                Ok(None)
            }
            // These are notices of `exec.sock`.
            ExecNotice::Signalled { .. } | ExecNotice::OwnKernel {} => Ok(None),
            ExecNotice::Exited { code } => Ok(Some(code)),
            ExecNotice::Failed { error, code } => Err(own_failure(self.client, &error, code)),
        }
    }

    /// Passes a signal on. Returns the exit code if nobody is there to receive it.
    fn signal(&mut self, kind: SignalKind) -> Option<i32> {
        if kind == SignalKind::window_change() {
            self.send_control(&ExecControl::Resize(terminal::size()));
            return None;
        }
        if self.state == State::Waiting {
            eprintln!("ended before the command had started");
            return Some(128 + kind.as_raw_value());
        }
        self.send_control(&ExecControl::Signal(kind.as_raw_value()));
        // The same part of the engine reads signals and answers this, so the answer confirms the
        // signal.
        let _ = self.control.send(Message::Ping(Bytes::new()));
        if self.state == State::Signalled {
            self.given_up.get_or_insert(Instant::now() + PATIENCE);
        }
        self.state = State::Signalled;
        None
    }

    /// Closes an output of the command whose reader is gone. Returns the exit code if that ends it.
    fn close(&mut self, (output, why): Closed) -> Option<i32> {
        self.lost = self.lost.take().or(why);
        if self.tty && output == ExecOutput::Stdout {
            return Some(128 + nix::libc::SIGPIPE);
        }
        self.send_control(&ExecControl::Close(output));
        None
    }

    fn send_control(&self, control: &ExecControl) {
        // If the engine is gone, its stream ends next. Plain data always has a JSON form.
        let text = serde_json::to_string(control).unwrap_or_default();
        let _ = self.control.send(Message::text(text));
    }

    /// Writes the rest of the output. A signal ends that.
    async fn end(mut self, code: i32) -> Result<i32> {
        drop(self.raw);
        drop(self.outputs.frames);
        let written = tokio::select! {
            _ = self.outputs.written => true,
            Some(_) = self.signals.recv() => false,
        };
        while let Ok((_, why)) = self.closures.try_recv() {
            self.lost = self.lost.or(why);
        }
        match self.lost {
            Some(error) if written => {
                let message = format!("cannot write the command's output: {error}");
                Err(WithCode { code: exit::EXEC_FAILED, message }.into())
            }
            _ => Ok(code),
        }
    }
}

/// Returns the error for a command that could not be run.
pub fn own_failure(client: &Client, error: &ApiError, code: i32) -> anyhow::Error {
    let message = format!("experiment `{}`: {}", client.experiment(), error.error);
    WithCode { code, message }.into()
}

/// Ends without the engine. Returns the exit code. The engine ends a command whose client is gone.
pub fn given_up(client: &Client) -> i32 {
    eprintln!(
        "the engine of `{}` does not take signals; whether the command ends is not known",
        client.experiment()
    );
    exit::INTERRUPTED
}

/// Sends all messages to the engine; those that control the command go before its input.
async fn send_all(
    mut sink: SplitSink<Socket, Message>,
    mut controls: UnboundedReceiver<Message>,
    mut input: Receiver<Message>,
) {
    loop {
        let message = tokio::select! {
            biased;
            message = controls.recv() => message,
            Some(message) = input.recv() => Some(message),
        };
        // If the engine is gone, its stream ends.
        let Some(message) = message else { return };
        if sink.send(message).await.is_err() {
            return;
        }
    }
}

/// Watches signals such as Ctrl-C, which are for the command and not for this program, and changes
/// of the window size, which are for its terminal.
pub fn signals(tty: bool) -> Result<UnboundedReceiver<SignalKind>> {
    let mut kinds = vec![SignalKind::interrupt(), SignalKind::terminate(), SignalKind::quit()];
    kinds.extend(tty.then(SignalKind::window_change));
    let (sender, signals) = mpsc::unbounded_channel();
    for kind in kinds {
        let mut arriving = signal(kind).context("cannot watch for signals")?;
        let sender: UnboundedSender<SignalKind> = sender.clone();
        tokio::spawn(async move {
            while arriving.recv().await.is_some() {
                if sender.send(kind).is_err() {
                    return;
                }
            }
        });
    }
    Ok(signals)
}
