//! Choice of the links that are drawn: a page of thousands of charts would be of no use.

use netloom_api::state::LinkStatus;
use netloom_api::summary::Summary;

/// Largest number of links that are drawn.
const DRAWN: usize = 12;

/// Returns the links to draw: those with the most traffic, the busiest first, without links that
/// were offered nothing.
pub fn drawn(summary: &Summary) -> Vec<&LinkStatus> {
    let mut links = by_traffic(summary);
    links.retain(|link| offered(link) > 0);
    links.truncate(DRAWN);
    links
}

/// Returns all links, the busiest first.
pub fn by_traffic(summary: &Summary) -> Vec<&LinkStatus> {
    let mut links: Vec<&LinkStatus> = summary.links.iter().collect();
    links.sort_by_key(|link| std::cmp::Reverse(offered(link)));
    links
}

fn offered(link: &LinkStatus) -> u64 {
    let bytes = [&link.forward, &link.reverse]
        .map(|pipe| pipe.offered().map_or(0, |offered| offered.bytes));
    bytes[0].saturating_add(bytes[1])
}
