//! A gate that gives a batch of changes on several workers one timestamp: all workers wait at the
//! gate, the last one to arrive reads the clock, and all apply their part at that time. Not here:
//! the changes.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use netloom_units::Time;

use crate::Clock;

#[derive(Debug)]
struct Gate {
    state: Mutex<State>,
    opened: Condvar,
}

#[derive(Debug)]
struct State {
    missing: usize,
    outcome: Option<GateState>,
}

#[derive(Debug, Clone, Copy)]
enum GateState {
    Open(Time),
    Abandoned,
}

/// The right of a worker to pass a gate. If it is dropped unused, the others pass without a time,
/// so that nobody waits for a worker that has ended.
#[derive(Debug)]
pub(crate) struct Ticket {
    gate: Arc<Gate>,
    used: bool,
}

/// Creates tickets to the same gate for `workers` workers.
pub(crate) fn tickets(workers: usize) -> Vec<Ticket> {
    let state = State { missing: workers, outcome: None };
    let gate = Arc::new(Gate { state: Mutex::new(state), opened: Condvar::new() });
    (0..workers).map(|_| Ticket { gate: Arc::clone(&gate), used: false }).collect()
}

impl Ticket {
    /// Waits for all other workers. Returns the time at which the batch applies, which is not
    /// before any time that a worker read before it came here, or `None` if a worker did not come.
    pub fn pass(mut self, clock: &Clock) -> Option<Time> {
        self.used = true;
        let mut state = self.gate.lock();
        state.missing -= 1;
        if state.missing == 0 {
            state.outcome.get_or_insert_with(|| GateState::Open(clock.now()));
            self.gate.opened.notify_all();
        }
        loop {
            match state.outcome {
                Some(GateState::Open(time)) => return Some(time),
                Some(GateState::Abandoned) => return None,
                None => {
                    state = self.gate.opened.wait(state).unwrap_or_else(PoisonError::into_inner);
                }
            }
        }
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        if !self.used {
            self.gate.lock().outcome.get_or_insert(GateState::Abandoned);
            self.gate.opened.notify_all();
        }
    }
}

impl Gate {
    fn lock(&self) -> MutexGuard<'_, State> {
        // The state is consistent after every statement, so a panic elsewhere does no harm.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::thread;
    use std::time::Instant;

    use super::*;

    #[test]
    fn all_pass_with_one_time() {
        let clock = Clock::since(Instant::now());
        let waiting: Vec<_> = tickets(4)
            .into_iter()
            .map(|ticket| thread::spawn(move || (clock.now(), ticket.pass(&clock))))
            .collect();
        let passed: Vec<_> = waiting.into_iter().map(|thread| thread.join().unwrap()).collect();
        let time = passed[0].1.unwrap();
        assert!(passed.iter().all(|(before, after)| *after == Some(time) && *before <= time));
    }

    #[test]
    fn nobody_waits_for_a_lost_ticket() {
        let clock = Clock::since(Instant::now());
        let mut tickets = tickets(2);
        let waiting = {
            let ticket = tickets.pop().unwrap();
            thread::spawn(move || ticket.pass(&clock))
        };
        drop(tickets);
        assert_eq!(waiting.join().unwrap(), None);
    }
}
