//! Turns: how many requests of each guest are carried out at once. Whoever asks for more waits, and
//! keeps nobody else waiting.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use netloom_shape::Guest;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Most requests of one guest at once, and of all guests but root.
const OF_ONE: usize = 2;
const OF_ALL: usize = 64;

/// The turns of all guests.
#[derive(Clone)]
pub struct Turns {
    guests: Arc<Mutex<BTreeMap<Guest, Arc<Semaphore>>>>,
    all: Arc<Semaphore>,
}

/// A turn, which ends when this is dropped.
pub struct Turn(#[expect(dead_code, reason = "held")] [Option<OwnedSemaphorePermit>; 2]);

impl Default for Turns {
    fn default() -> Self {
        Self { guests: Arc::default(), all: Arc::new(Semaphore::new(OF_ALL)) }
    }
}

impl Turns {
    /// Waits for a guest's turn.
    pub async fn take(&self, guest: Guest) -> Turn {
        let own = {
            let mut guests = self.guests.lock().unwrap_or_else(PoisonError::into_inner);
            // Nobody else holds the turns of a guest who waits for none and has none.
            guests.retain(|_, own| Arc::strong_count(own) > 1);
            Arc::clone(guests.entry(guest).or_insert_with(|| Arc::new(Semaphore::new(OF_ONE))))
        };
        // Nobody closes them.
        let own = own.acquire_owned().await.ok();
        let common = match guest {
            Guest::Root => None,
            _ => Arc::clone(&self.all).acquire_owned().await.ok(),
        };
        Turn([own, common])
    }
}

#[cfg(test)]
mod tests {
    use std::future::Future;
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    use super::*;

    fn now(turns: &Turns, guest: Guest) -> Option<Turn> {
        match pin!(turns.take(guest)).poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(turn) => Some(turn),
            Poll::Pending => None,
        }
    }

    #[test]
    fn a_guest_waits_for_its_own_requests_only() {
        let turns = Turns::default();
        let [alice, bob] = [1001, 1002].map(Guest::User);
        let first = [now(&turns, alice), now(&turns, alice)];
        assert!(first.iter().all(Option::is_some) && now(&turns, alice).is_none());
        assert!(now(&turns, bob).is_some() && now(&turns, Guest::Root).is_some());
        drop(first);
        assert!(now(&turns, alice).is_some());
        // However many guests there are, root has its turn.
        let all: Vec<_> = (0..100).map(|uid| now(&turns, Guest::User(uid))).collect();
        assert_eq!(all.iter().flatten().count(), OF_ALL);
        assert!(now(&turns, Guest::Root).is_some());
        drop(all);
        assert!(now(&turns, bob).is_some());
        assert_eq!(turns.guests.lock().unwrap().len(), 1);
    }
}
