//! `GET /v1/exec`: a command or terminal in a node over a WebSocket. [`netloom_api::exec`] defines
//! the protocol.

use std::io;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::response::Response;
use futures_util::stream::{self, SplitSink, SplitStream};
use futures_util::{SinkExt, Stream, StreamExt};
use netloom_api::ApiError;
use netloom_api::exec::{
    ExecControl, ExecNotice, ExecOutput, ExecRequest, STDERR, STDOUT, TerminalSize,
};
use netloom_nodes::{ExitStatus, NodeError, SpawnRequest, Spawned, Stdio};
use tokio::fs::File;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::unix::pipe;
use tokio::sync::{mpsc, oneshot};
use tokio::task::AbortHandle;

use crate::live::LiveNetwork;

/// Longest time for a command whose client is gone to end after SIGHUP, before it is killed.
const GRACE: Duration = Duration::from_secs(2);
/// Longest wait for the rest of the output once the command itself has ended. A process that it
/// left running may hold the other end open for ever.
const DRAIN: Duration = Duration::from_millis(200);

/// Most messages of a client that are kept before its command runs.
const EARLY_MESSAGES: usize = 16;

/// Switches to the WebSocket.
pub async fn upgrade(
    State(network): State<Arc<LiveNetwork>>,
    upgrade: WebSocketUpgrade,
) -> Response {
    upgrade.on_upgrade(|socket| serve(network, socket))
}

async fn serve(network: Arc<LiveNetwork>, socket: WebSocket) {
    let (mut sink, mut stream) = socket.split();
    let mut early = Vec::new();
    let started = match request(&mut stream).await {
        // A node may be slow, or stopped. If the client goes away, do not wait for the node.
        Some(Ok(request)) => {
            let stdio = match request.terminal {
                Some(TerminalSize { rows, columns }) => Stdio::Pty { rows, columns },
                None => Stdio::Pipes,
            };
            tokio::select! {
                started = start(&network, request, stdio) => started,
                () = until_gone(&mut stream, &mut early) => return,
            }
        }
        Some(Err(failed)) => Err(failed),
        None => return,
    };
    match started {
        Ok(running) => running.relay(network, sink, early, stream).await,
        Err(failed) => {
            // A client that is gone needs no answer.
            let _ = notify(&mut sink, &failed).await;
            let _ = sink.close().await;
        }
    }
}

/// Returns when the client has gone. Keeps its messages until then, up to a limit: the messages
/// after that are read when the command runs.
async fn until_gone(stream: &mut SplitStream<WebSocket>, early: &mut Vec<Message>) {
    while early.len() < EARLY_MESSAGES {
        match stream.next().await {
            None | Some(Err(_) | Ok(Message::Close(_))) => return,
            Some(Ok(message)) => early.push(message),
        }
    }
    std::future::pending().await
}

async fn request(stream: &mut SplitStream<WebSocket>) -> Option<Result<ExecRequest, ExecNotice>> {
    let Some(Ok(Message::Text(text))) = stream.next().await else { return None };
    Some(
        serde_json::from_str(&text).map_err(|error| {
            failed(format!("the first message is not an ExecRequest: {error}"), 125)
        }),
    )
}

/// Returns the notice for a command that could not be run.
pub fn failed(error: String, code: i32) -> ExecNotice {
    ExecNotice::Failed { error: ApiError { error, help: None }, code }
}

/// A command that runs.
pub struct Session {
    node: String,
    spawned: Spawned,
    exited: oneshot::Receiver<ExitStatus>,
}

/// Starts a command with these standard streams.
///
/// # Errors
/// The notice for the client.
pub async fn start(
    network: &LiveNetwork,
    request: ExecRequest,
    stdio: Stdio,
) -> Result<Session, ExecNotice> {
    let ExecRequest { node, .. } = &request;
    let deployment = network.deployment();
    let checked = deployment.process_node(node);
    let node = checked.map_err(|error| failed(netloom_api::in_words(error.as_ref()), 125))?;
    let (node, image) = (node.name.clone(), node.software.root.is_some());
    let argv = if request.command.is_empty() { shell(image) } else { request.command };
    let env = request.env.into_iter().collect();
    let request = SpawnRequest { argv, env, cwd: request.directory, stdio };
    match network.spawn(&node, request).await {
        Ok(running) => Ok(Session { node, spawned: running.spawned, exited: running.exited }),
        Err(error) => {
            let code = error.downcast_ref::<NodeError>().and_then(NodeError::exit_code);
            Err(failed(netloom_api::in_words(error.as_ref()), code.unwrap_or(125)))
        }
    }
}

