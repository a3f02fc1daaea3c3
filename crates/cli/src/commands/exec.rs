//! `netloom exec` and `netloom connect`

use std::io::{self, Write};

use anyhow::{Context, Result};
use futures_util::{SinkExt, StreamExt};
use netloom_api::exec::{ExecControl, ExecNotice, ExecRequest, STDERR};
use tokio::io::AsyncReadExt;
use tokio::net::UnixStream;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;

use crate::args::{Connect, Exec, ScenarioFile};
use crate::exit::{self, WithCode};
use crate::terminal::{self, Raw};
use crate::{Machine, find};

/// Runs a command in a node; its exit code.
pub async fn exec(machine: &dyn Machine, args: Exec) -> Result<i32> {
    let env = args
        .env
        .iter()
        .map(|pair| {
            let (name, value) = pair
                .split_once('=')
                .ok_or_else(|| exit::usage(format!("`{pair}` is not NAME=VALUE")))?;
            Ok((name.to_string(), value.to_string()))
        })
        .collect::<Result<_>>()?;
    let (node, experiment) = find::split_at(&args.node);
    let request = ExecRequest {
        node: node.into(),
        command: args.command,
        env,
        terminal: args.tty.then(terminal::size),
    };
    start(machine, experiment, &args.scenario, request).await
}

/// Opens an interactive shell in a node.
pub async fn connect(machine: &dyn Machine, args: Connect) -> Result<i32> {
    let (node, experiment) = find::split_at(&args.node);
    let request = ExecRequest {
        node: node.into(),
        command: Vec::new(),
        env: std::env::var("TERM")
            .ok()
            .map(|term| ("TERM".to_string(), term))
            .into_iter()
            .collect(),
        terminal: Some(terminal::size()),
    };
    start(machine, experiment, &args.scenario, request).await
}

async fn start(
    machine: &dyn Machine,
    experiment: Option<&str>,
    scenario: &ScenarioFile,
    request: ExecRequest,
) -> Result<i32> {
    let code = async {
        let client = find::client(machine, experiment, scenario)?;
        let mut socket = client.websocket("/exec").await?;
        socket.send(Message::text(serde_json::to_string(&request)?)).await?;
        relay(socket, request.terminal.is_some()).await
    };
    code.await.map_err(|error| match error.downcast::<WithCode>() {
        Ok(error) => error.into(),
        Err(error) => {
            WithCode { code: exit::EXEC_FAILED, message: netloom_api::in_words(error.as_ref()) }
                .into()
        }
    })
}

/// Carries input, output, signals and sizes between the user and the command.
async fn relay(socket: WebSocketStream<UnixStream>, tty: bool) -> Result<i32> {
    let raw = if tty { Raw::enter().context("cannot set up the terminal")? } else { None };
    let (mut sink, mut stream) = socket.split();
    let (outgoing, mut messages) = mpsc::channel::<Message>(16);
    tokio::spawn(read_input(outgoing.clone()));
    tokio::spawn(forward_signals(outgoing, tty));
    loop {
        tokio::select! {
            message = messages.recv() => {
                if let Some(message) = message {
                    // If the engine is gone, the stream says so next.
                    let _ = sink.send(message).await;
                }
            }
            message = stream.next() => match message {
                Some(Ok(Message::Binary(bytes))) => print(&bytes),
                Some(Ok(Message::Text(text))) => match serde_json::from_str(&text)? {
                    ExecNotice::Started { .. } => {}
                    ExecNotice::Exited { code } => return Ok(code),
                    ExecNotice::Failed { error, code } => {
                        drop(raw);
                        return Err(WithCode { code, message: error.error }.into());
                    }
                },
                Some(Ok(_)) => {}
                Some(Err(_)) | None => anyhow::bail!("the experiment ended while the command ran"),
            },
        }
    }
}

fn print(frame: &[u8]) {
    let Some((tag, bytes)) = frame.split_first() else { return };
    // A reader that is gone does not want the rest.
    let _ = match *tag {
        STDERR => io::stderr().write_all(bytes),
        _ => io::stdout().write_all(bytes).and_then(|()| io::stdout().flush()),
    };
}

async fn read_input(outgoing: mpsc::Sender<Message>) {
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

/// Ctrl-C and the like reach the command, not this program; a new window size reaches its terminal.
async fn forward_signals(outgoing: mpsc::Sender<Message>, tty: bool) {
    let kinds = [
        SignalKind::interrupt(),
        SignalKind::terminate(),
        SignalKind::quit(),
        SignalKind::window_change(),
    ];
    for kind in kinds {
        let Ok(mut signals) = signal(kind) else { continue };
        let outgoing = outgoing.clone();
        tokio::spawn(async move {
            while signals.recv().await.is_some() {
                let control = if kind == SignalKind::window_change() {
                    if !tty {
                        continue;
                    }
                    ExecControl::Resize(terminal::size())
                } else {
                    ExecControl::Signal(kind.as_raw_value())
                };
                let Ok(text) = serde_json::to_string(&control) else { return };
                if outgoing.send(Message::text(text)).await.is_err() {
                    return;
                }
            }
        });
    }
}
