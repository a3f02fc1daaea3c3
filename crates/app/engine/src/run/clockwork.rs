//! A thread that only performs work at given times, so that load on the engine's other threads does
//! not make it late.

use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;

use anyhow::{Context, Result};
use netloom_dataplane::Scheduling;
use netloom_units::{Dilation, Time};
use tokio::sync::oneshot;

/// Work for a given time. It must be quick: other work waits for it.
type Work = Box<dyn FnOnce() + Send>;

enum Order {
    /// Perform `work` at a time, or at once if that is past.
    Do { due: Time, work: Work },
    /// Perform the work that was due before this time, and drop the rest.
    Stop { at: Time },
}

/// The handle of the thread. Clones share one thread, which ends with the last of them.
#[derive(Clone)]
pub struct Clockwork(Sender<Order>);

impl Clockwork {
    /// Starts the thread. `now` reads the experiment's clock, which has this dilation.
    pub fn start(now: impl Fn() -> Time + Send + 'static, dilation: Dilation) -> Result<Self> {
        let (orders, taken) = channel();
        let clock = Clock { now, dilation, orders: taken, due: BTreeMap::new(), count: 0 };
        thread::Builder::new()
            .name("netloom-timeline".into())
            .spawn(move || clock.run())
            .context("cannot start the timeline's thread")?;
        Ok(Self(orders))
    }

    /// Performs `work` at `due` on the thread. It is dropped if the thread is stopped before.
    pub fn at(&self, due: Time, work: impl FnOnce() + Send + 'static) {
        // A thread that has stopped does nothing more.
        let _ = self.0.send(Order::Do { due, work: Box::new(work) });
    }

    /// Waits until `due`. Returns `false` if the thread is stopped before.
    pub async fn wait(&self, due: Time) -> bool {
        let (sender, come) = oneshot::channel();
        self.at(due, move || _ = sender.send(()));
        come.await.is_ok()
    }

    /// Stops the thread at `at`. Work that was due before is still performed.
    pub fn stop(&self, at: Time) {
        let _ = self.0.send(Order::Stop { at });
    }
}

struct Clock<N> {
    now: N,
    dilation: Dilation,
    orders: Receiver<Order>,
    /// By time, and in the order of arrival.
    due: BTreeMap<(Time, u64), Work>,
    count: u64,
}

impl<N: Fn() -> Time> Clock<N> {
    fn run(mut self) {
        Scheduling::Favoured.enter();
        loop {
            self.work_until((self.now)());
            let order = match self.due.first_key_value() {
                Some(((due, _), _)) => {
                    let left = self.dilation.to_machine(due.since((self.now)()));
                    match self.orders.recv_timeout(left.into()) {
                        Err(RecvTimeoutError::Timeout) => continue,
                        order => order.ok(),
                    }
                }
                None => self.orders.recv().ok(),
            };
            match order {
                Some(Order::Do { due, work }) => {
                    self.count += 1;
                    self.due.insert((due, self.count), work);
                }
                Some(Order::Stop { at }) => return self.work_until(at),
                None => return,
            }
        }
    }

    /// Performs all work that is due at `time`, the earliest first.
    fn work_until(&mut self, time: Time) {
        while let Some(entry) = self.due.first_entry().filter(|entry| entry.key().0 <= time) {
            entry.remove()();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};
    use std::time::Instant;

    use netloom_units::Duration;

    use super::*;

    fn since(zero: Instant) -> Time {
        Time::ZERO + Duration::from_nanos(zero.elapsed().as_nanos() as u64)
    }

    fn at_ms(ms: u64) -> Time {
        Time::ZERO + Duration::from_millis(ms)
    }

    #[tokio::test]
    async fn things_are_done_in_the_order_of_their_times_and_never_early() {
        let zero = Instant::now();
        let clockwork = Clockwork::start(move || since(zero), Dilation::NONE).unwrap();
        let done = Arc::new(Mutex::new(vec![]));
        for ms in [30, 10, 20, 10] {
            let done = done.clone();
            clockwork.at(at_ms(ms), move || done.lock().unwrap().push((ms, since(zero))));
        }
        assert!(clockwork.wait(at_ms(40)).await);
        let done = done.lock().unwrap();
        assert_eq!(done.iter().map(|(ms, _)| *ms).collect::<Vec<_>>(), [10, 10, 20, 30]);
        assert!(done.iter().all(|(ms, at)| *at >= at_ms(*ms)), "{done:?}");
    }

    #[tokio::test]
    async fn what_was_due_is_done_when_it_is_stopped_and_the_rest_is_forgotten() {
        // A clock that stands still, as on a machine that is suspended.
        let clockwork = Clockwork::start(|| Time::ZERO, Dilation::NONE).unwrap();
        let (due, later) = (clockwork.wait(at_ms(99)), clockwork.wait(at_ms(101)));
        let stop = async { clockwork.stop(at_ms(100)) };
        let (due, later, ()) = tokio::join!(due, later, stop);
        assert_eq!((due, later), (true, false));
        assert!(!clockwork.wait(at_ms(1)).await, "it has stopped");
    }
}