/// Returns the shell of terminals: bash if the machine has it. The contents of an image are not
/// known here, so images get `sh`.
fn shell(image: bool) -> Vec<String> {
    let bash = std::path::Path::new("/bin/bash");
    vec![if bash.exists() && !image { "/bin/bash" } else { "/bin/sh" }.into()]
}

impl Session {
    /// Returns the name of the node.
    pub fn node(&self) -> &str {
        &self.node
    }

    /// Returns the process id in the node.
    pub fn pid(&self) -> u32 {
        self.spawned.pid
    }

    /// Waits until the command has ended. Returns the notice about it.
    pub async fn ended(&mut self) -> ExecNotice {
        end((&mut self.exited).await.ok())
    }

    async fn relay(
        mut self,
        network: Arc<LiveNetwork>,
        mut sink: SplitSink<WebSocket, Message>,
        early: Vec<Message>,
        stream: SplitStream<WebSocket>,
    ) {
        let pid = self.spawned.pid;
        let machine_pid = network.machine_pid(&self.node, pid);
        let _ = notify(&mut sink, &ExecNotice::Started { pid, machine_pid }).await;
        let (output, mut frames) = mpsc::channel::<Message>(16);
        let (input, readers) = match self.attach(&output) {
            Ok(attached) => attached,
            Err(error) => {
                let _ = notify(&mut sink, &failed(error.to_string(), 125)).await;
                return self.kill(&network).await;
            }
        };
        drop(output);
        let node = self.node.clone();
        let messages = stream::iter(early.into_iter().map(Ok)).chain(stream);
        let controlled = Arc::clone(&network);
        let mut control = tokio::spawn(async move {
            take_input(messages, input, readers, &controlled, &node, pid).await;
        });
        let mut ended = None;
        loop {
            tokio::select! {
                frame = frames.recv() => match frame {
                    Some(frame) => if sink.send(frame).await.is_err() {
                        return self.kill(&network).await;
                    },
                    None => break,
                },
                status = &mut self.exited, if ended.is_none() => {
                    ended = Some(status);
                    let drain = drain(&mut frames, &mut sink);
                    let _ = tokio::time::timeout(DRAIN, drain).await;
                    break;
                }
                _ = &mut control => return self.kill(&network).await,
            }
        }
        let status = match ended {
            Some(status) => status,
            // The command closed its output. Wait for its end, unless the client goes away.
            None => tokio::select! {
                status = &mut self.exited => status,
                _ = &mut control => return self.kill(&network).await,
            },
        };
        control.abort();
        let _ = notify(&mut sink, &end(status.ok())).await;
        let _ = sink.close().await;
    }

    /// Starts reading the command's output into `output`. Returns the destination of its input, and
    /// the readers of its outputs.
    fn attach(&mut self, output: &mpsc::Sender<Message>) -> io::Result<(Input, Readers)> {
        let mut readers = Readers::default();
        if let Some(pty) = self.spawned.pty.take() {
            let reader = Terminal::new(pty.try_clone()?);
            tokio::spawn(reader.read_all(output.clone()));
            return Ok((Input::Terminal(Terminal::new(pty)), readers));
        }
        let Readers { stdout, stderr } = &mut readers;
        for (fd, tag, handle) in [
            (self.spawned.stdout.take(), STDOUT, stdout),
            (self.spawned.stderr.take(), STDERR, stderr),
        ] {
            if let Some(fd) = fd {
                let reader = pipe::Receiver::from_owned_fd(fd)?;
                let reading = tokio::spawn(read_pipe(reader, tag, output.clone()));
                *handle = Some(reading.abort_handle());
            }
        }
        let input = match self.spawned.stdin.take() {
            Some(fd) => Input::Pipe(pipe::Sender::from_owned_fd(fd)?),
            None => Input::Closed,
        };
        Ok((input, readers))
    }

    /// Ends a command whose client is gone: SIGHUP, then SIGKILL if it does not end.
    pub async fn kill(mut self, network: &LiveNetwork) {
        let signal = |number| network.signal(&self.node, self.spawned.pid, number);
        signal(libc::SIGHUP);
        if tokio::time::timeout(GRACE, &mut self.exited).await.is_err() {
            signal(libc::SIGKILL);
        }
    }
}

