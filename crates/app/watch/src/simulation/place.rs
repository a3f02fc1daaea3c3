//! The name and the socket of a simulation, among those of experiments.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use netloom_host::{Existed, Layout, StateLock, write_process};

/// File in the state directory of a simulation. A directory without it belongs to an experiment.
const MARK: &str = "simulation";

/// Most simulations of one scenario that are watched at a time.
const MOST: usize = 100;

/// A name that nobody else has while this lives.
pub struct Place {
    layout: Layout,
    /// Held until the directory is gone.
    _lock: StateLock,
}

impl Place {
    /// Takes the first free name for a simulation of scenario `name`.
    pub fn take(name: &str) -> Result<Self> {
        for number in 1..=MOST {
            let own = match number {
                1 => format!("{name}-sim"),
                _ => format!("{name}-sim-{number}"),
            };
            netloom_scenario::check_experiment_name(&own).map_err(anyhow::Error::msg)?;
            let layout = Layout::new(&own);
            layout.check_state_root()?;
            let directory = layout.state_dir();
            let describe = || format!("cannot use {}", directory.display());
            let (lock, existed) = match StateLock::claim(directory).with_context(describe)? {
                Some(claimed) => claimed,
                None => continue,
            };
            match existed {
                Existed::New => {}
                // What is left of an experiment is for `netloom cleanup`.
                Existed::LeftBehind if !directory.join(MARK).exists() => continue,
                Existed::LeftBehind => _ = fs::remove_file(layout.socket()),
            }
            fs::write(directory.join(MARK), "").with_context(describe)?;
            write_process(&layout)?;
            return Ok(Self { layout, _lock: lock });
        }
        bail!("{MOST} simulations of `{name}` are watched already")
    }

    pub fn name(&self) -> &str {
        self.layout.experiment()
    }

    pub fn socket(&self) -> PathBuf {
        self.layout.socket()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        // What cannot be removed now is removed by the next one, or by `netloom cleanup`.
        let _ = fs::remove_dir_all(self.layout.state_dir());
    }
}
