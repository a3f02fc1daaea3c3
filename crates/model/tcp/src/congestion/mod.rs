//! Congestion controls behind one trait (`control`). Each has a file, whose module comment names
//! its source. A new one takes its own file and a line in `algorithms!`.
//!
//! All arithmetic is in integers. Windows are in packets of a maximum segment.

mod bbr;
mod bbr3;
mod bic;
mod cdg;
mod control;
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

pub use control::{CongestionControl, EcnUse, HyStart};
pub use flow::{Acked, CongestionEvent, Flow, RecoveryState};

use std::fmt;
use std::str::FromStr;

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

        /// Makes a control. `hystart` is for CUBIC, `seed` for those that draw random numbers.
        pub(crate) fn make(
            algorithm: Algorithm,
            hystart: HyStart,
            seed: u32,
        ) -> Box<dyn CongestionControl> {
            let make: fn(HyStart, u32) -> Box<dyn CongestionControl> = match algorithm {
                $(Algorithm::$variant => $make,)*
            };
            make(hystart, seed)
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
        |hystart, _| Box::new(cubic::Cubic::new(hystart));
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
