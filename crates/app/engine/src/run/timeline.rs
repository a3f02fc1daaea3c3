//! Events of the timeline: each waits for its start condition, happens on the run's clockwork, and
//! is recorded with its planned and its actual time.

use anyhow::{Context as _, Result};
use netloom_api::change::LinkChange;
use netloom_api::event::TimelineStatus;
use netloom_api::event::{Origin, What};
use netloom_api::medium::MediumRequest;
use netloom_course::Event;
use netloom_monitor::Observation;
use netloom_nodes::{RouteChanged, SpawnRequest, Stdio};
use netloom_scenario::{Command, Happening, Lasting, NodeState, RouteChange, TimelineAction};
use netloom_units::Time;
use netloom_units::readable::seconds;
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::net::unix::pipe;
use tokio::sync::oneshot;

use super::shared::{Happened, Run, Wait, last_line};
use super::{failure, parts};
use crate::live::{LiveNetwork, Running, media};

/// Most bytes of a command's output that its event keeps.
const OUTPUT_KEPT: u64 = 64 * 1024;

/// Waits for the event's time, makes it happen, and returns its outcome.
pub async fn happen(run: Run, number: usize, event: Happening) -> TimelineStatus {
    let deployment = run.network().deployment();
    let Event { mut status, links: changes, media: requests } =
        Event::new(&deployment.whole.scenario, number, &event);
    let changes = parts::here(&deployment, changes);
    let planned = match run.planned(&event.at).await {
        Wait::Until(time) => time,
        Wait::RunOver(missing) => {
            let failed = run.is_cut_short_by_duration();
            status.failure = failed.then(|| format!("it never happened: {missing}"));
            return status;
        }
        Wait::Never(why) => {
            status.failure = Some(format!("it never happened: {why}"));
            return status;
        }
    };
    status.planned = Some(planned);
    let happened = match event.action {
        TimelineAction::Run { node, command } => execute(&run, planned, node, &command).await,
        TimelineAction::Route { node, change } => {
            change_route(&run, planned, (node, change), event.lasting).await
        }
        TimelineAction::SetNode { node, state: NodeState::Failed, disk } => match event.lasting {
            Some(Lasting::Ends(_)) => failure::recover(&run, planned, &node).await,
            _ => failure::fail(&run, planned, (&node, disk), changes).await,
        },
        TimelineAction::SetNode { node, state: NodeState::Up, .. } => {
            change_and_recover(&run, planned, changes, &node).await
        }
        TimelineAction::SetMedia { changes } => {
            let change = move |network: &LiveNetwork| media::set(network, &changes);
            change_media(&run, planned, requests, change).await
        }
        TimelineAction::SetStation { node, change } => {
            let change = move |network: &LiveNetwork| media::change_node(network, &node, &change);
            change_media(&run, planned, requests, change).await
        }
        TimelineAction::SetLink { .. } | TimelineAction::SetNode { .. } => {
            change(&run, planned, changes).await
        }
    };
    match happened {
        Some(Happened { at, failure }) => (status.happened, status.failure) = (at, failure),
        None => miss(&run, &mut status, planned),
    }
    if status.failure.is_some() {
        run.fail_fast();
    }
    let at = status.happened.unwrap_or_else(|| run.now());
    let status = status.counted_from(run.state().begun());
    run.events().record_at(at, What::Timeline { status: status.clone() });
    status
}

/// Changes the ends here of links that an event of another machine changes. That machine reports
/// it.
pub async fn follow(run: Run, event: Happening) -> Result<(), String> {
    let deployment = run.network().deployment();
    let Event { links: changes, .. } = Event::new(&deployment.whole.scenario, 0, &event);
    let changes = parts::here(&deployment, changes);
    // The other machine reports an event that never comes.
    let Wait::Until(planned) = run.planned(&event.at).await else { return Ok(()) };
    match change_links(&run, planned, changes).await {
        Some((_, Err(error))) => Err(netloom_api::in_words(error.as_ref())),
        _ => Ok(()),
    }
}

/// Records that the run ended before the event had happened. This is a failure if it was due.
fn miss(run: &Run, status: &mut TimelineStatus, planned: Time) {
    let ended = run.now();
    if planned < ended {
        let due_for = ended.since(planned);
        run.observe(Observation::MissedEvent { due_for });
        status.failure = Some(format!(
            "it never happened: it was due for {} when the run ended, and the engine had not got \
             to it",
            seconds(due_for)
        ));
    }
}

/// Changes links at `planned`. Returns `None` if the run ended before.
async fn change(run: &Run, planned: Time, changes: Vec<LinkChange>) -> Option<Happened> {
    let (_, outcome) = change_links(run, planned, changes.clone()).await?;
    Some(match outcome {
        Ok(at) => {
            run.record_changed(at, changes);
            Happened { at: Some(at), failure: None }
        }
        Err(error) => run.change_failed(&error),
    })
}

/// Changes links at `planned`, and reports how late that was. Returns `None` if the run ended
/// before.
async fn change_links(
    run: &Run,
    planned: Time,
    changes: Vec<LinkChange>,
) -> Option<(Time, Result<Time>)> {
    let (sender, done) = oneshot::channel();
    let network = run.network().clone();
    run.clockwork.at(planned, move || {
        let begun = network.now();
        let changed = network.change(&changes);
        // Recording may wait for a disk, so it is done on another thread.
        _ = sender.send((*changed.as_ref().unwrap_or(&begun), changed));
    });
    let (happened, outcome) = done.await.ok()?;
    run.observe_lateness(planned, happened);
    Some((happened, outcome))
}

