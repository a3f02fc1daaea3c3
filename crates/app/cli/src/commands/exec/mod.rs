//! `netloom exec` and `netloom connect`

mod direct;
mod relay;
mod streams;

use anyhow::Result;
use futures_util::SinkExt;
use netloom_api::exec::ExecRequest;
use tokio_tungstenite::tungstenite::Message;

use self::relay::Relay;
use crate::args::{Connect, Exec, ScenarioFile};
use crate::exit::{self, WithCode};
use crate::{find, terminal};

/// Runs a command in a node. Returns its exit code.
pub async fn exec(args: Exec) -> Result<i32> {
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
        directory: args.workdir,
    };
    start(experiment, &args.scenario, request).await
}

/// Opens an interactive shell in a node.
pub async fn connect(args: Connect) -> Result<i32> {
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
        directory: None,
    };
    start(experiment, &args.scenario, request).await
}

async fn start(
    experiment: Option<&str>,
    scenario: &ScenarioFile,
    request: ExecRequest,
) -> Result<i32> {
    let code = async {
        // Such errors get `exec`'s own exit code.
        let client = find::client(experiment, scenario).await.map_err(own_failure)?;
        if request.terminal.is_none()
            && let Some(code) = direct::run(&client, &request).await?
        {
            return Ok(code);
        }
        let mut socket = client.websocket("/exec").await?;
        socket.send(Message::text(serde_json::to_string(&request)?)).await?;
        Relay::new(&client, socket, request.terminal.is_some())?.run().await
    };
    code.await.map_err(|error| match error.downcast::<WithCode>() {
        Ok(error) => error.into(),
        Err(error) => own_failure(error),
    })
}

fn own_failure(error: anyhow::Error) -> anyhow::Error {
    WithCode { code: exit::EXEC_FAILED, message: netloom_api::in_words(error.as_ref()) }.into()
}
