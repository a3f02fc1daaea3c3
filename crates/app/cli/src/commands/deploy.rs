//! `netloom deploy`

use anyhow::Result;

use super::bring_up::bring_up;
use super::{apply, ready};
use crate::args::Deploy;
use crate::client::Client;
use crate::exit;
use crate::launch::prepare;

/// Brings the network up and returns.
pub async fn deploy(args: Deploy) -> Result<i32> {
    let loaded = prepare(&args.start)?;
    eprint!("{}", loaded.warnings);
    let found = netloom_host::inspect(&loaded.scenario.name)?;
    // If the engine does not answer, the lock of its name shows whether to wait for it.
    let code = match found.alive && Client::of(&found).is_reachable().await {
        true => apply::check_unchanged(&found, &loaded).await?,
        false => bring_up(&args.start, &loaded).await?,
    };
    match args.wait {
        Some(limit) if code == exit::SUCCESS => {
            let found = netloom_host::inspect(&loaded.scenario.name)?;
            ready::wait(&Client::of(&found), limit.into()).await
        }
        _ => Ok(code),
    }
}
