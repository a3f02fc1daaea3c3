//! The daemon's life: its lock and socket, its periodic checks, its end.

use std::fs;
use std::future::IntoFuture;
use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use netloom_host::StateLock;
use netloom_shape::Policy;
use netloom_units::Rate;
use rustix::process::{PidfdFlags, PidfdGetfdFlags, getpid, pidfd_getfd, pidfd_open};
use tokio::net::UnixListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::{Notify, oneshot};
use tokio::time::timeout;

use super::audit::{Audit, Record};
use super::http::{Peer, Served, router};
use super::people;
use super::privileges;
use super::shaping::{Setting, Shaping};
use super::state::StateFile;

/// Longest time for answers that are under way when the daemon ends.
const ANSWERED: Duration = Duration::from_secs(1);

/// Period of checks of claims and devices.
const LOOK: Duration = Duration::from_millis(200);

/// Runs the daemon to its end. Returns the exit code of the process. The arguments are the state
/// directory, the policy, the file of records, and the rate that the machine can bear or `-`.
pub fn main(arguments: impl Iterator<Item = String>) -> i32 {
    match start(arguments) {
        Ok(()) => 0,
        Err(error) => {
            eprintln!("error: {}", netloom_api::in_words(error.as_ref()));
            2
        }
    }
}

fn start(mut arguments: impl Iterator<Item = String>) -> Result<()> {
    let mut next = |what| arguments.next().with_context(|| format!("the daemon lacks its {what}"));
    let directory = PathBuf::from(next("state directory")?);
    let policy = PathBuf::from(next("policy")?);
    let records = PathBuf::from(next("file of records")?);
    let bears = next("rate")?;
    let bears: Option<Rate> = if bears == "-" { None } else { Some(bears.parse()?) };
    if let Some(missing) = netloom_selector::missing() {
        bail!("this machine cannot shape traffic: {missing}");
    }
    netloom_dataplane::take_memory_in_large_pieces();
    let policy = read_policy(&policy)?;
    let Some((lock, _)) = StateLock::claim(&directory)
        .with_context(|| format!("cannot make {}", directory.display()))?
    else {
        bail!("the daemon runs already: `netloom shape stop` ends it");
    };
    // Every user may ask; only root may access the lock and the claims.
    let open = fs::Permissions::from_mode(0o755);
    fs::set_permissions(&directory, open).context("cannot open the state directory")?;
    let setting = Setting {
        policy,
        bears,
        file: StateFile::in_directory(&directory),
        audit: Audit::new(Some(&records))
            .with_context(|| format!("cannot write {}", records.display()))?,
    };
    // Must come before there are other threads, which inherit the rights of their starter.
    privileges::drop_all_but_needed(setting.policy.containers)?;
    let shaping = Arc::new(Shaping::start(setting)?);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .context("cannot start the daemon's runtime")?;
    let served = runtime.block_on(serve(&directory.join("api.sock"), shaping));
    runtime.shutdown_timeout(Duration::from_secs(1));
    if std::env::var_os("LISTEN_FDS").is_none() {
        let _ = fs::remove_file(directory.join("api.sock"));
    }
    drop(lock);
    served
}

/// Reads the administrator's policy. Without a file, only root may do anything.
fn read_policy(path: &Path) -> Result<Policy> {
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Policy::default()),
        Err(error) => {
            return Err(error).with_context(|| format!("cannot read {}", path.display()));
        }
    };
    if !people::is_roots_alone(path)? {
        bail!("{} must be root's, and nobody else may write it", path.display());
    }
    let name = path.display().to_string();
    Policy::parse(&text).map_err(|findings| anyhow::anyhow!(findings.render(&name, &text)))
}

async fn serve(socket: &Path, shaping: Arc<Shaping>) -> Result<()> {
    let listener = listen(socket)?;
    shaping.audit.write(&Record::of_daemon("started"));
    let end = Arc::new(Notify::new());
    let served = Served { shaping: Arc::clone(&shaping), end: Arc::clone(&end) };
    let service = router(served).into_make_service_with_connect_info::<Peer>();
    let (stop, stopped) = oneshot::channel::<()>();
    let server = axum::serve(listener, service).with_graceful_shutdown(async move {
        // It ends with the other end, too.
        let _ = stopped.await;
    });
    let mut server = tokio::spawn(server.into_future());
    let mut terminated = signal(SignalKind::terminate())?;
    let mut interrupted = signal(SignalKind::interrupt())?;
    let outcome = tokio::select! {
        outcome = watch(&shaping) => outcome,
        () = end.notified() => drain(&shaping).await,
        _ = terminated.recv() => Ok(()),
        _ = interrupted.recv() => Ok(()),
    };
    let _ = stop.send(());
    // Whoever asked for the end is answered. Streams of events and captures do not end by
    // themselves.
    if timeout(ANSWERED, &mut server).await.is_err() {
        server.abort();
    }
    shaping.audit.write(&Record::of_daemon("ended"));
    outcome
}

/// Returns the socket that systemd has bound (`sd_listen_fds(3)`), if it started this process for
/// one.
fn inherited() -> Option<UnixListener> {
    let says = |name, value: &str| std::env::var(name).is_ok_and(|found| found == value);
    if !says("LISTEN_PID", &std::process::id().to_string()) || !says("LISTEN_FDS", "1") {
        return None;
    }
    const FIRST: i32 = 3;
    let own = pidfd_open(getpid(), PidfdFlags::empty()).ok()?;
    let socket = pidfd_getfd(own, FIRST, PidfdGetfdFlags::empty()).ok()?;
    let listener = std::os::unix::net::UnixListener::from(socket);
    listener.set_nonblocking(true).ok()?;
    UnixListener::from_std(listener).ok()
}

fn listen(socket: &Path) -> Result<UnixListener> {
    if let Some(listener) = inherited() {
        return Ok(listener);
    }
    let failed = || format!("cannot listen on {}", socket.display());
    // The socket belongs to a dead daemon, since we hold the lock.
    match fs::remove_file(socket) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            return Err(error).with_context(failed);
        }
        _ => {}
    }
    let listener = UnixListener::bind(socket).with_context(failed)?;
    // Users are identified by the connection.
    fs::set_permissions(socket, fs::Permissions::from_mode(0o666)).with_context(failed)?;
    Ok(listener)
}

/// Checks claims and devices periodically, until nobody needs the daemon any more.
async fn watch(shaping: &Arc<Shaping>) -> Result<()> {
    let mut ticks = tokio::time::interval(LOOK);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        let shaping = Arc::clone(shaping);
        let needed = tokio::task::spawn_blocking(move || shaping.look()).await??;
        if !needed {
            return Ok(());
        }
    }
}

/// Lets the links of ended claims deliver the frames in them, for a while.
async fn drain(shaping: &Arc<Shaping>) -> Result<()> {
    for _ in 0..50 {
        let looked = Arc::clone(shaping);
        tokio::task::spawn_blocking(move || looked.look()).await??;
        if shaping.is_empty() {
            break;
        }
        tokio::time::sleep(LOOK).await;
    }
    Ok(())
}
