//! Traffic that nodes send: `1/δ · Σ l ≥ θ_n` (Maier 2011, Eq. 4.1), between nodes of this machine
//! and through each uplink. Without a calibrated rate it is measured, not tested.

use std::collections::BTreeMap;

use netloom_units::{Duration, Size, Time};

use crate::criteria::{Criteria, Traffic};
use crate::names::ResourceId;
use crate::observation::Route;
use crate::party::Party;
use crate::signal::SignalKind;
use crate::tracker::{Outbox, Tracker};
use crate::window::SumWindow;

#[derive(Debug, Clone)]
pub(crate) struct Network {
    internal: Traffic,
    external: Traffic,
    routes: BTreeMap<Route, SumWindow>,
}

made_of!(Network: routes);

impl Network {
    pub fn new(criteria: &Criteria) -> Self {
        Self {
            internal: criteria.net_internal.clone(),
            external: criteria.net_external.clone(),
            routes: BTreeMap::new(),
        }
    }

    pub fn forwarded(
        &mut self,
        at: Time,
        route: Route,
        party: Party,
        size: Size,
        over: Duration,
        out: &mut Outbox,
    ) {
        let (signal, place, criteria) = match route {
            Route::Internal => (SignalKind::NetInternal, ResourceId::Internal, &self.internal),
            Route::Uplink(uplink) => {
                (SignalKind::NetExternal, ResourceId::Uplink(uplink), &self.external)
            }
        };
        let window = self.routes.entry(route).or_insert_with(|| window(signal, place, criteria));
        window.add(at, party, size.bytes().saturating_mul(8), over, out);
    }
}

/// A window of bits. Contention holds from the limit Π = θ δ on, rounded up to whole bits.
fn window(signal: SignalKind, place: ResourceId, criteria: &Traffic) -> SumWindow {
    let limit = criteria.rate.map(|rate| {
        let bits = u128::from(rate.bits_per_second()) * u128::from(criteria.window.as_nanos());
        u64::try_from(bits.div_ceil(1_000_000_000)).unwrap_or(u64::MAX)
    });
    let threshold = criteria.rate.map(|rate| rate.bits_per_second() as f64);
    let tracker = Tracker::new(signal, place, threshold);
    SumWindow::new(tracker, criteria.window, limit, 1.0 / criteria.window.as_secs_f64())
}
