//! `netloom inspect --watch` in a terminal: one experiment on a page that fills the screen.
//!
//! | module | contents |
//! |---|---|
//! | `sample` | what the engine answers at one time, and what happened between two times |
//! | `feed` | asks the engine every second, and follows its events |
//! | `log` | events in words, and the outcome so far |
//! | `model` | the state of the page: samples, events, and the keys that were pressed |
//! | `panes` | the tables of the page |
//! | `grid` | rows and columns, as wide as the screen lets them be |
//! | `drawing` | the page, drawn |
//! | `screen` | the terminal, which is as before when the page goes |

mod drawing;
mod feed;
mod grid;
mod log;
mod model;
mod panes;
mod sample;
mod screen;
#[cfg(test)]
mod tests;

use std::io::IsTerminal;
use std::time::Duration;

use anyhow::{Result, anyhow, bail};
use netloom_api::event::EndReason;
use netloom_api::summary::Summary;
use netloom_host::Found;
use netloom_link::Window;
use nix::sys::signal::Signal;
use ratatui::crossterm::event::Event as Input;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::{Instant, sleep};

use super::summary;
use crate::client::Client;
use crate::exit;
use crate::interrupts::Interrupts;
use feed::News;
use model::{Asked, Model};
use screen::Screen;

/// Longest wait for an engine to go that ends its experiment, and the pause after each look.
const PATIENCE: Duration = Duration::from_secs(10);
const PAUSE: Duration = Duration::from_millis(50);

/// Whether there is a terminal that can show a page.
pub fn is_possible() -> bool {
    let term = std::env::var("TERM").unwrap_or_default();
    let is_clever = !matches!(&*term, "" | "dumb");
    is_clever && std::io::stdin().is_terminal() && std::io::stdout().is_terminal()
}

/// Why the page goes.
enum End {
    /// The user leaves.
    Left,
    /// A signal ends this program.
    Signal(i32),
    /// The experiment has ended.
    Ended,
}

/// Shows the experiment until the user leaves or it ends. With a `window`, figures of links are
/// those of the last seconds, otherwise those since the page before.
pub async fn watch(client: Client, window: Option<Window>) -> Result<i32> {
    let mut interrupts = Interrupts::watch()?;
    let mut news = feed::start(client.clone(), window)?;
    let mut model = Model::new(client.experiment(), window);
    let mut screen = Screen::enter()?;
    let ended = follow(&mut screen, &mut model, &mut news, &mut interrupts).await;
    screen.leave();
    match ended? {
        End::Left => Ok(exit::SUCCESS),
        // Ctrl-C leaves, however it comes.
        End::Signal(number) if number == Signal::SIGINT as i32 => Ok(exit::SUCCESS),
        End::Signal(number) => Ok(128 + number),
        End::Ended => tokio::select! {
            // As for all requests to an experiment that does not run.
            printed = print_end(&client, &model) => printed.map(|()| exit::FAILURE),
            number = interrupts.next() => Ok(128 + number),
        },
    }
}

/// Draws the page whenever something is new.
async fn follow(
    screen: &mut Screen,
    model: &mut Model,
    news: &mut UnboundedReceiver<News>,
    interrupts: &mut Interrupts,
) -> Result<End> {
    let mut inputs = screen::inputs()?;
    loop {
        screen.draw(model)?;
        let end = tokio::select! {
            Some(input) = inputs.recv() => press(screen, model, &input?)?,
            came = news.recv() => hear(model, came)?,
            number = interrupts.next() => Some(End::Signal(number)),
        };
        if end.is_some() {
            return Ok(end.unwrap_or(End::Left));
        }
        // All that has come meanwhile is on the next page.
        while let Ok(more) = news.try_recv() {
            if let Some(end) = hear(model, Some(more))? {
                return Ok(end);
            }
        }
    }
}

fn press(screen: &mut Screen, model: &mut Model, input: &Input) -> Result<Option<End>> {
    // A change of the size is drawn like all else.
    let Input::Key(key) = input else { return Ok(None) };
    match model.press(*key) {
        Asked::Nothing => Ok(None),
        Asked::Leave => Ok(Some(End::Left)),
        Asked::Pause => screen.pause().map(|()| None),
    }
}

fn hear(model: &mut Model, news: Option<News>) -> Result<Option<End>> {
    match news {
        Some(News::Sample(sample)) => model.take(*sample),
        Some(News::Event(event)) => model.log.add(&event),
        Some(News::Failed(error)) => return Err(error),
        Some(News::Ended) => return Ok(Some(End::Ended)),
        None => return Err(anyhow!("internal error: the engine is not asked any more")),
    }
    Ok(None)
}

/// Prints how the experiment ended, with the summary of a run.
///
/// # Errors
/// If its engine has died.
async fn print_end(client: &Client, model: &Model) -> Result<()> {
    let name = client.experiment();
    let left = once_gone(name).await?;
    if !left.alive && left.pid.is_some() {
        bail!("the engine of `{name}` has died; `netloom cleanup {name}` removes what is left");
    }
    // What is deployed has no run that ends.
    let reason = model.log.ended.unwrap_or(EndReason::Interrupted);
    println!("`{name}` has ended: {}", reason.in_words());
    let results = model.sample().and_then(|sample| sample.view.experiment.results.as_deref());
    let Some(results) = results else { return Ok(()) };
    // A run writes it last.
    let text = std::fs::read(results.join("summary.json"));
    match text.ok().and_then(|text| Summary::from_json(&text).ok()) {
        Some(run) => print!("{}", summary::page(&run, results, None)),
        None => println!("{} has no summary.json that can be read", results.display()),
    }
    Ok(())
}

/// Waits until an engine that ends is gone, but not for ever. Returns what is left of it.
async fn once_gone(name: &str) -> Result<Found> {
    let end = Instant::now() + PATIENCE;
    loop {
        let found = netloom_host::inspect(name)?;
        if !found.alive || Instant::now() >= end {
            return Ok(found);
        }
        sleep(PAUSE).await;
    }
}