/// Sets the links of a node up at `planned`, and recovers the node if it has failed. Returns `None`
/// if the run ended before.
async fn change_and_recover(
    run: &Run,
    planned: Time,
    changes: Vec<LinkChange>,
    node: &str,
) -> Option<Happened> {
    let changed = change(run, planned, changes).await?;
    if changed.failure.is_some() {
        return Some(changed);
    }
    let Happened { failure, .. } = failure::recover_now(run, node).await;
    Some(Happened { failure, ..changed })
}

impl Run {
    /// Records changes of links.
    pub(super) fn record_changed(&self, at: Time, changes: Vec<LinkChange>) {
        self.events().record_at(at, What::Changed { by: Origin::Timeline, changes });
    }

    /// Records that a change could not be made.
    pub(super) fn change_failed(&self, error: &anyhow::Error) -> Happened {
        let reason = netloom_api::in_words(error.as_ref());
        self.events().record(What::ChangeFailed { by: Origin::Timeline, reason: reason.clone() });
        Happened { at: None, failure: Some(reason) }
    }
}

/// Changes a route of a node at `planned`, or undoes an earlier change. Returns `None` if the run
/// ended before.
async fn change_route(
    run: &Run,
    planned: Time,
    (node, change): (String, RouteChange),
    lasting: Option<Lasting>,
) -> Option<Happened> {
    let (sender, done) = oneshot::channel();
    let (network, lasts) = (run.network().clone(), run.routes_for_a_time.clone());
    let at_node = node.clone();
    run.clockwork.at(planned, move || {
        let changed = network.with(|live| {
            let Some(Lasting::Ends(pair)) = lasting else {
                let changed = live.network.change_route(&node, &change)?;
                if let Some(Lasting::Begins(pair)) = lasting {
                    lasts.put(pair, changed.clone());
                }
                return Ok(changed);
            };
            let earlier = lasts.take(pair).context("the change was not made that this ends")?;
            Ok(live.network.take_route_back(&node, &earlier)?)
        });
        _ = sender.send((network.now(), changed));
    });
    let (happened, outcome) = done.await.ok()?;
    run.observe_lateness(planned, happened);
    Some(match outcome {
        Ok(RouteChanged { was, is, .. }) => {
            let by = Origin::Timeline;
            let changed = What::RouteChanged { by, node: at_node, was, is };
            run.events().record_at(happened, changed);
            Happened { at: Some(happened), failure: None }
        }
        Err(error) => run.change_failed(&error),
    })
}

/// Changes shared media at `planned`, as `requests` say. Returns `None` if the run ended before.
async fn change_media(
    run: &Run,
    planned: Time,
    requests: Vec<(String, MediumRequest)>,
    change: impl FnOnce(&LiveNetwork) -> Result<Time> + Send + 'static,
) -> Option<Happened> {
    let (sender, done) = oneshot::channel();
    let network = run.network().clone();
    run.clockwork.at(planned, move || {
        let begun = network.now();
        let changed = change(&network);
        _ = sender.send((*changed.as_ref().unwrap_or(&begun), changed));
    });
    let (happened, outcome) = done.await.ok()?;
    run.observe_lateness(planned, happened);
    Some(match outcome {
        Ok(at) => {
            for (medium, change) in requests {
                let (by, change) = (Origin::Timeline, Box::new(change));
                run.events().record_at(at, What::MediumChanged { by, medium, change });
            }
            Happened { at: Some(at), failure: None }
        }
        Err(error) => run.change_failed(&error),
    })
}

/// Runs a command at `planned`, and waits for its end. Returns `None` if the run ended before it
/// ran.
async fn execute(run: &Run, planned: Time, node: String, command: &Command) -> Option<Happened> {
    if !run.wait_until(planned).await {
        return None;
    }
    let argv = command.argv();
    let request =
        SpawnRequest { argv: argv.clone(), env: Vec::new(), cwd: None, stdio: Stdio::Pipes };
    let started = run.unless_over(run.network().spawn(&node, request)).await?;
    let at = started.is_ok().then(|| run.now());
    let (code, output) = match started {
        Ok(running) => output_of(run, &node, running).await.unwrap_or_else(|why| (127, why)),
        Err(error) => (127, netloom_api::in_words(error.as_ref())),
    };
    let failed = code != 0 && run.end().reason().is_none();
    let failure = failed.then(|| format!("it ended with code {code}{}", last_line(&output)));
    run.events().record(What::CommandEnded { node, command: argv, code, output });
    Some(Happened { at, failure })
}

async fn output_of(run: &Run, node: &str, running: Running) -> Result<(i32, String), String> {
    let Running { spawned, mut exited } = running;
    drop(spawned.stdin);
    let open = |fd: Option<std::os::fd::OwnedFd>| {
        fd.map(pipe::Receiver::from_owned_fd).transpose().map_err(|error| error.to_string())
    };
    let (stdout, stderr) = (open(spawned.stdout)?, open(spawned.stderr)?);
    let read = async { tokio::join!(read_some(stdout), read_some(stderr)) };
    let (out, err) = tokio::select! {
        output = read => output,
        () = run.end().asked() => {
            run.network().signal(node, spawned.pid, libc::SIGKILL);
            (String::new(), "ended with the run".into())
        }
    };
    let status = run.unless_over(&mut exited).await.ok_or("it does not end")?;
    let status = status.map_err(|_| "the node's init is gone")?;
    Ok((status.code(), out + &err))
}

/// Reads to the end and keeps the beginning.
async fn read_some<R: AsyncRead + Unpin>(reader: Option<R>) -> String {
    let Some(mut reader) = reader else { return String::new() };
    let mut kept = Vec::new();
    // A read error ends the output as its end does.
    let _ = (&mut reader).take(OUTPUT_KEPT).read_to_end(&mut kept).await;
    let _ = tokio::io::copy(&mut reader, &mut tokio::io::sink()).await;
    String::from_utf8_lossy(&kept).into_owned()
}
