//! The end of an experiment: many may ask for it, it happens once, and all can wait for it.

use netloom_api::event::EndReason;
use tokio::sync::watch;

/// The request to end the experiment, with its reason. Clones share one request.
#[derive(Clone)]
pub struct End(watch::Sender<Option<EndReason>>);

impl End {
    /// Makes an end that nobody has asked for.
    pub fn new() -> Self {
        Self(watch::Sender::new(None))
    }

    /// Asks for the end. The first reason stays.
    pub fn ask(&self, reason: EndReason) {
        self.0.send_if_modified(|asked| {
            let first = asked.is_none();
            asked.get_or_insert(reason);
            first
        });
    }

    /// Returns the reason for the end, if it was asked for.
    pub fn reason(&self) -> Option<EndReason> {
        *self.0.borrow()
    }

    /// Waits until the end is asked for.
    pub async fn asked(&self) {
        // The sender is ours, so waiting cannot fail.
        let _ = self.0.subscribe().wait_for(Option::is_some).await;
    }
}
