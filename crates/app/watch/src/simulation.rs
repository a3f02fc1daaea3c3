//! A simulated run with an API of its own, so that it is found and watched like an experiment. It
//! has no engine: its own process shows what it samples anyway, to those who ask.
//!
//! | module | contents |
//! |---|---|
//! | `place` | its name and its socket, among those of experiments |
//! | `subject` | what is simulated: [`Subject`] |
//! | `shown` | what is kept of its samples: those that somebody waits for |
//! | `routes` | its API: what an engine's says, without what changes something |

mod place;
mod routes;
mod shown;
mod subject;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use anyhow::{Context, Result};
use netloom_course::Audience;
use tokio::net::UnixListener;
use tokio::sync::oneshot;

use place::Place;
use routes::Served;
use shown::Shown;
pub use subject::Subject;

/// The niceness of the thread that answers.
const NICENESS: i32 = 10;

/// A simulated run that is watched. Dropping it ends that.
pub struct Simulation {
    place: Place,
    shown: Arc<Shown>,
    /// Ends the thread.
    end: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Simulation {
    /// Has a run found under a name of its own, `NAME-sim`, from now on. Whoever asks it to end
    /// sets `stop`.
    ///
    /// # Errors
    /// The machine refuses the directory, the socket or the thread.
    pub fn open(subject: Subject, stop: Arc<AtomicBool>) -> Result<Self> {
        let place = Place::take(&subject.scenario.name)?;
        let listener = std::os::unix::net::UnixListener::bind(place.socket());
        let listener =
            listener.with_context(|| format!("cannot listen at {}", place.socket().display()))?;
        listener.set_nonblocking(true)?;
        let has_media = subject.scenario.nodes.iter().any(|node| node.medium.is_some());
        let shown = Arc::new(Shown::new(has_media));
        let served = Served::new(place.name(), subject, shown.clone(), stop);
        let (end, ended) = oneshot::channel();
        let run = move || serve(listener, &served, ended);
        let thread = std::thread::Builder::new().name("watch".into()).spawn(run);
        let thread = thread.context("cannot start the thread that answers those who watch")?;
        Ok(Self { place, shown, end: Some(end), thread: Some(thread) })
    }

    /// Returns the name under which it is found.
    pub fn name(&self) -> &str {
        self.place.name()
    }

    /// Returns the socket of its API.
    pub fn socket(&self) -> PathBuf {
        self.place.socket()
    }

    /// Returns what the run is to show its samples.
    pub fn audience(&self) -> &dyn Audience {
        &*self.shown
    }
}

impl Drop for Simulation {
    fn drop(&mut self) {
        // A thread that has died is told nothing, and has ended.
        let _ = self.end.take().map(|end| end.send(()));
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

/// Answers until the end.
fn serve(listener: std::os::unix::net::UnixListener, served: &Served, end: oneshot::Receiver<()>) {
    // A kernel that refuses that makes nothing worse than without.
    let _ = rustix::process::nice(NICENESS);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    // Without it nobody can watch, which concerns the run in no way.
    let Ok(runtime) = runtime else { return };
    runtime.block_on(async {
        let Ok(listener) = UnixListener::from_std(listener) else { return };
        let server = axum::serve(listener, routes::router(served.clone()));
        tokio::select! {
            _ = server => {}
            _ = end => {
                served.is_over.store(true, Ordering::Relaxed);
                served.shown.feed.close().await;
            }
        }
    });
    runtime.shutdown_background();
}
