//! The neighbours of satellites that are only known by their orbits, as those of two-line elements:
//! their planes, and a grid of links like that of a Walker constellation.

use std::collections::BTreeSet;
use std::f64::consts::{PI, TAU};

use netloom_units::{Duration, Time};

use super::Orbiting;
use crate::Point;

/// Angle between the ascending nodes of two satellites from which on they are of different planes.
const APART: f64 = 1.0 / 180.0 * PI;

/// Longest distance of the last plane from the first one, in usual distances of planes, at which
/// the planes are a full circle and not a star.
const CIRCLE: f64 = 1.5;

/// Longest difference between places of linked satellites of two planes, in distances of places.
const BESIDE: f64 = 1.0;

/// A satellite in its plane.
#[derive(Debug, Clone, Copy)]
struct Member {
    number: u32,
    /// Angle of the ascending node, in radians.
    ascending: f64,
    /// Angle along the orbit from there.
    along: f64,
}

/// Returns the links of satellites, each once. At time zero each satellite has links with the next
/// one of its plane, and with the one at about the same place of the next plane. Satellites whose
/// ascending nodes are within 1° of each other are one plane.
pub fn grid_of(satellites: &[&dyn Orbiting]) -> Vec<[u32; 2]> {
    let members = (0..).zip(satellites).map(|(number, satellite)| member(number, *satellite));
    let planes = planes(members.collect());
    let mut known = BTreeSet::new();
    let mut links: Vec<[u32; 2]> = Vec::new();
    let mut add = |a: Member, b: Member| {
        let (a, b) = (a.number, b.number);
        if a != b && known.insert([a.min(b), a.max(b)]) {
            links.push([a, b]);
        }
    };
    for plane in &planes {
        for (place, member) in plane.iter().enumerate() {
            add(*member, plane[(place + 1) % plane.len()]);
        }
    }
    for pair in planes.windows(2) {
        beside(&pair[0], &pair[1]).into_iter().for_each(|[a, b]| add(a, b));
    }
    if let [first, .., last] = &planes[..]
        && is_circle(&planes)
    {
        beside(last, first).into_iter().for_each(|[a, b]| add(a, b));
    }
    links
}

/// Computes where a satellite is in its plane, from two positions.
fn member(number: u32, satellite: &dyn Orbiting) -> Member {
    let here = satellite.position(Time::ZERO);
    let next = satellite.position(Time::ZERO + Duration::from_secs(1));
    let normal = cross(here, next);
    // Where the plane crosses the equator northwards.
    let ascending = libm::atan2(normal.x, -normal.y);
    let node = Point::flat(libm::cos(ascending), libm::sin(ascending));
    let quarter = cross(normal * (1.0 / normal.length()), node);
    let along = libm::atan2(here.dot(quarter), here.dot(node));
    Member { number, ascending: ascending.rem_euclid(TAU), along: along.rem_euclid(TAU) }
}

fn cross(a: Point, b: Point) -> Point {
    Point::new(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x)
}

/// Divides satellites into planes, in the order of their ascending nodes. Members of a plane are in
/// order along it.
fn planes(mut members: Vec<Member>) -> Vec<Vec<Member>> {
    members.sort_by(|a, b| a.ascending.total_cmp(&b.ascending));
    let mut planes: Vec<Vec<Member>> = Vec::new();
    for member in members {
        match planes.last_mut().filter(|plane| is_of(plane, member.ascending)) {
            Some(plane) => plane.push(member),
            None => planes.push(vec![member]),
        }
    }
    // The plane at angle 0 may be divided.
    if planes.len() > 1 && is_of(&planes[planes.len() - 1], planes[0][0].ascending + TAU) {
        let last = planes.pop().unwrap_or_default();
        planes[0].extend(last);
    }
    for plane in &mut planes {
        plane.sort_by(|a, b| {
            (a.along, a.number).partial_cmp(&(b.along, b.number)).unwrap_or(
                // Angles of positions that are numbers are numbers.
                a.number.cmp(&b.number),
            )
        });
    }
    planes
}

