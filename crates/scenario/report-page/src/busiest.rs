//! Which links are drawn: a page of thousands of charts would be of no use to anybody.

use netloom_api::state::LinkStatus;
use netloom_api::summary::Summary;

/// So many links are drawn at most.
const DRAWN: usize = 12;

/// The links that are drawn: those that carried most, the busiest first. One that was offered
/// nothing has nothing to draw.
pub fn drawn(summary: &Summary) -> Vec<&LinkStatus> {
    let mut links = by_traffic(summary);
    links.retain(|link| offered(link) > 0);
    links.truncate(DRAWN);
    links
}

/// All links, the busiest first.
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
