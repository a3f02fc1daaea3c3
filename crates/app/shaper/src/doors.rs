//! Connections of the daemon: who is at the other end, and how many each guest has. Nothing of a
//! request is read before that is known. Not here: what guests ask for (`http`).

use std::collections::BTreeMap;
use std::future::Future;
use std::io;
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use futures_util::future::{Either, select};
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use netloom_shape::{Guest, Limits, Owner, Shares};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use crate::people;
use crate::shaping::Shaping;

/// Most connections at once.
const CONNECTIONS: Limits = Limits { root: 64, user: 16, strangers: 8, all: 512 };
/// Most connections of which it is not known yet whether their users are allowed.
const UNKNOWN: Limits = Limits { root: 64, user: 16, strangers: 0, all: 128 };
/// Longest time for the head of a request, and so for a connection without any.
const HEAD: Duration = Duration::from_secs(10);
/// Most bytes of a request's head, and of an answer that waits for its reader.
const HEAD_BYTES: usize = 64 << 10;
/// Time for which it is remembered whether a user is allowed, and for how many users at most.
const KNOWN_FOR: Duration = Duration::from_secs(2);
const KNOWN: usize = 1024;
/// Longest wait for a request that is refused unread.
const ASKED: Duration = Duration::from_secs(2);
/// Longest wait for a client that was turned away to close its connection.
const LINGER: Duration = Duration::from_secs(1);
/// Pause after a connection that could not be accepted.
const PAUSE: Duration = Duration::from_millis(50);

/// The peer of a connection, according to the kernel.
#[derive(Debug, Clone)]
pub struct Peer {
    /// The user.
    pub owner: Owner,
    /// The process, unless it is already gone.
    pub pid: Option<i32>,
    /// The guest that the user is.
    pub guest: Guest,
}

/// Shares of one kind that several threads use.
#[derive(Clone)]
pub struct Common(Arc<Mutex<Shares>>);

/// A part of a guest's share, which is given back when this is dropped.
pub struct Part {
    of: Common,
    guest: Guest,
    amount: u64,
}

impl Common {
    /// Makes shares of which nobody has any.
    pub fn new(limits: Limits) -> Self {
        Self(Arc::new(Mutex::new(Shares::new(limits))))
    }

    /// Gives a guest `amount` more, or else returns the most that the guest may have.
    pub fn take(&self, guest: Guest, amount: u64) -> Result<Part, u64> {
        let mut shares = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match shares.take(guest, amount) {
            true => Ok(Part { of: self.clone(), guest, amount }),
            false => Err(shares.limit(guest)),
        }
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        let mut shares = self.of.0.lock().unwrap_or_else(PoisonError::into_inner);
        shares.give_back(self.guest, self.amount);
    }
}

/// Which users are allowed, as the user database has said lately: it may be slow.
struct Known {
    shaping: Arc<Shaping>,
    lately: Mutex<BTreeMap<(u32, u32), Answer>>,
}

/// What the user database has said when: the user, and whether it is allowed.
type Answer = (Instant, Owner, bool);

impl Known {
    async fn peer(self: &Arc<Self>, stream: &UnixStream) -> io::Result<Peer> {
        let credentials = stream.peer_cred()?;
        let (uid, gid, pid) = (credentials.uid(), credentials.gid(), credentials.pid());
        let lately = |known: &Self| {
            let known = known.lately.lock().unwrap_or_else(PoisonError::into_inner);
            let found = known.get(&(uid, gid))?;
            (found.0.elapsed() < KNOWN_FOR).then(|| (found.1.clone(), found.2))
        };
        let (owner, is_allowed) = match lately(self) {
            Some(found) => found,
            None => {
                let known = Arc::clone(self);
                let asked = tokio::task::spawn_blocking(move || known.ask(uid, gid)).await;
                asked.map_err(io::Error::other)?
            }
        };
        Ok(Peer { guest: Guest::of(&owner, is_allowed), owner, pid })
    }

    fn ask(&self, uid: u32, gid: u32) -> (Owner, bool) {
        let owner = people::owner(uid);
        // A user without a number in this user namespace is nobody.
        let is_allowed = uid != people::overflow_uid() && self.shaping.allows(&owner, gid);
        let mut known = self.lately.lock().unwrap_or_else(PoisonError::into_inner);
        known.retain(|_, (since, ..)| since.elapsed() < KNOWN_FOR);
        if known.len() < KNOWN {
            known.insert((uid, gid), (Instant::now(), owner.clone(), is_allowed));
        }
        (owner, is_allowed)
    }
}

