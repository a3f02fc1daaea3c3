//! One event of the timeline.

use netloom_api::change::LinkChange;
use netloom_api::event::{Origin, What};
use netloom_link::{LinkState, PipeChange};
use netloom_nodes::{SpawnRequest, Stdio};
use netloom_scenario::{Command, Direction, Scenario, TimelineAction, TimelineEvent};
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::net::unix::pipe;

use super::Run;

/// How much of a command's output is kept in its event.
const OUTPUT_KEPT: u64 = 64 * 1024;

/// Waits for the event's time and makes it happen.
pub async fn happen(run: Run, event: TimelineEvent) -> Result<(), String> {
    match run.wait_for(&event.at).await {
        Ok(true) => {}
        Ok(false) => return Ok(()),
        Err(never) => {
            let message = format!("a timeline event never happened: {never}");
            run.experiment.record(What::Warning { message: message.clone() });
            return Err(message);
        }
    }
    match event.action {
        TimelineAction::SetLink { link, direction, change } => {
            set(&run, vec![LinkChange { link, direction, change: *change }])
        }
        TimelineAction::SetNode { node, state } => {
            set(&run, all_links_of(&run.experiment.drawn().scenario, &node, state))
        }
        TimelineAction::Run { node, command } => execute(&run, node, &command).await,
    }
}

fn set(run: &Run, changes: Vec<LinkChange>) -> Result<(), String> {
    match run.experiment.change(Origin::Timeline, changes) {
        Ok(_) => Ok(()),
        Err(error) => {
            let reason = netloom_api::in_words(error.as_ref());
            let by = Origin::Timeline;
            run.experiment.record(What::ChangeFailed { by, reason: reason.clone() });
            Err(format!("a change of the timeline failed: {reason}"))
        }
    }
}

fn all_links_of(scenario: &Scenario, node: &str, state: LinkState) -> Vec<LinkChange> {
    let change = PipeChange { state: Some(state), ..PipeChange::default() };
    scenario
        .links
        .iter()
        .filter(|link| link.endpoints.iter().any(|endpoint| endpoint.node == node))
        .map(|link| LinkChange {
            link: link.name.clone(),
            direction: Direction::Both,
            change: change.clone(),
        })
        .collect()
}

async fn execute(run: &Run, node: String, command: &Command) -> Result<(), String> {
    let argv = command.argv();
    let (code, output) = match capture_output(run, &node, argv.clone()).await {
        Ok(ended) => ended,
        Err(reason) => (127, reason),
    };
    let failed = (code != 0 && run.end.reason().is_none())
        .then(|| format!("the command `{}` in `{node}` ended with code {code}", argv.join(" ")));
    run.experiment.record(What::CommandEnded { node, command: argv, code, output });
    failed.map_or(Ok(()), Err)
}

async fn capture_output(run: &Run, node: &str, argv: Vec<String>) -> Result<(i32, String), String> {
    let request = SpawnRequest { argv, env: Vec::new(), cwd: None, stdio: Stdio::Pipes };
    let running = run
        .experiment
        .spawn(node, request)
        .map_err(|error| netloom_api::in_words(error.as_ref()))?;
    let (spawned, exited) = (running.spawned, running.exited);
    drop(spawned.stdin);
    let open = |fd: Option<std::os::fd::OwnedFd>| {
        fd.map(pipe::Receiver::from_owned_fd).transpose().map_err(|error| error.to_string())
    };
    let (stdout, stderr) = (open(spawned.stdout)?, open(spawned.stderr)?);
    let read = async { tokio::join!(read_some(stdout), read_some(stderr)) };
    let (out, err) = tokio::select! {
        output = read => output,
        () = run.end.asked() => {
            run.experiment.signal(node, spawned.pid, libc::SIGKILL);
            (String::new(), "ended with the run".into())
        }
    };
    let status = exited.await.map_err(|_| "the node's init is gone".to_string())?;
    Ok((status.code(), out + &err))
}

/// Reads to the end and keeps the beginning.
async fn read_some<R: AsyncRead + Unpin>(reader: Option<R>) -> String {
    let Some(mut reader) = reader else { return String::new() };
    let mut kept = Vec::new();
    // A read error ends the output like its end does.
    let _ = (&mut reader).take(OUTPUT_KEPT).read_to_end(&mut kept).await;
    let _ = tokio::io::copy(&mut reader, &mut tokio::io::sink()).await;
    String::from_utf8_lossy(&kept).into_owned()
}
