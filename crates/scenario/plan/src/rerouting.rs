//! The plan of a network in which other links are down, at a later time: its addresses stay, but
//! its routes change. Not here: when links go down, and the consequences.

use netloom_link::LinkState;
use netloom_scenario::Scenario;
use netloom_units::Time;

use crate::numbering::Numbering;
use crate::{Plan, PlanError, keep_addresses, plan_numbered};

/// Returns the plan of `scenario` with the addresses of `plan`, which is its plan, and with routes
/// over the links that are not down, by the delays that scheduled links have at the time `at`.
/// `is_down` returns whether a link is down, by its index.
///
/// # Errors
/// The errors of [`plan`](crate::plan()), if `plan` belongs to another scenario.
pub fn rerouted(
    scenario: &Scenario,
    plan: &Plan,
    is_down: impl Fn(usize) -> bool,
    at: Time,
) -> Result<Plan, PlanError> {
    let mut kept = keep_addresses(scenario, scenario, plan)?;
    for (place, link) in kept.links.iter_mut().enumerate() {
        let state = if is_down(place) { LinkState::Down } else { LinkState::Up };
        for pipe in [&mut link.forward, &mut link.reverse] {
            pipe.state = state;
            pipe.delay = pipe.delay.at(at.since(Time::ZERO)).into();
        }
    }
    let ties = plan.generated.network.as_ref().map(|network| network.ties());
    plan_numbered(&kept, |topology, _| {
        let numbering = Numbering::in_file_order(topology);
        Numbering { ties: ties.unwrap_or(numbering.ties), ..numbering }
    })
}
