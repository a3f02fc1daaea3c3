//! `netloom shell`
//!
//! | module | contents |
//! |---|---|
//! | `network` | the network as a scenario |
//! | `caller` | the user that the command runs as |
//! | `files` | `/etc/hosts` and `/etc/resolv.conf` of the command |
//! | `child` | the command while it runs |

mod caller;
mod child;
mod files;
mod network;

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use netloom_api::launch::{Gateway, Launch, Mode, Shell as Orders};
use netloom_host::shell::{Entrance, Order};
use netloom_host::{Layout, free_subnets};

use super::bring_up::until_ready;
use super::{report, summary};
use crate::args::Shell;
use crate::client::Client;
use crate::exit::{self, WithCode};
use crate::find::Loaded;
use crate::interrupts::Interrupts;
use crate::launch::{Engine, results_directory};
use crate::{preflight, profile_file, results};
use caller::Caller;
use child::{Child, CommandEnd};
use network::{NODE, Network};

/// Runs a command over a link of its own. Returns its exit code.
pub async fn shell(args: Shell) -> Result<i32> {
    let Prepared { caller, network, loaded, results } = prepare(&args).map_err(nothing_done)?;
    match run(&args, &caller, &network, &loaded, results.as_deref()).await {
        // Codes below 125 belong to the command.
        Err(error) => Err(with_code(exit::EXEC_FAILED, error)),
        code => code,
    }
}

/// What a shell needs before anything is made.
struct Prepared {
    caller: Caller,
    network: Network,
    loaded: Loaded,
    /// The directory of the results, if they are kept.
    results: Option<PathBuf>,
}

fn prepare(args: &Shell) -> Result<Prepared> {
    let caller = Caller::of_this_process()?;
    let network = plan(args)?;
    let loaded = network.load(args)?;
    preflight::check(&loaded.scenario)?;
    let results = match (&args.output, &args.timeline) {
        (None, None) => None,
        _ => Some(results_directory(args.output.clone(), &loaded)?),
    };
    Ok(Prepared { caller, network, loaded, results })
}

/// Gives an error its code: the command has not run, and nothing that was made is left.
fn nothing_done(error: anyhow::Error) -> anyhow::Error {
    with_code(exit::USAGE, error)
}

/// Gives an error a code, unless it has one.
fn with_code(code: i32, error: anyhow::Error) -> anyhow::Error {
    if error.downcast_ref::<WithCode>().is_some() {
        return error;
    }
    WithCode { code, message: netloom_api::in_words(error.as_ref()) }.into()
}

/// Plans the network.
fn plan(args: &Shell) -> Result<Network> {
    let pid = std::process::id();
    let is_root = nix::unistd::geteuid().is_root();
    if !is_root && !args.offline && netloom_host::shell::pasta().is_none() {
        return Err(exit::usage(
            "without root, a shell reaches the machine's network by `pasta`, which is not \
             installed: install it (package `passt`), or give `--offline`",
        ));
    }
    let [subnets, uplink] = free_subnets(pid).context(
        "every subnet of 100.64.0.0/10, or of fd4e:6574:4c6d::/48, overlaps a route or an address \
         here (`ip route show table all`)",
    )?;
    let name = args.name.clone().unwrap_or_else(|| format!("shell-{pid}"));
    netloom_scenario::check_experiment_name(&name).map_err(exit::usage)?;
    let gateway =
        (!is_root).then(|| Gateway { uplink: (!args.offline).then_some((uplink.v4, uplink.v6)) });
    let ipv6 = match netloom_host::may_have_ipv6_behind() {
        Ok(has_ipv6) => has_ipv6,
        // With a gateway, the machine itself does not become a router.
        Err(_) if gateway.is_some() => true,
        Err(why) => {
            eprintln!("note: the command has no IPv6: {why}");
            false
        }
    };
    let device = format!("shell{pid}");
    Ok(Network { name, device, subnets, gateway, ipv6, offline: args.offline })
}

