//! The name of an experiment, claimed for the life of its engine.

use std::fs;

use anyhow::{Context, Result, bail};
use netloom_api::launch::StartUp;
use netloom_host::{Existed, StateLock};
use netloom_nodes::Layout;

use crate::client::say;

/// Claims the experiment's name, and removes what a dead engine of this name left.
pub fn claim(layout: &Layout, name: &str) -> Result<StateLock> {
    layout.create_state_root()?;
    for _ in 0..3 {
        let directory = layout.state_dir();
        let claim = StateLock::claim(directory)
            .with_context(|| format!("cannot make {}", directory.display()))?;
        let Some((lock, existed)) = claim else {
            if netloom_host::wait_if_going(layout)? {
                continue;
            }
            bail!(
                "an experiment called `{name}` is already running; \
                 end it with `netloom destroy {name}` or choose another name with `--name`"
            );
        };
        if existed == Existed::New {
            return match netloom_host::write_process(layout) {
                Ok(()) => Ok(lock),
                Err(error) => {
                    let _ = fs::remove_dir_all(directory);
                    Err(error)
                }
            };
        }
        if netloom_host::is_running(layout) {
            bail!("the engine of `{name}` has lost its lock and is about to end; try again");
        }
        say(&StartUp::Note(format!("cleaned up after an engine of `{name}` that had died")));
        netloom_nodes::cleanup_layout(layout)?;
    }
    bail!("the state directory of `{name}` keeps coming back: is another start under way?")
}
