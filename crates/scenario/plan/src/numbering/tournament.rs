//! Pairs items that are treated alike, then pairs of pairs, and so on. The result is the order of a
//! binary tree in which every group of two, four, eight … is aligned, as the prefixes of addresses
//! are.

use std::cmp::Reverse;

/// For each member of the sample, the set of labels (bits) that serve the item. All bits are set if
/// any label will do.
pub(super) type Item = Vec<u64>;

/// Number of items of a circle with which an item is compared; these are next to it in their order.
const NEAR: usize = 8;

/// Items that are numbered together.
struct Group {
    /// Members in the order of their numbers.
    members: Vec<usize>,
    /// Labels for which a route above the group would serve it at the least cost, as in route
    /// compression.
    labels: Item,
}

/// Returns the order in which `items` should be numbered. The order of `items` keeps neighbours
/// together and decides between equal pairs. `circles` are sets of items that are near each other.
pub(super) fn tournament(items: Vec<Item>, circles: &[Vec<u32>]) -> Vec<usize> {
    let mut near = neighbours(circles);
    let mut groups: Vec<Group> =
        (0..).zip(items).map(|(member, labels)| Group { members: vec![member], labels }).collect();
    let mut size = 1;
    while groups.len() > 1 {
        let mates = mates(&groups, &near, size);
        let mut merged = vec![0; groups.len()];
        let mut next = vec![];
        for (group, mate) in mates.iter().enumerate() {
            match mate {
                Some(mate) if *mate < group => merged[group] = merged[*mate],
                _ => {
                    merged[group] = next.len() as u32;
                    next.push((group, *mate));
                }
            }
        }
        near = near.into_iter().map(|(a, b)| (merged[a as usize], merged[b as usize])).collect();
        tidy(&mut near);
        groups = next.into_iter().map(|(group, mate)| merge(&mut groups, group, mate)).collect();
        size *= 2;
    }
    groups.pop().map_or_else(Vec::new, |group| group.members)
}

/// Pairs of groups that are near each other, the lower one first, in ascending order.
type Pairs = Vec<(u32, u32)>;

fn neighbours(circles: &[Vec<u32>]) -> Pairs {
    let mut pairs = vec![];
    for circle in circles {
        let mut circle = circle.clone();
        circle.sort_unstable();
        circle.dedup();
        for (at, item) in circle.iter().enumerate() {
            pairs.extend(circle[at + 1..].iter().take(NEAR).map(|other| (*item, *other)));
        }
    }
    tidy(&mut pairs);
    pairs
}

fn tidy(pairs: &mut Pairs) {
    pairs.retain_mut(|pair| {
        *pair = (pair.0.min(pair.1), pair.0.max(pair.1));
        pair.0 != pair.1
    });
    pairs.sort_unstable();
    pairs.dedup();
}

/// Returns the group with which each group is merged: the pairs that are most alike first, then the
/// rest in their order. All groups get a mate, except for one if their number is odd. At most one
/// group has fewer than `size` members, and that group must remain without a mate; otherwise there
/// would be two such groups.
fn mates(groups: &[Group], near: &Pairs, size: usize) -> Vec<Option<usize>> {
    let odd = groups.len() % 2 == 1;
    let alone = groups.iter().position(|group| odd && group.members.len() < size);
    let mut mates: Vec<Option<usize>> = vec![None; groups.len()];
    let mut pairs: Vec<(Reverse<usize>, usize, usize)> = near
        .iter()
        .map(|(a, b)| (*a as usize, *b as usize))
        .map(|(a, b)| (Reverse(alike(&groups[a], &groups[b])), a, b))
        .collect();
    pairs.sort_unstable();
    for (Reverse(alike), a, b) in pairs {
        let free = |group: usize| mates[group].is_none() && alone != Some(group);
        if alike > 0 && free(a) && free(b) {
            (mates[a], mates[b]) = (Some(b), Some(a));
        }
    }
    let left: Vec<usize> = (0..groups.len())
        .filter(|group| mates[*group].is_none() && alone != Some(*group))
        .collect();
    for pair in left.chunks_exact(2) {
        (mates[pair[0]], mates[pair[1]]) = (Some(pair[1]), Some(pair[0]));
    }
    mates
}

/// Number of members of the sample for which one route would serve both groups.
fn alike(a: &Group, b: &Group) -> usize {
    a.labels.iter().zip(&b.labels).filter(|(a, b)| *a & *b != 0).count()
}

/// Merges two groups. The smaller one comes last, so full groups stay aligned.
fn merge(groups: &mut [Group], group: usize, mate: Option<usize>) -> Group {
    let take = |group: &mut Group| Group {
        members: std::mem::take(&mut group.members),
        labels: std::mem::take(&mut group.labels),
    };
    let mut first = take(&mut groups[group]);
    let Some(mut second) = mate.map(|mate| take(&mut groups[mate])) else { return first };
    if first.members.len() < second.members.len() {
        std::mem::swap(&mut first, &mut second);
    }
    first.members.append(&mut second.members);
    for (first, second) in first.labels.iter_mut().zip(second.labels) {
        let both = *first & second;
        *first = if both == 0 { *first | second } else { both };
    }
    first
}
