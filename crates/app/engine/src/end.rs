//! The end of an experiment: asked for by many, once, and waited for by all.

use netloom_api::event::EndReason;
use tokio::sync::watch;

/// Says when the experiment is to end, and why. Clones speak of the same end.
#[derive(Clone)]
pub struct End(watch::Sender<Option<EndReason>>);

impl End {
    /// An end that nobody has asked for.
    pub fn new() -> Self {
        Self(watch::Sender::new(None))
    }

    /// Asks for the end. The first reason stands.
    pub fn ask(&self, reason: EndReason) {
        self.0.send_if_modified(|asked| {
            let first = asked.is_none();
            asked.get_or_insert(reason);
            first
        });
    }

    /// Why the end was asked for, if it was.
    pub fn reason(&self) -> Option<EndReason> {
        *self.0.borrow()
    }

    /// Waits until the end is asked for.
    pub async fn asked(&self) {
        // The sender is ours: waiting cannot fail.
        let _ = self.0.subscribe().wait_for(Option::is_some).await;
    }
}
