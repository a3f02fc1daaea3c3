//! The experiments of this machine, and one look at them for all who watch.

use std::time::{Duration, Instant};

use netloom_api::ui::Experiment;
use netloom_cli::Client;
use netloom_host::Found;
use tokio::sync::Mutex;

use crate::answer::{Answer, apart};

/// How old a look may be that another one who watches gets, too.
const FRESH: Duration = Duration::from_millis(750);

/// The last look at the experiments for those who watch: one for all of them.
#[derive(Default)]
pub struct Looked(Mutex<Option<Look>>);

struct Look {
    at: Instant,
    /// The version of the jobs before it.
    jobs: u64,
    all: Vec<Experiment>,
}

impl Looked {
    /// Returns the experiments as they are now, or were a moment ago: after the jobs of version
    /// `jobs`, in any case.
    pub async fn all(&self, jobs: u64) -> Answer<Vec<Experiment>> {
        let mut last = self.0.lock().await;
        match &*last {
            Some(look) if look.jobs == jobs && look.at.elapsed() < FRESH => Ok(look.all.clone()),
            _ => {
                let (at, all) = (Instant::now(), all().await?);
                *last = Some(Look { at, jobs, all: all.clone() });
                Ok(all)
            }
        }
    }
}

/// Returns all experiments, with the status of those whose engines answer soon.
pub async fn all() -> Answer<Vec<Experiment>> {
    let found = apart(|| Ok(netloom_host::experiments()?)).await?;
    let looked = found.into_iter().map(|found| async move {
        let status = match found.alive {
            true => Client::of(&found).status_soon().await,
            false => None,
        };
        let Found { name, alive, pid, .. } = found;
        let simulated = status.as_ref().is_some_and(|status| status.simulated);
        Experiment { name, alive, pid, simulated, status }
    });
    Ok(futures_util::future::join_all(looked).await)
}
