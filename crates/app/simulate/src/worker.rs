//! A process that has a part of a simulated network. The first process starts it, sends orders to
//! its standard input, and reads answers from its standard output. Not here: the first process
//! (`processes`).

use std::convert::Infallible;
use std::fs::File;
use std::io::{BufReader, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::process::exit;
use std::thread;

use anyhow::{Context, Result};
use netloom_scenario::Scenario;
use netloom_sim::{Division, Simulation};
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use crate::message::{Answer, Begin, Order, Ready, receive, send};
use crate::prepared::prepare;
use crate::threads::{self, Others, Progress, Round};

/// The argument that starts the binary in this role.
pub const ROLE: &str = "__simulate";

/// Runs the process, until the first one does not need it any more. Returns the exit code.
pub fn main() -> i32 {
    let streams = || {
        let own = |of: std::os::fd::BorrowedFd<'_>| of.try_clone_to_owned().map(File::from);
        let (input, output) = (std::io::stdin(), std::io::stdout());
        watch(input.as_fd().try_clone_to_owned()?);
        std::io::Result::Ok((own(input.as_fd())?, own(output.as_fd())?))
    };
    let (input, mut output) = match streams() {
        Ok(streams) => streams,
        Err(error) => {
            eprintln!("error: a process of a simulated run cannot use its streams: {error}");
            return 1;
        }
    };
    let line = Line { input: BufReader::new(input), output: &output, next: None };
    let Err(error) = serve(line);
    // The first process reports the error, if it still exists.
    let _ = send(&Answer::Failed(format!("{error:#}")), &mut output);
    1
}

/// Ends this process when the other end of its standard input is closed: the first process has
/// finished, or died. While cells run, no other thread reads this input.
fn watch(input: OwnedFd) {
    thread::spawn(move || {
        loop {
            // With no events requested, `poll` returns only when the other end is closed.
            let mut ends = [PollFd::new(input.as_fd(), PollFlags::empty())];
            match poll(&mut ends, PollTimeout::NONE) {
                Err(Errno::EINTR) => {}
                Ok(_) | Err(_) => exit(0),
            }
        }
    });
}

/// Carries out orders for as long as they arrive.
fn serve<R: Read + Send, W: Write + Send>(mut line: Line<R, W>) -> Result<Infallible> {
    let Begin { cells, processes, process, threads, scenario } = Begin::receive(&mut line.input)?;
    let scenario = Scenario::from_json(scenario.as_bytes()).context("it is no scenario")?;
    let division = Division { cells, processes, process };
    let mut simulation = prepare(&scenario, division)?.simulation;
    drop(scenario);
    send(&Answer::Ready(ready(&mut simulation)), &mut line.output)?;
    loop {
        let answer = match line.order()? {
            Order::Run(until, round) => {
                threads::advance(&mut simulation, until, threads as usize, (round, &mut line))?;
                continue;
            }
            Order::Reach(until) => {
                simulation.reach(until)?;
                Answer::Stands(simulation.standing())
            }
            Order::SamplePipes => Answer::Pipes(Box::new(simulation.sample_pipes())),
            Order::SampleFlows => Answer::Flows(simulation.sample_flows(0..simulation.flows())),
        };
        send(&answer, &mut line.output)?;
    }
}

/// Returns the state of a process before the simulation begins.
pub fn ready(simulation: &mut Simulation) -> Ready {
    Ready {
        // There are fewer of both than `u32` can number.
        cells: simulation.hearers.len() as u32,
        pipes: simulation.pipes() as u32,
        next: simulation.next_events(),
        standing: simulation.standing(),
    }
}

/// The line to the first process.
struct Line<R, W> {
    input: R,
    output: W,
    /// An order that must be carried out next.
    next: Option<Order>,
}

impl<R: Read, W> Line<R, W> {
    fn order(&mut self) -> Result<Order> {
        self.next.take().map_or_else(|| receive(&mut self.input), Ok)
    }
}

impl<R: Read + Send, W: Write + Send> Others for Line<R, W> {
    fn exchange(&mut self, progress: Progress) -> Result<Option<Round>> {
        send(&Answer::Ran(progress), &mut self.output)?;
        match receive(&mut self.input)? {
            // The time limit is that of the rounds before.
            Order::Run(_, round) => Ok(Some(round)),
            order => {
                self.next = Some(order);
                Ok(None)
            }
        }
    }
}
