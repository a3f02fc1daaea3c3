//! Congestion controls behind one trait. Each has a file, whose module comment names its source. A
//! new one takes its own file and a line in `algorithms!`.
//!
//! All arithmetic is in integers. Windows are in packets of a maximum segment.

mod bbr;
mod bbr3;
mod bic;
mod cdg;
mod cubic;
mod dctcp;
mod flow;
mod highspeed;
mod htcp;
mod hybla;
mod hystart;
mod illinois;
mod lp;
mod nv;
mod path;
mod prague;
mod reno;
mod scalable;
mod vegas;
mod veno;
mod westwood;
mod yeah;

pub use flow::{Acked, CongestionEvent, Flow, RecoveryState};

use std::fmt;
use std::str::FromStr;

use crate::config::Config;
use crate::rate::RateSample;

/// The use of ECN by a congestion control.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EcnUse {
    /// ECN as configured. A mark counts as a loss (RFC 3168).
    Classic,
    /// ECN is always requested, even pure acknowledgements are marked as ECN-capable, and each mark
    /// is echoed (RFC 8257 §3).
    Accurate,
    /// As accurate, by packets that ask for low latency: ECT(1) (RFC 9331 §4.1).
    LowLatency,
}

/// A congestion control. The endpoint calls it with its [`Flow`]; where the flow is mutable, the
/// control may change its window. Default methods are those of a control that reacts to losses and
/// does not pace.
pub trait CongestionControl: fmt::Debug + Send {
    /// Called when the connection is established.
    fn start(&mut self, flow: &mut Flow) {
        let _ = flow;
    }

    /// Returns the slow-start threshold after a congestion event (a loss, a mark, a timeout).
    fn reduce(&mut self, flow: &mut Flow) -> u32;

    /// Lets the window grow, after `acked` packets were acknowledged. Called while nothing is being
    /// repaired, or while the losses of a timeout are (slow start). It is also called when the
    /// application limits the sending rate: see [`Flow::cwnd_limited`].
    fn grow(&mut self, flow: &mut Flow, acked: u32);

    /// Returns the window after an undone reduction (RFC 4015).
    fn undo(&mut self, flow: &mut Flow) -> u32 {
        flow.cwnd.max(flow.prior_cwnd)
    }

    /// Called when packets were acknowledged or SACKed.
    fn acked(&mut self, flow: &mut Flow, sample: &Acked) {
        let _ = (flow, sample);
    }

    /// Called before the state of recovery changes from [`Flow::state`] to `state`.
    fn state_changes(&mut self, flow: &mut Flow, state: RecoveryState) {
        let _ = (flow, state);
    }

    /// Called for each event.
    fn event(&mut self, flow: &mut Flow, event: CongestionEvent) {
        let _ = (flow, event);
    }

    /// Sets the window and the pacing rate after each acknowledgement, in place of `grow` and of
    /// proportional rate reduction. Returns `true` if it did.
    fn control(&mut self, flow: &mut Flow, sample: &RateSample) -> bool {
        let _ = (flow, sample);
        false
    }

    /// Whether [`control`](Self::control) sets the window.
    fn sets_window(&self) -> bool {
        false
    }

    /// Whether packets are spread over time by [`Flow::pacing_rate`].
    fn paces(&self) -> bool {
        false
    }

    /// Returns the use of ECN.
    fn ecn(&self) -> EcnUse {
        EcnUse::Classic
    }

    /// Returns the smallest burst in packets, if it differs from the configuration's.
    fn min_burst(&self, flow: &Flow) -> Option<u32> {
        let _ = flow;
        None
    }

    /// Number of windows that the send buffer holds.
    fn send_buffer_windows(&self) -> u32 {
        2
    }
}

/// The method by which CUBIC leaves slow start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum HyStart {
    /// Slow start ends only at a loss.
    Off,
    /// By trains of acknowledgements and by delay, as in Linux.
    #[default]
    Linux,
    /// HyStart++ (RFC 9406).
    PlusPlus,
}

