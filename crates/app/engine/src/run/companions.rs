//! Traffic that companions of the data plane send themselves.

use std::sync::Arc;
use std::time::Duration;

use netloom_api::in_words;
use tokio::task::block_in_place;

use super::shared::Run;
use crate::companion::Companion;

/// Period of checks whether all foreground traffic is over.
const LOOK: Duration = Duration::from_millis(200);

/// Waits for the end of a companion's foreground traffic, or of the run.
pub async fn await_traffic(run: Run, companion: Arc<dyn Companion>) -> Result<(), String> {
    loop {
        let over = block_in_place(|| companion.done_at());
        if over.map_err(|error| in_words(error.as_ref()))?.is_some_and(|over| over <= run.now()) {
            return Ok(());
        }
        tokio::select! {
            () = tokio::time::sleep(LOOK) => {}
            () = run.end().asked() => return Ok(()),
        }
    }
}