async fn run(
    args: &Shell,
    caller: &Caller,
    network: &Network,
    loaded: &Loaded,
    results: Option<&Path>,
) -> Result<i32> {
    let mut engine = start(network, loaded, results).await.map_err(nothing_done)?;
    // From here on a signal no longer ends this program.
    let interrupts = Interrupts::watch()?;
    let name = &network.name;
    let ready = until_ready(&mut engine, interrupts, name).await.map_err(nothing_done)?;
    let mut interrupts = match ready {
        ControlFlow::Continue(interrupts) => interrupts,
        ControlFlow::Break(code) => return Ok(code),
    };
    let entrance = enter(network, &engine);
    let started = entrance.and_then(|entrance| {
        let order = order(caller, network)?;
        let command = caller.command(args)?;
        Child::start(entrance, order, &command, &caller.environment(network))
    });
    let outcome = match started {
        Ok(child) => child.attend(&mut engine, &mut interrupts).await,
        Err(error) => Err(error),
    };
    end(network, &mut engine, &mut interrupts, &outcome).await?;
    if let Some(directory) = results {
        conclude(directory)?;
    }
    match outcome? {
        CommandEnd::Ended(code) => Ok(code),
        CommandEnd::Abandoned => bail!(
            "the engine of `{name}` died; the command was ended, and nothing of the network is left"
        ),
    }
}

async fn start(network: &Network, loaded: &Loaded, results: Option<&Path>) -> Result<Engine> {
    let mode = match results {
        Some(directory) => Mode::Run { results: directory.into(), fail_fast: false },
        None => Mode::Deploy,
    };
    let resolver = (!network.offline).then_some(network.subnets.v4);
    let orders = Launch {
        scenario: loaded.scenario.clone(),
        source: loaded.source.clone(),
        file: loaded.file.clone(),
        directory: loaded.directory.clone(),
        mode,
        workers: None,
        calibration: profile_file::calibration(),
        shell: Some(Orders { node: NODE.into(), resolver, gateway: network.gateway.clone() }),
        member: None,
    };
    Engine::launch(orders, false).await
}

/// Opens the entrance to the network.
fn enter(network: &Network, engine: &Engine) -> Result<Entrance> {
    let pid = engine.pid().context("the engine has ended")?;
    Entrance::open(&Layout::new(&network.name), pid, NODE)
        .context("cannot open the command's network")
}

fn order(caller: &Caller, network: &Network) -> Result<Order> {
    Ok(Order {
        caller: caller.other.clone(),
        hosts: files::hosts(network)?,
        resolver: files::resolver(network)?,
    })
}

/// Takes the network down, with all remaining processes of the command.
async fn end(
    network: &Network,
    engine: &mut Engine,
    interrupts: &mut Interrupts,
    outcome: &Result<CommandEnd>,
) -> Result<()> {
    let name = &network.name;
    let client = Client::new(name, &Layout::new(name).socket());
    let ended = async {
        if !matches!(outcome, Ok(CommandEnd::Abandoned)) {
            client.shutdown().await?;
        }
        engine.wait().await
    };
    let ended = tokio::select! {
        ended = ended => ended.map(Some),
        _ = interrupts.next() => Ok(None),
    };
    match ended {
        Ok(Some(ended)) if ended.status.success() => Ok(()),
        ended => {
            // The engine may have ended by itself.
            let _ = engine.kill().await;
            netloom_host::cleanup(name)?;
            match ended {
                Ok(Some(ended)) => match ended.error {
                    Some(error) => bail!("the engine of `{name}` ended with an error: {error}"),
                    None => Ok(()),
                },
                Ok(None) => Ok(()),
                Err(error) => Err(error),
            }
        }
    }
}

/// Prints the summary of the kept results, after the command's output.
fn conclude(directory: &Path) -> Result<()> {
    let held = results::Held::new(directory);
    let reached = held.as_ref().map_or_else(|_| directory.to_owned(), results::Held::path);
    let run = results::read(&reached)?;
    let report = report::write_beside(&run, &reached).then(|| report::beside(directory));
    eprint!("{}", summary::page(&run.summary, directory, report.as_deref()));
    Ok(())
}