macro_rules! algorithms {
    ($($variant:ident, $name:literal, $doc:literal => $make:expr;)*) => {
        /// The name of a congestion control.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Algorithm {
            $(#[doc = $doc] $variant,)*
        }

        impl Algorithm {
            /// All congestion controls.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// Returns the name, as in `tcp_congestion_control`.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }
        }

        /// Makes a control of the configured kind. `seed` is for those that draw random numbers.
        pub(crate) fn make(config: &Config, seed: u32) -> Box<dyn CongestionControl> {
            let make: fn(&Config, u32) -> Box<dyn CongestionControl> =
                match config.congestion_control {
                    $(Algorithm::$variant => $make,)*
                };
            make(config, seed)
        }
    };
}

algorithms! {
    Bbr, "bbr", "BBR, version 1 (draft-cardwell-iccrg-bbr-congestion-control-00)." =>
        |_, seed| Box::new(bbr::Bbr::new(seed));
    Bbr3, "bbr3", "BBR, version 3 (draft-ietf-ccwg-bbr); not validated." =>
        |_, seed| Box::new(bbr3::Bbr3::new(seed));
    Bic, "bic", "BIC (Xu, Harfoush and Rhee 2004)." =>
        |_, _| Box::new(bic::Bic::default());
    Cdg, "cdg", "CDG (Hayes and Armitage 2011)." =>
        |_, seed| Box::new(cdg::Cdg::new(seed));
    Cubic, "cubic", "CUBIC (RFC 9438)." =>
        |config, _| Box::new(cubic::Cubic::new(config.hystart));
    Dctcp, "dctcp", "DCTCP (RFC 8257)." =>
        |_, _| Box::new(dctcp::Dctcp::default());
    HighSpeed, "highspeed", "HighSpeed TCP (RFC 3649)." =>
        |_, _| Box::new(highspeed::HighSpeed);
    Htcp, "htcp", "H-TCP (Leith and Shorten 2004)." =>
        |_, _| Box::new(htcp::Htcp::default());
    Hybla, "hybla", "Hybla (Caini and Firrincieli 2004)." =>
        |_, _| Box::new(hybla::Hybla::default());
    Illinois, "illinois", "Illinois (Liu, Başar and Srikant 2008)." =>
        |_, _| Box::new(illinois::Illinois::default());
    Lp, "lp", "TCP-LP (Kuzmanovic and Knightly 2003)." =>
        |_, _| Box::new(lp::Lp::default());
    Nv, "nv", "TCP-NV (Brakmo 2010)." =>
        |_, _| Box::new(nv::Nv::default());
    Prague, "prague", "Prague (draft-briscoe-iccrg-prague-congestion-control); not validated." =>
        |_, _| Box::new(prague::Prague::default());
    Reno, "reno", "NewReno (RFC 5681, RFC 6582)." =>
        |_, _| Box::new(reno::Reno);
    Scalable, "scalable", "Scalable TCP (Kelly 2003)." =>
        |_, _| Box::new(scalable::Scalable);
    Vegas, "vegas", "Vegas (Brakmo and Peterson 1995)." =>
        |_, _| Box::new(vegas::Vegas::default());
    Veno, "veno", "Veno (Fu and Liew 2003)." =>
        |_, _| Box::new(veno::Veno::default());
    Westwood, "westwood", "Westwood+ (Mascolo and others 2001)." =>
        |_, _| Box::new(westwood::Westwood::default());
    Yeah, "yeah", "YeAH-TCP (Baiocchi and others 2007)." =>
        |_, _| Box::new(yeah::Yeah::default());
}

/// The name does not belong to any congestion control.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no congestion control `{0}`; there are {known}", known = known())]
pub struct UnknownAlgorithm(pub String);

fn known() -> String {
    let names: Vec<&str> = Algorithm::ALL.iter().map(|known| known.name()).collect();
    names.join(" ")
}

impl FromStr for Algorithm {
    type Err = UnknownAlgorithm;
    fn from_str(text: &str) -> Result<Self, UnknownAlgorithm> {
        let found = Self::ALL.iter().find(|known| known.name() == text);
        found.copied().ok_or_else(|| UnknownAlgorithm(text.into()))
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
