//! Congestion controls behind one trait. Each has a file, whose doc comment names its source.
//! Adding one takes its file and a line in `algorithms!`.
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

/// How a congestion control uses ECN.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EcnUse {
    /// As the configuration says; a mark counts as a loss (RFC 3168).
    Classic,
    /// Always asks for it, marks even pure acknowledgements as capable, and echoes each mark
    /// (RFC 8257 §3).
    Accurate,
}

/// A congestion control. The endpoint calls it with its [`Flow`], whose window it may change where
/// the flow is mutable. Defaults are those of a control that reacts to losses and paces nothing.
pub trait CongestionControl: fmt::Debug + Send {
    /// The connection is established.
    fn start(&mut self, flow: &mut Flow) {
        let _ = flow;
    }

    /// The slow-start threshold after a congestion event (a loss, a mark, a timeout).
    fn reduce(&mut self, flow: &mut Flow) -> u32;

    /// `acked` packets were acknowledged, nothing is being repaired, or the timeout's losses are
    /// (slow start): lets the window grow. Called also when the application limits, as
    /// [`Flow::cwnd_limited`] says.
    fn grow(&mut self, flow: &mut Flow, acked: u32);

    /// The window after an undone reduction (RFC 4015).
    fn undo(&mut self, flow: &mut Flow) -> u32 {
        flow.cwnd.max(flow.prior_cwnd)
    }

    /// Packets were acknowledged or SACKed.
    fn acked(&mut self, flow: &mut Flow, sample: &Acked) {
        let _ = (flow, sample);
    }

    /// The recovery is about to change from [`Flow::state`] to `state`.
    fn state_changes(&mut self, flow: &mut Flow, state: RecoveryState) {
        let _ = (flow, state);
    }

    /// Something happened that a control may want to know.
    fn event(&mut self, flow: &mut Flow, event: CongestionEvent) {
        let _ = (flow, event);
    }

    /// Sets window and pacing rate by itself after each acknowledgement, instead of `grow` and of
    /// proportional rate reduction. `true` if it did.
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

    /// How ECN is used.
    fn ecn(&self) -> EcnUse {
        EcnUse::Classic
    }

    /// The least burst in packets, where it is not the configuration's.
    fn min_burst(&self, flow: &Flow) -> Option<u32> {
        let _ = flow;
        None
    }

    /// How many windows the send buffer holds.
    fn send_buffer_windows(&self) -> u32 {
        2
    }
}

/// How CUBIC leaves slow start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum HyStart {
    /// Never before a loss.
    Off,
    /// By trains of acknowledgements and by delay, as in Linux.
    #[default]
    Linux,
    /// HyStart++ (RFC 9406).
    PlusPlus,
}

macro_rules! algorithms {
    ($($variant:ident, $name:literal, $doc:literal => $make:expr;)*) => {
        /// A congestion control's name.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Algorithm {
            $(#[doc = $doc] $variant,)*
        }

        impl Algorithm {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// The name, as `tcp_congestion_control` has it.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }
        }

        /// A control of the configured kind; `seed` is for those that draw random numbers.
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

/// A name that no congestion control has.
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