/// Whether an ascending node is near the last one of a plane.
fn is_of(plane: &[Member], ascending: f64) -> bool {
    plane.last().is_some_and(|last| ascending - last.ascending < APART)
}

/// Whether the last plane is as far from the first as planes are from each other.
fn is_circle(planes: &[Vec<Member>]) -> bool {
    let node = |plane: &Vec<Member>| plane[0].ascending;
    let mut apart: Vec<f64> = planes.windows(2).map(|two| node(&two[1]) - node(&two[0])).collect();
    apart.sort_by(f64::total_cmp);
    let usual = apart.get(apart.len() / 2).copied().unwrap_or(TAU);
    // Two planes have only one pair.
    planes.len() > 2 && node(&planes[0]) + TAU - node(&planes[planes.len() - 1]) < CIRCLE * usual
}

/// Pairs each satellite of a plane with one of the next plane.
fn beside(plane: &[Member], next: &[Member]) -> Vec<[Member; 2]> {
    match plane.len() == next.len() {
        true => turned(plane, next),
        false => nearest(plane, next),
    }
}

/// Returns the smallest turn between two angles, from 0 to π.
fn turn(a: f64, b: f64) -> f64 {
    let forwards = (a - b).rem_euclid(TAU);
    forwards.min(TAU - forwards)
}

/// Pairs the satellites of two planes that have the same number of them, by the turn of the next
/// plane that brings them nearest. Of equal turns it takes the one that pairs the same places in
/// the order of the satellites' numbers.
fn turned(plane: &[Member], next: &[Member]) -> Vec<[Member; 2]> {
    let count = plane.len();
    let pairs = |shift: usize| (0..count).map(move |place| (place, (place + shift) % count));
    let [ranks, next_ranks] = [plane, next].map(ranks);
    let off = |shift: usize| -> (i64, usize) {
        let away: f64 = pairs(shift).map(|(a, b)| turn(plane[a].along, next[b].along)).sum();
        let order = pairs(shift).map(|(a, b)| ranks[a].abs_diff(next_ranks[b])).sum();
        ((away / count as f64 * 1e6) as i64, order)
    };
    // Shifts that bring the first satellite beside one of those around it.
    let start = plane[0].along;
    let after = next.partition_point(|member| member.along < start);
    let around = (0..4).map(|step| (after + 2 * count + step - 2) % count);
    let best = around.min_by_key(|shift| off(*shift)).unwrap_or(0);
    pairs(best).map(|(a, b)| [plane[a], next[b]]).collect()
}

/// Returns the rank of each satellite of a plane by its number.
fn ranks(plane: &[Member]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..plane.len()).collect();
    order.sort_by_key(|place| plane[*place].number);
    let mut ranks = vec![0; plane.len()];
    for (rank, place) in order.into_iter().enumerate() {
        ranks[place] = rank;
    }
    ranks
}

/// Pairs the satellites of two planes that have different numbers of them, nearest first.
fn nearest(plane: &[Member], next: &[Member]) -> Vec<[Member; 2]> {
    let most = BESIDE * TAU / plane.len().max(next.len()) as f64;
    let mut pairs: Vec<(f64, usize, usize)> = Vec::new();
    for (a, member) in plane.iter().enumerate() {
        // Those around it, not all: a file may have many.
        let after = next.partition_point(|other| other.along < member.along);
        let around =
            (0..next.len().min(4)).map(|step| (after + 2 * next.len() + step - 2) % next.len());
        let near = around.map(|b| (turn(member.along, next[b].along), a, b));
        pairs.extend(near.filter(|(away, ..)| *away <= most));
    }
    pairs.sort_by(|a, b| a.0.total_cmp(&b.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    let (mut left, mut right) = (vec![true; plane.len()], vec![true; next.len()]);
    let mut chosen = Vec::new();
    for (_, a, b) in pairs {
        if left[a] && right[b] {
            (left[a], right[b]) = (false, false);
            chosen.push([plane[a], next[b]]);
        }
    }
    chosen
}
