//! Asks the engine for everything every second, and follows its events, on a thread of its own: the
//! answer for thousands of links takes a while to parse, and keys must not wait for it.

use std::thread;
use std::time::Duration;

use anyhow::{Context, Result};
use netloom_api::event::Event;
use netloom_link::Window;
use tokio::runtime;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::{MissedTickBehavior, interval, timeout};

use super::sample::Sample;
use crate::client::Client;

/// Time between two samples.
const PERIOD: Duration = Duration::from_secs(1);
/// Longest time from an engine's last answer to the end of its events.
const PATIENCE: Duration = Duration::from_secs(3);

/// What comes from the engine.
pub enum News {
    /// A sample.
    Sample(Box<Sample>),
    /// An event.
    Event(Box<Event>),
    /// The engine does not answer.
    Failed(anyhow::Error),
    /// There are no more events: the experiment has ended.
    Ended,
}

/// Starts to ask, and returns what comes. The thread ends with the receiver, the experiment, or a
/// failure.
pub fn start(client: Client, window: Option<Window>) -> Result<UnboundedReceiver<News>> {
    let (news, came) = unbounded_channel();
    let runtime = runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.context("cannot start to watch")?;
    let thread = thread::Builder::new().name("feed".into());
    let feed = async move {
        let last = match tell(&client, window, &news).await {
            Ok(()) => News::Ended,
            Err(error) => News::Failed(error),
        };
        // Nobody needs it if the page is gone.
        let _ = news.send(last);
    };
    thread.spawn(move || runtime.block_on(feed)).context("cannot start to watch")?;
    Ok(came)
}

/// Tells news until the experiment ends, or nobody listens.
async fn tell(client: &Client, window: Option<Window>, news: &UnboundedSender<News>) -> Result<()> {
    let mut events = client.events(0).await?;
    let mut ended = std::pin::pin!(async {
        while let Some(event) = events.next().await? {
            if news.send(News::Event(Box::new(event))).is_err() {
                break;
            }
        }
        anyhow::Ok(())
    });
    let samples = async {
        let mut ticks = interval(PERIOD);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            let sample = Box::new(Sample::fetch(client, window).await?);
            if news.send(News::Sample(sample)).is_err() {
                return anyhow::Ok(());
            }
        }
    };
    let failed = tokio::select! {
        ended = &mut ended => return ended,
        sampled = samples => match sampled {
            Ok(()) => return Ok(()),
            Err(error) => error,
        },
    };
    // An engine that ends refuses requests before it ends its events.
    timeout(PATIENCE, ended).await.unwrap_or(Err(failed))
}
