//! `netloom deploy`

use std::ops::ControlFlow;

use anyhow::Result;

use super::bring_up::{self, bring_up};
use super::{apply, ready};
use crate::args::{Deploy, Format};
use crate::client::Client;
use crate::find::Loaded;
use crate::launch::prepare;
use crate::{exit, output};

/// Brings the network up and returns.
pub async fn deploy(args: Deploy) -> Result<i32> {
    if args.format == Format::Json {
        output::be_lines();
    }
    let loaded = prepare(&args.start)?;
    eprint!("{}", loaded.warnings);
    let found = netloom_host::inspect(&loaded.scenario.name)?;
    // If the engine does not answer, the lock of its name shows whether to wait for it.
    if args.lease {
        return leased(&args, &loaded).await;
    }
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

/// Brings the network up, and takes it down when standard input closes.
async fn leased(args: &Deploy, loaded: &Loaded) -> Result<i32> {
    let (engine, interrupts) = match bring_up::ready(&args.start, loaded, true).await? {
        ControlFlow::Continue(ready) => ready,
        ControlFlow::Break(code) => return Ok(code),
    };
    let name = &loaded.scenario.name;
    if let Some(limit) = args.wait {
        let code = ready::wait(&Client::of(&netloom_host::inspect(name)?), limit.into()).await?;
        if code != exit::SUCCESS {
            return Ok(code);
        }
    }
    bring_up::hold(engine, interrupts, name).await
}
