//! Shows something again every second.

use std::time::Duration;

use anyhow::Result;

use crate::{exit, output};

/// Shows the result of `look` repeatedly, until Ctrl-C, or until the reader is gone.
pub async fn watch(look: impl AsyncFn() -> Result<String>) -> Result<i32> {
    let shown = async {
        loop {
            let text = look().await?;
            output::clear_screen();
            print!("{text}");
            if output::is_closed() {
                return Ok(exit::SUCCESS);
            }
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
    };
    tokio::select! {
        ended = shown => ended,
        _ = tokio::signal::ctrl_c() => Ok(exit::SUCCESS),
    }
}
