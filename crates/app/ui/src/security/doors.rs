//! The token of the printed address, the key of the session, and tickets.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::Result;
use axum::http::StatusCode;
use tokio::sync::Semaphore;

use super::secrets::{Secret, word};
use crate::answer::{Answer, Refused};

/// How long a ticket is valid, in ticks.
const TICKET: u64 = 10;

/// Time between two ticks. The server counts only time in which it could have answered: a ticket
/// is not too old because a machine with much to do let its request wait.
const TICK: Duration = Duration::from_secs(1);

/// Most tickets that are valid at a time.
const TICKETS: usize = 1000;

/// Wrong words that are answered at once.
const FREE: u32 = 10;

/// How long the answer to each later one takes.
const PENALTY: Duration = Duration::from_secs(1);

/// Most requests with wrong words that wait for an answer.
const WAITING: usize = 32;

/// Who comes in.
pub struct Doors {
    token: String,
    key: String,
    /// Values that `Host` may have.
    hosts: Vec<String>,
    read_only: bool,
    tickets: Mutex<VecDeque<Ticket>>,
    ticks: AtomicU64,
    wrong: AtomicU32,
    waiting: Semaphore,
    /// One wrong word is answered after the other.
    turn: tokio::sync::Mutex<()>,
}

/// A ticket for one request.
struct Ticket {
    secret: Secret,
    path: String,
    /// The tick at which it is made.
    made: u64,
}

impl Ticket {
    /// Whether it is valid. The tick in which it was made is not a whole one.
    const fn is_valid(&self, now: u64) -> bool {
        now <= self.made + TICKET
    }
}

impl Doors {
    /// Makes the doors of a server that listens at `port`.
    ///
    /// # Errors
    /// There are no random bits.
    pub fn new(port: u16, read_only: bool) -> Result<Self> {
        Ok(Self {
            token: word()?,
            key: word()?,
            hosts: ["127.0.0.1", "localhost"].map(|host| format!("{host}:{port}")).into(),
            read_only,
            tickets: Mutex::default(),
            ticks: AtomicU64::new(0),
            wrong: AtomicU32::new(0),
            waiting: Semaphore::new(WAITING),
            turn: tokio::sync::Mutex::default(),
        })
    }

    /// Returns the token for the address that is printed.
    pub fn token(&self) -> &str {
        &self.token
    }

    /// Whether what changes something is refused.
    pub fn is_read_only(&self) -> bool {
        self.read_only
    }

    /// Whether a request may come for this host.
    pub fn is_host(&self, host: &str) -> bool {
        self.hosts.iter().any(|own| own.eq_ignore_ascii_case(host))
    }

    /// Returns the key of the session for the token.
    ///
    /// # Errors
    /// It is another token.
    pub async fn enter(&self, token: &str) -> Answer<String> {
        match Secret::of(token).is(&Secret::of(&self.token)) {
            true => Ok(self.key.clone()),
            false => Err(self.wrong("this is not the token of this server").await),
        }
    }

    /// Checks the key of a request.
    ///
    /// # Errors
    /// It is another one.
    pub async fn check_key(&self, key: &str) -> Answer<()> {
        match Secret::of(key).is(&Secret::of(&self.key)) {
            true => Ok(()),
            false => Err(self.wrong("the session is over").await),
        }
    }

    /// Returns a ticket for one request of `path`.
    ///
    /// # Errors
    /// There are no random bits, or too many tickets.
    pub fn ticket(&self, path: &str) -> Answer<String> {
        let word = word()?;
        let mut tickets = self.tickets();
        let now = self.ticks.load(Ordering::Relaxed);
        tickets.retain(|ticket| ticket.is_valid(now));
        if tickets.len() >= TICKETS {
            let error = format!("{TICKETS} tickets wait to be used; they expire in 10 s");
            return Err(Refused::new(StatusCode::TOO_MANY_REQUESTS, error));
        }
        tickets.push_back(Ticket { secret: Secret::of(&word), path: path.to_owned(), made: now });
        Ok(word)
    }

    /// Takes the ticket of a request of `path`.
    ///
    /// # Errors
    /// There is none: it was used, is too old, or is for another path.
    pub async fn use_ticket(&self, word: &str, path: &str) -> Answer<()> {
        let secret = Secret::of(word);
        let used = {
            let mut tickets = self.tickets();
            let place = tickets.iter().position(|ticket| ticket.secret.is(&secret));
            place.and_then(|place| tickets.remove(place))
        };
        let now = self.ticks.load(Ordering::Relaxed);
        match used {
            Some(ticket) if ticket.path == path && ticket.is_valid(now) => Ok(()),
            _ => Err(self
                .wrong("the ticket was used, is older than 10 s, or is for another path")
                .await),
        }
    }

    /// Makes tickets older as time passes, for as long as the server lives.
    pub async fn age(&self) {
        loop {
            tokio::time::sleep(TICK).await;
            self.ticks.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Returns the answer to a wrong word. It takes a while if there have been many.
    async fn wrong(&self, what: &str) -> Refused {
        let refused = Refused::new(StatusCode::UNAUTHORIZED, what)
            .with_help("run `netloom ui` and open the address that it prints");
        if self.wrong.fetch_add(1, Ordering::Relaxed) < FREE {
            return refused;
        }
        let Ok(_place) = self.waiting.try_acquire() else {
            return Refused::new(StatusCode::TOO_MANY_REQUESTS, "too many wrong tokens at a time");
        };
        let _turn = self.turn.lock().await;
        tokio::time::sleep(PENALTY).await;
        refused
    }

    fn tickets(&self) -> MutexGuard<'_, VecDeque<Ticket>> {
        self.tickets.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn tickets_are_old_after_ten_ticks_however_long_these_took() {
        let doors = Doors::new(1, false).unwrap();
        let ticks = |count| doors.ticks.fetch_add(count, Ordering::Relaxed);
        let (early, late) = (doors.ticket("/api/a").unwrap(), doors.ticket("/api/a").unwrap());
        ticks(TICKET);
        assert!(doors.use_ticket(&early, "/api/a").await.is_ok());
        ticks(1);
        assert!(doors.use_ticket(&late, "/api/a").await.is_err());
    }
}