/// Returns the notice for the end of a command. It has no status if the node was taken down.
fn end(status: Option<ExitStatus>) -> ExecNotice {
    match status {
        Some(status) => ExecNotice::Exited { code: status.code() },
        None => failed("the node was taken down".into(), 125),
    }
}

async fn notify(
    sink: &mut SplitSink<WebSocket, Message>,
    notice: &ExecNotice,
) -> Result<(), axum::Error> {
    // A notice is plain data, so it always has a JSON form.
    let text = serde_json::to_string(notice).unwrap_or_default();
    sink.send(Message::Text(text.into())).await
}

async fn drain(frames: &mut mpsc::Receiver<Message>, sink: &mut SplitSink<WebSocket, Message>) {
    while let Some(frame) = frames.recv().await {
        if sink.send(frame).await.is_err() {
            return;
        }
    }
}

/// The readers of the outputs of a command without a terminal.
#[derive(Default)]
struct Readers {
    stdout: Option<AbortHandle>,
    stderr: Option<AbortHandle>,
}

impl Readers {
    /// Stops reading an output, which closes it: a command that writes to it gets SIGPIPE.
    fn close(&self, output: ExecOutput) {
        let reader = match output {
            ExecOutput::Stdout => &self.stdout,
            ExecOutput::Stderr => &self.stderr,
        };
        reader.iter().for_each(AbortHandle::abort);
    }
}

/// The destination of a command's input.
enum Input {
    Pipe(pipe::Sender),
    Terminal(Terminal),
    Closed,
}

impl Input {
    async fn write(&mut self, bytes: &[u8]) {
        // A command that no longer reads is not an error of the client.
        let closed = match self {
            Self::Pipe(_) if bytes.is_empty() => true,
            Self::Pipe(pipe) => pipe.write_all(bytes).await.is_err(),
            Self::Terminal(terminal) => terminal.write_all(bytes).await.is_err(),
            Self::Closed => false,
        };
        if closed {
            *self = Self::Closed;
        }
    }
}

/// Passes input and control messages on until the client goes away.
async fn take_input(
    mut messages: impl Stream<Item = Result<Message, axum::Error>> + Unpin,
    mut input: Input,
    readers: Readers,
    network: &LiveNetwork,
    node: &str,
    pid: u32,
) {
    while let Some(Ok(message)) = messages.next().await {
        match message {
            Message::Binary(bytes) => input.write(&bytes).await,
            Message::Text(text) => match serde_json::from_str(&text) {
                Ok(ExecControl::Resize(size)) => {
                    if let Input::Terminal(terminal) = &input {
                        terminal.resize(size);
                    }
                }
                Ok(ExecControl::Signal(number)) => {
                    network.signal(node, pid, number);
                }
                Ok(ExecControl::Close(output)) => readers.close(output),
                Err(_) => return,
            },
            Message::Close(_) => return,
            Message::Ping(_) | Message::Pong(_) => {}
        }
    }
}

async fn read_pipe(mut reader: pipe::Receiver, tag: u8, output: mpsc::Sender<Message>) {
    let mut buffer = vec![0; 32 * 1024];
    while let Ok(count @ 1..) = reader.read(&mut buffer).await {
        if output.send(tagged(tag, &buffer[..count])).await.is_err() {
            return;
        }
    }
}

fn tagged(tag: u8, bytes: &[u8]) -> Message {
    let mut frame = Vec::with_capacity(bytes.len() + 1);
    frame.push(tag);
    frame.extend_from_slice(bytes);
    Message::Binary(frame.into())
}

/// The engine's side of a pseudo-terminal.
struct Terminal(File);

impl Terminal {
    fn new(fd: OwnedFd) -> Self {
        Self(File::from_std(std::fs::File::from(fd)))
    }

    /// Reads until the last process has closed its side. The kernel reports EIO then.
    async fn read_all(mut self, output: mpsc::Sender<Message>) {
        let mut buffer = vec![0; 32 * 1024];
        while let Ok(count @ 1..) = self.0.read(&mut buffer).await {
            if output.send(tagged(STDOUT, &buffer[..count])).await.is_err() {
                return;
            }
        }
    }

    async fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.0.write_all(bytes).await?;
        self.0.flush().await
    }

    fn resize(&self, size: TerminalSize) {
        let size = rustix::termios::Winsize {
            ws_row: size.rows,
            ws_col: size.columns,
            ws_xpixel: 0,
            ws_ypixel: 0,
        };
        // A failure leaves the old size, which is harmless.
        let _ = rustix::termios::tcsetwinsize(&self.0, size);
    }
}
