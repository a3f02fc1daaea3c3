//! Captures frames at interfaces. Not here: how a capture is written (`netloom-evidence`).

use std::io;
use std::time::Duration;

use anyhow::{Result, bail};
use netloom_dataplane::Capture;
use netloom_results::CaptureWriter;
use netloom_scenario::{Endpoint, Link};

use crate::live::{self, LiveNetwork};

/// The place at which frames are captured.
#[derive(Debug, Clone)]
pub enum Target {
    /// The frames at an interface.
    Interface(Endpoint),
    /// All frames on a shared medium.
    Medium(String),
}

impl Target {
    /// Returns the target that `endpoint` names. `medium:NAME` is a medium, unless a node is called
    /// `medium`.
    pub fn of(network: &LiveNetwork, endpoint: Endpoint) -> Self {
        let is_node = network.deployment().whole.scenario.node("medium").is_some();
        match endpoint {
            Endpoint { node, interface } if node == "medium" && !is_node => Self::Medium(interface),
            endpoint => Self::Interface(endpoint),
        }
    }

    /// Returns a writer of what is captured there. `zero` is the experiment's zero in seconds since
    /// 1970-01-01 UTC.
    pub fn writer(&self, zero: f64) -> io::Result<CaptureWriter> {
        let zero = Duration::from_secs_f64(zero);
        match self {
            Self::Interface(endpoint) => CaptureWriter::new(endpoint, zero),
            Self::Medium(name) => CaptureWriter::of_medium(name, zero),
        }
    }
}

/// Opens a capture of all frames on a shared medium, from now on.
pub fn open_medium(network: &LiveNetwork, medium: &str) -> Result<Capture> {
    network.with_deployment(|live, deployment| {
        let id = live::media::medium_id(deployment, medium)?;
        let node = deployment.mine.scenario.node(medium);
        if node
            .and_then(|node| node.medium.as_ref())
            .is_some_and(|it| it.config.mac.name() == "csma_cd")
        {
            bail!(
                "`{medium}` is a cable, on which there are no frames of 802.11: capture at an \
                 interface of a member"
            );
        }
        Ok(live.dataplane.capture_medium(id)?)
    })
}

/// Opens a capture of the frames at an interface, from now on. With `drops`, it includes the frames
/// that its link drops.
pub fn open(network: &LiveNetwork, interface: &Endpoint, drops: bool) -> Result<Capture> {
    network.with_deployment(|live, deployment| {
        let by_kernel = |link: &Link, kind: &str, who: &str| {
            if drops {
                bail!(
                    "link `{}` is {kind}, so what it drops cannot be captured: {who} only counts \
                     it; capture without drops",
                    link.name
                );
            }
            let socket =
                live.network.inside(&interface.node)?.packet_socket(&interface.interface)?;
            Ok(live.dataplane.capture_interface(socket))
        };
        if let Some(link) = deployment.border_link(interface)? {
            return by_kernel(link, "simulated", "the simulation");
        }
        let (link, end) = deployment.link_at(interface)?;
        if link.direct {
            return by_kernel(link, "direct", "the kernel");
        }
        let link = deployment.modelled(&link.name)?;
        Ok(match drops {
            true => live.dataplane.capture_with_drops(link, end)?,
            false => live.dataplane.capture(link, end)?,
        })
    })
}
