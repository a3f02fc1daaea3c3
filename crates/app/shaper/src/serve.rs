//! The daemon's life: its lock and socket, its periodic checks, its end.

use std::fs;
use std::io::{ErrorKind, Read};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use netloom_host::StateLock;
use netloom_shape::Policy;
use netloom_units::Rate;
use rustix::process::{PidfdFlags, PidfdGetfdFlags, getpid, pidfd_getfd, pidfd_open};
use tokio::net::UnixListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::{Notify, oneshot};

use crate::audit::{Audit, Record};
use crate::http::{Served, router};
use crate::shaping::{Setting, Shaping};
use crate::state::StateFile;
use crate::{doors, people, privileges};

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
    let files = privileges::drop_all_but_needed(setting.policy.containers)?;
    let shaping = Arc::new(Shaping::start(setting, files)?);
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
    let name = path.display().to_string();
    let mut file = match fs::File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return Ok(Policy { file: name, ..Policy::default() });
        }
        Err(error) => return Err(error).with_context(|| format!("cannot read {name}")),
    };
    // The file that is read is the one that was looked at.
    if !people::is_roots_alone(&file)? {
        bail!("{name} must be root's, and nobody else may write it");
    }
    let mut text = String::new();
    file.read_to_string(&mut text).with_context(|| format!("cannot read {name}"))?;
    let policy = Policy::parse(&text);
    let policy = policy.map_err(|findings| anyhow::anyhow!(findings.render(&name, &text)))?;
    Ok(Policy { file: name, ..policy })
}

async fn serve(socket: &Path, shaping: Arc<Shaping>) -> Result<()> {
    let listener = listen(socket)?;
    shaping.audit.event(Record::of_daemon("started"));
    let end = Arc::new(Notify::new());
    let served = Served::new(Arc::clone(&shaping), Arc::clone(&end));
    let (stop, stopped) = oneshot::channel::<()>();
    let ended = async move {
        // It ends with the other end, too.
        let _ = stopped.await;
    };
    let shaped = Arc::clone(&shaping);
    let server = tokio::spawn(doors::serve(listener, router(served), shaped, ended, ANSWERED));
    let (watch, unneeded) = Watch::start(&shaping)?;
    let mut terminated = signal(SignalKind::terminate())?;
    let mut interrupted = signal(SignalKind::interrupt())?;
    let outcome = tokio::select! {
        outcome = unneeded => outcome.unwrap_or(Ok(())),
        () = end.notified() => {
            drain(&shaping).await;
            Ok(())
        }
        _ = terminated.recv() => Ok(()),
        _ = interrupted.recv() => Ok(()),
    };
    let _ = stop.send(());
    // Whoever asked for the end is answered.
    let served = server.await.context("the API has failed");
    watch.end();
    shaping.audit.event(Record::of_daemon("ended"));
    outcome.and(served)
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

/// The thread that checks claims and devices periodically, and ends claims. It waits for nobody who
/// asks for something.
struct Watch {
    thread: JoinHandle<()>,
    is_over: Arc<AtomicBool>,
}

impl Watch {
    /// Starts it. The receiver hears when nobody needs the daemon any more, or of a failure.
    fn start(shaping: &Arc<Shaping>) -> Result<(Self, oneshot::Receiver<Result<()>>)> {
        let (sender, unneeded) = oneshot::channel();
        let (shaping, is_over) = (Arc::clone(shaping), Arc::new(AtomicBool::new(false)));
        let ended = Arc::clone(&is_over);
        let check = move || {
            let mut sender = Some(sender);
            while !ended.load(Ordering::Relaxed) {
                let news = match shaping.look() {
                    Ok(true) => None,
                    Ok(false) => Some(Ok(())),
                    Err(error) => Some(Err(error)),
                };
                if let Some((news, sender)) = news.and_then(|news| Some((news, sender.take()?))) {
                    // The daemon may be about to end anyway.
                    let _ = sender.send(news);
                }
                thread::sleep(LOOK);
            }
        };
        let thread = thread::Builder::new().name("expiry".into()).spawn(check)?;
        Ok((Self { thread, is_over }, unneeded))
    }

    /// Ends the thread.
    fn end(self) {
        self.is_over.store(true, Ordering::Relaxed);
        // A panic there was printed.
        let _ = self.thread.join();
    }
}

/// Waits until the links of ended claims have delivered the frames in them, for a while.
async fn drain(shaping: &Arc<Shaping>) {
    for _ in 0..50 {
        if shaping.is_empty() {
            break;
        }
        tokio::time::sleep(LOOK).await;
    }
}
