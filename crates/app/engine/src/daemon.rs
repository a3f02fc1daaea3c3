//! The engine process, from its first line of input to its exit.
//!
//! One line of standard input says what to do ([`Launch`]); lines of standard output say how far it
//! is ([`StartUp`]). From then on it speaks through its API. Whatever ends it in an orderly way, it
//! takes the network down, and nothing of the experiment is left; what a `kill -9` leaves is
//! removed by `netloom cleanup`.
//!
//! | module | what |
//! |---|---|
//! | `claim` | the name of the experiment |
//! | `build` | making the network |
//! | `serve` | serving the API, running what is to be run, taking the network down |
//! | `watch` | what ends an experiment from outside |

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
use crate::monitoring::{Preparation, Thresholds};
use build::{Built, Order, build};
use claim::claim;
use serve::{Start, serve};

/// Runs the engine to its end; the process' exit code.
pub fn main() -> i32 {
    // What was made is taken down on the way out of a panic, too.
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

/// What a panic says: of a library that the kernel has refused something, or a defect of ours.
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
    // The terminal of whoever started it is not its own: what is typed there, and its end, are for
    // the client. Fails for a leader of a process group, which has none of its parent's.
    let _ = nix::unistd::setsid();
    let mut launch = launch()?;
    // Before there are threads and processes, which inherit it, and before there is anything to
    // take back.
    let dedicated = Dedicated::set_apart(launch.scenario.workers.dedicated_cpus)?;
    let layout = Layout::new(&launch.scenario.name);
    let claim = Arc::new(claim(&layout, &launch.scenario.name)?);
    redirect_stderr(&layout.state_dir().join("engine.log"))?;
    let entered = enter_user_namespace(&layout, launch.shell.is_some());
    let (machine, gateway) = match entered.and_then(|()| Machine::leave(&launch, &layout)) {
        Ok(left) => left.map_or((None, None), |(machine, gateway)| (Some(machine), gateway)),
        Err(error) => {
            netloom_nodes::cleanup_layout(&layout)?;
            return Err(error);
        }
    };
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
            // `build` has taken back what it made; this removes the state directory.
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
        deploy_seconds,
        gateway,
        machine: machine.as_ref().map_or_else(|| runtime.handle().clone(), Machine::handle),
    };
    let served = runtime.block_on(serve(Arc::new(experiment), results, start));
    // Streams that are still open end with the runtime, not before their last event was sent.
    runtime.shutdown_timeout(Duration::from_secs(1));
    // What is left is the state directory, and whatever could not be removed at the first try.
    // Without the state directory, what is at its place is another engine's.
    let cleaned = match claim.has_directory() {
        true => netloom_nodes::cleanup_layout(&layout).map(drop),
        false => Ok(()),
    };
    drop(claim);
    served.and(cleaned.map_err(Into::into))
}

/// What is to be launched, as the client says.
fn launch() -> Result<Launch> {
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line).context("cannot read what to launch")?;
    let mut launch: Launch =
        serde_json::from_str(&line).context("cannot understand what to launch")?;
    launch.scenario.share_data();
    Ok(launch)
}

/// For an ordinary user, goes where one may make networks; before there are threads. What a dead
/// engine left was made in a namespace beside this one, and must have been removed before.
fn enter_user_namespace(layout: &Layout, is_shell: bool) -> Result<()> {
    if layout.is_rootless()
        && let Some(problem) = netloom_nodes::rootless::enter()?
        // The command of a shell is its caller, and nobody else.
        && !is_shell
    {
        say(&StartUp::Note(format!(
            "programs in nodes cannot change to other users: {problem} (docs/rootless.md)"
        )));
    }
    Ok(())
}

/// From now on the engine's own words go to a file: the terminal belongs to the client.
fn redirect_stderr(log: &Path) -> Result<()> {
    let file = fs::File::create(log).with_context(|| format!("cannot make {}", log.display()))?;
    nix::unistd::dup2_stderr(&file).context("cannot redirect standard error")?;
    Ok(())
}
