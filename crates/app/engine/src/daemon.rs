//! The engine process, from its first line of input to its exit.
//!
//! One line of standard input says what to do ([`Launch`]); lines of standard output say how far
//! the engine is ([`StartUp`]). After that it speaks through its API. On any orderly end it takes
//! the network down and leaves nothing of the experiment. What a `kill -9` leaves behind is removed
//! by `netloom cleanup`.
//!
//! | module | contents |
//! |---|---|
//! | `claim` | the name of the experiment |
//! | `build` | makes the network |
//! | `serve` | serves the API, runs the experiment, takes the network down |
//! | `watch` | ends the experiment for reasons from outside |

mod build;
mod claim;
mod serve;
mod watch;

use std::any::Any;
use std::fs;
use std::io::{self, BufRead};
use std::panic;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow};
use netloom_api::ApiError;
use netloom_api::launch::{Launch, StartUp};
use netloom_nodes::Layout;

use crate::client::say;
use crate::cpus::Dedicated;
use crate::machine::Machine;
use crate::member;
use crate::monitoring::{Preparation, Thresholds};
use build::{Built, Order, build};
use claim::claim;
use serve::{Start, serve};

/// Runs the engine to its end. Returns the exit code of the process.
pub fn main() -> i32 {
    // The network is taken down after a panic, too.
    let ended = panic::catch_unwind(start).unwrap_or_else(|payload| Err(in_panic(&*payload)));
    match ended {
        Ok(()) => 0,
        Err(error) => {
            let error = ApiError { error: netloom_api::in_words(error.as_ref()), help: None };
            say(&StartUp::Failed(error));
            1
        }
    }
}

/// Returns the error for a panic: a library's refusal by the kernel, or a defect of ours.
fn in_panic(payload: &(dyn Any + Send)) -> anyhow::Error {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("no reason");
    anyhow!(
        "the engine gave up: {text}; if the machine has enough of everything (`netloom doctor`), \
         this is a defect"
    )
}

fn start() -> Result<()> {
    let began = Instant::now();
    netloom_dataplane::take_memory_in_large_pieces();
    // Detaches from the terminal of the starter: keys typed there, and its hangup, are for the
    // client. Fails for a leader of a process group, which does not have its parent's terminal.
    let _ = nix::unistd::setsid();
    let mut launch = launch()?;
    // Must come before there are threads and processes, which inherit the affinity, and before
    // there is anything to undo.
    let dedicated = Dedicated::set_apart(launch.scenario.workers.dedicated_cpus)?;
    let name = launch.name();
    let layout = Layout::new(&name);
    let claim = Arc::new(claim(&layout, &name)?);
    redirect_stderr(&layout.state_dir().join("engine.log"))?;
    let entered = enter_user_namespace(&layout, launch.shell.is_some());
    let (machine, gateway) = match entered.and_then(|()| Machine::leave(&launch, &layout)) {
        Ok(left) => left.map_or((None, None), |(machine, gateway)| (Some(machine), gateway)),
        Err(error) => {
            netloom_nodes::cleanup_layout(&layout)?;
            return Err(error);
        }
    };
    if launch.member.is_some() {
        member::be_there();
    }
    let declared_monitor = launch.scenario.monitor.clone();
    let dilation = launch.scenario.dilation;
    let criteria = &mut launch.scenario.monitor.criteria;
    let thresholds = Thresholds::set(criteria, &launch.calibration, dilation);
    let preparation = Preparation::start(&launch.scenario);
    let order = Order {
        launch: &launch,
        layout: &layout,
        machine: machine.as_ref(),
        declared_monitor,
        dedicated,
    };
    let built = match build(order, preparation) {
        Ok(built) => built,
        Err(error) => {
            // `build` has removed what it made; this removes the state directory.
            netloom_nodes::cleanup_layout(&layout)?;
            return Err(error);
        }
    };
    let Built { experiment, results, starts, published, preparation } = built;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .context("cannot start the engine's runtime")?;
    let deploy_seconds = began.elapsed().as_secs_f64();
    let start = Start {
        claim: Arc::clone(&claim),
        starts,
        published,
        preparation,
        thresholds,
        began,
        deploy_seconds,
        gateway,
        machine: machine.as_ref().map_or_else(|| runtime.handle().clone(), Machine::handle),
    };
    let served = runtime.block_on(serve(Arc::new(experiment), results, start));
    // Streams that are still open end with the runtime, so that their last event is sent.
    runtime.shutdown_timeout(Duration::from_secs(1));
    // Removes the state directory, and anything that could not be removed at the first try. If our
    // state directory is gone, the one at its path belongs to another engine.
    let cleaned = match claim.has_directory() {
        true => netloom_nodes::cleanup_layout(&layout).map(drop),
        false => Ok(()),
    };
    drop(claim);
    served.and(cleaned.map_err(Into::into))
}

/// Reads the launch order of the client.
fn launch() -> Result<Launch> {
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line).context("cannot read what to launch")?;
    let mut launch =
        Launch::from_json(line.as_bytes()).context("cannot understand what to launch")?;
    launch.scenario.share_data();
    Ok(launch)
}

/// Enters a user namespace in which an ordinary user may make networks. Must come before there are
/// threads. Leftovers of a dead engine live in a namespace beside this one, and must have been
/// removed before.
fn enter_user_namespace(layout: &Layout, is_shell: bool) -> Result<()> {
    if layout.is_rootless()
        && let Some(problem) = netloom_nodes::rootless::enter()?
        // In a shell, the command runs as its caller and never as another user.
        && !is_shell
    {
        say(&StartUp::Note(format!(
            "programs in nodes cannot change to other users: {problem} (docs/rootless.md)"
        )));
    }
    Ok(())
}

/// Sends the engine's own messages to a file from now on: the terminal belongs to the client.
fn redirect_stderr(log: &Path) -> Result<()> {
    let file = fs::File::create(log).with_context(|| format!("cannot make {}", log.display()))?;
    nix::unistd::dup2_stderr(&file).context("cannot redirect standard error")?;
    Ok(())
}
