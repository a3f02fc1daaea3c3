//! What those are shown who watch the network live.

use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Result;
use netloom_course::{Carrier, Look};
use netloom_watch::Watched;

use crate::deployment::Deployment;
use crate::live::LiveNetwork;

/// The network, as those see it who watch.
pub struct Shown {
    network: Arc<LiveNetwork>,
    /// The deployment of the last look, with its number.
    deployment: Mutex<Option<(Arc<Deployment>, u32)>>,
}

impl Shown {
    /// Nobody has looked at this network yet.
    pub fn new(network: Arc<LiveNetwork>) -> Self {
        Self { network, deployment: Mutex::default() }
    }
}

impl Watched for Shown {
    fn look(&self, with_media: bool) -> Result<Arc<Look>> {
        let carried = || {
            self.network.carrying(|carriers| {
                let media = if with_media { carriers.media(false)? } else { Default::default() };
                Ok((carriers.looks()?, media))
            })
        };
        let mut deployment = self.network.deployment();
        let (mut links, mut media) = carried()?;
        // Places are those of the deployment that all of it was read in.
        while !Arc::ptr_eq(&deployment, &self.network.deployment()) {
            deployment = self.network.deployment();
            (links, media) = carried()?;
        }
        let at = self.network.since_zero();
        let mut last = self.deployment.lock().unwrap_or_else(PoisonError::into_inner);
        let revision = match &*last {
            Some((last, revision)) if Arc::ptr_eq(last, &deployment) => *revision,
            Some((_, revision)) => revision + 1,
            None => 0,
        };
        *last = Some((deployment, revision));
        Ok(Arc::new(Look { at, revision, links, media, simulated: false }))
    }
}