/// Serves the API on `listener` until `ended` is, and then answers requests that are under way for
/// at most `patience`.
pub async fn serve(
    listener: UnixListener,
    router: Router,
    shaping: Arc<Shaping>,
    ended: impl Future<Output = ()>,
    patience: Duration,
) {
    let known = Arc::new(Known { shaping, lately: Mutex::default() });
    let (places, connections) = (Common::new(UNKNOWN), Common::new(CONNECTIONS));
    let (stop, stopped) = watch::channel(());
    let mut under_way = JoinSet::new();
    let mut ended = pin!(ended);
    loop {
        let accepted = tokio::select! {
            () = &mut ended => break,
            accepted = listener.accept() => accepted,
            // Tasks that have ended leave nothing behind.
            Some(_) = under_way.join_next() => continue,
        };
        let Ok((stream, _)) = accepted else {
            sleep(PAUSE).await;
            continue;
        };
        let Ok(credentials) = stream.peer_cred() else { continue };
        // Until the user database has said more, everybody but root is a user.
        let guest =
            if credentials.uid() == 0 { Guest::Root } else { Guest::User(credentials.uid()) };
        let waiting = match places.take(guest, 1) {
            Ok(waiting) => waiting,
            Err(most) => {
                turn_away(&stream, guest, most);
                continue;
            }
        };
        let (known, connections) = (Arc::clone(&known), connections.clone());
        let (router, stopped) = (router.clone(), stopped.clone());
        under_way.spawn(async move {
            let Ok(peer) = known.peer(&stream).await else { return };
            match connections.take(peer.guest, 1) {
                Ok(_part) => {
                    drop(waiting);
                    connection(stream, peer, router, stopped).await;
                }
                Err(most) => {
                    // Clients take no answer to what they have not asked yet.
                    let _ = timeout(ASKED, stream.readable()).await;
                    turn_away(&stream, peer.guest, most);
                    let _ = timeout(LINGER, drain(&stream)).await;
                }
            }
        });
    }
    drop(stop);
    // Streams of events and captures do not end by themselves.
    let all = async { while under_way.join_next().await.is_some() {} };
    let _ = timeout(patience, all).await;
    under_way.shutdown().await;
}

/// Serves a connection until its peer closes it, or is too slow, or the daemon ends.
async fn connection(stream: UnixStream, peer: Peer, router: Router, stopped: watch::Receiver<()>) {
    let router = TowerToHyperService::new(router);
    let service = service_fn(move |request: hyper::Request<hyper::body::Incoming>| {
        let mut request = request.map(Body::new);
        request.extensions_mut().insert(ConnectInfo(peer.clone()));
        router.call(request)
    });
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(HEAD).max_buf_size(HEAD_BYTES);
    let mut served = pin!(http.serve_connection(TokioIo::new(stream), service));
    let mut stopped = stopped;
    // A peer that is gone or too slow has no answer.
    if let Either::Right((_, _)) = select(served.as_mut(), pin!(stopped.changed())).await {
        served.as_mut().graceful_shutdown();
        let _ = served.await;
    }
}

/// Takes in what a client that was turned away still sends, and throws it away: a client that
/// cannot write does not read its answer.
async fn drain(stream: &UnixStream) -> io::Result<()> {
    let (mut buffer, mut taken) = ([0; 4096], 0);
    while taken < HEAD_BYTES {
        stream.readable().await?;
        match stream.try_read(&mut buffer) {
            Ok(0) => break,
            Ok(bytes) => taken += bytes,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Answers a connection too many without reading from it.
fn turn_away(stream: &UnixStream, guest: Guest, most: u64) {
    let whose = match guest {
        Guest::Strangers => "users who may not shape traffic here have",
        Guest::Root | Guest::User(_) => "you have",
    };
    let words = format!("{whose} {most} connections to the daemon, or all users have too many");
    let body = serde_json::json!({ "error": words }).to_string();
    let head = format!(
        "HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/json\r\n\
         content-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    // A peer that does not take it has no answer.
    let _ = stream.try_write((head + &body).as_bytes());
}
