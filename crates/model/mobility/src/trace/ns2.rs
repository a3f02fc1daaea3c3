//! Movement scripts of ns-2, as its `setdest`, BonnMotion and SUMO write them:
//!
//! ```text
//! $node_(0) set X_ 150.0
//! $ns_ at 2.0 "$node_(0) setdest 250.0 300.0 15.0"
//! ```
//!
//! A `setdest` replaces the one in progress. A `setdest` at a speed of 0 is a jump, and so is a
//! `set` at a given time.

use std::collections::BTreeMap;

use netloom_units::{DataError, Duration, Time, lines, quoted};

use super::nodes::Name;
use super::{Fix, Movements, Traces, fixes, text};
use crate::Point;

/// Whether a text looks like a script.
pub(super) fn seems(text: &str) -> bool {
    lines(text)
        .take(100)
        .any(|(_, line)| line.starts_with("$node_(") || line.starts_with("$ns_ at"))
}

/// A command for a node, which is one line.
#[derive(Debug, Clone, Copy)]
enum Order {
    /// Sets one coordinate: 0, 1, 2 for x, y, z.
    Set(usize, f64),
    /// Moves to a place at a speed in m/s.
    Go { x: f64, y: f64, speed: f64 },
}

pub(super) fn read(text: &str) -> Result<Traces, DataError> {
    let mut orders: BTreeMap<Name, Vec<(Time, Order)>> = BTreeMap::new();
    let mut others = 0usize;
    for (number, line) in lines(text) {
        match order(line).map_err(|message| DataError::at(number, message))? {
            Some((node, at, order)) => {
                orders.entry(Name::new(&node)).or_default().push((at, order));
            }
            None => others += 1,
        }
    }
    let mut traces = Traces::default();
    for (name, mut orders) in orders {
        // Scripts need not be in order of time. Commands at the same time are carried out in the
        // order of their lines.
        orders.sort_by_key(|(at, _)| *at);
        traces.nodes.insert(name, carried_out(&orders));
    }
    if others > 0 {
        traces.left_out.push(format!("{others} lines that move no node"));
    }
    Ok(traces)
}

/// Parses the command of a line. Returns `None` if the line moves no node.
fn order(line: &str) -> Result<Option<(String, Time, Order)>, String> {
    let mut at = Time::ZERO;
    let mut command = line;
    if let Some(rest) = line.strip_prefix("$ns_") {
        let rest = rest.trim_start().strip_prefix("at").unwrap_or(rest).trim_start();
        let (time, quoted) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        at = text::time(time)?;
        command = quoted.trim().trim_matches('"').trim();
    }
    let Some(rest) = command.strip_prefix("$node_(") else { return Ok(None) };
    let Some((node, rest)) = rest.split_once(')') else {
        return Err(format!("{} has no `)`", quoted(command)));
    };
    let words: Vec<_> = rest.split_whitespace().collect();
    let order = match words[..] {
        ["set", "X_", value] => Order::Set(0, text::number(value)?),
        ["set", "Y_", value] => Order::Set(1, text::number(value)?),
        ["set", "Z_", value] => Order::Set(2, text::number(value)?),
        ["setdest", x, y, speed] => {
            let (x, y, speed) = (text::number(x)?, text::number(y)?, text::number(speed)?);
            if speed < 0.0 {
                return Err(format!("a speed of {speed} m/s is below 0"));
            }
            Order::Go { x, y, speed }
        }
        ["setdest", ..] => return Err("`setdest` has an x, a y and a speed".into()),
        _ => return Ok(None),
    };
    Ok(Some((node.trim().to_string(), at, order)))
}

/// A movement in progress, or a rest.
struct State {
    since: Time,
    from: Point,
    to: Point,
    arrives: Time,
}

impl State {
    fn at(&self, time: Time) -> Point {
        if time >= self.arrives {
            return self.to;
        }
        let share =
            time.since(self.since).as_secs_f64() / self.arrives.since(self.since).as_secs_f64();
        self.from + (self.to - self.from) * share
    }
}

/// Returns the fixes of a node that carries out commands, which are in order of time.
fn carried_out(orders: &[(Time, Order)]) -> Vec<Fix> {
    let rest = |at, point| State { since: at, from: point, to: point, arrives: at };
    let mut state = rest(Time::ZERO, Point::ZERO);
    let mut fixes = vec![Fix { at: Time::ZERO, point: Point::ZERO, on: true }];
    let mut push = |at, point| {
        let fix = Fix { at, point, on: true };
        if fixes.last() != Some(&fix) {
            fixes.push(fix);
        }
    };
    for (at, order) in orders {
        if state.arrives < *at {
            push(state.arrives, state.to);
        }
        let here = state.at(*at);
        push(*at, here);
        state = match *order {
            Order::Set(axis, value) => {
                let mut point = here;
                *[&mut point.x, &mut point.y, &mut point.z][axis] = value;
                push(*at, point);
                rest(*at, point)
            }
            Order::Go { x, y, speed } => {
                let to = Point::new(x, y, here.z);
                let nanos = libm::round(here.distance(to) / speed * 1e9);
                match speed > 0.0 {
                    // The cast saturates: an endless movement ends at the maximum time.
                    true => State {
                        since: *at,
                        from: here,
                        to,
                        arrives: *at + Duration::from_nanos(nanos as u64),
                    },
                    false => {
                        push(*at, to);
                        rest(*at, to)
                    }
                }
            }
        };
    }
    push(state.arrives, state.to);
    // A node begins where commands at time 0 place it.
    let first = fixes.iter().rposition(|fix| fix.at == Time::ZERO).unwrap_or(0);
    fixes.split_off(first)
}

pub(super) fn write(movements: &Movements<'_>) -> Result<String, String> {
    let mut text = String::new();
    for (number, (name, path)) in movements.nodes.iter().enumerate() {
        let node = format!("$node_({number})");
        let fixes = fixes(path, movements.until);
        if fixes.iter().any(|fix| !fix.on) {
            return Err(format!("ns-2 has no way to say that {name} is absent at times; CSV has"));
        }
        if fixes.iter().any(|fix| fix.point.z != fixes[0].point.z) {
            return Err(format!(
                "ns-2 moves in the plane, and {name} goes up or down; CSV has that"
            ));
        }
        if *name != number.to_string() {
            text += &format!("# node {number} is {name}\n");
        }
        let Point { x, y, z } = fixes[0].point;
        text += &format!("{node} set X_ {x}\n{node} set Y_ {y}\n{node} set Z_ {z}\n");
        for pair in fixes.windows(2) {
            let (from, to) = (pair[0], pair[1]);
            let Point { x, y, .. } = to.point;
            let at = text::written(from.at);
            if from.point == to.point {
                continue;
            }
            if from.at == to.at {
                text += &format!("$ns_ at {at} \"{node} set X_ {x}\"\n");
                text += &format!("$ns_ at {at} \"{node} set Y_ {y}\"\n");
                continue;
            }
            let seconds = to.at.since(from.at).as_secs_f64();
            let speed = from.point.distance(to.point) / seconds;
            text += &format!("$ns_ at {at} \"{node} setdest {x} {y} {speed}\"\n");
        }
    }
    Ok(text)
}
