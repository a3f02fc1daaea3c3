//! HTTP/1.1 (RFC 9112): a client that requests objects one after the other, and a server that has
//! objects of every length. Other clients and servers may take part: `GET /1000` requests 1000
//! bytes.

use std::io::{self, BufRead, BufReader};
use std::net::{SocketAddr, TcpStream};
use std::sync::PoisonError;

use anyhow::{Context, Result};
use netloom_link::Stream;
use netloom_traffic::{Exchange, HttpConfig, HttpHead, Receivers};
use netloom_units::{Duration, Size};

use super::bulk::write;
use super::clock::Clock;
use super::connection::{self, Patient};
use super::counts::Counts;
use super::send::LATE;
use super::stop::Stop;
use super::tally::Flows;
use super::{Send, Sent};

/// Shortest wait of a client after a request without a response, in ns.
const AGAIN: u64 = 1_000_000_000;

/// Sends all requests that are due before the time `end`. Their times count from `base`.
pub fn ask(
    order: &Send,
    config: &HttpConfig,
    to: &[SocketAddr],
    (base, end): (u64, u64),
    (clock, stop): (&Clock, &Stop),
    sent: &Counts,
) -> Result<()> {
    let stream = Stream::new(order.seed, &order.stream);
    let receivers = Receivers::new(&stream, to.len());
    let count = |due: u64, change: &dyn Fn(&mut Sent)| sent.at(clock.interval(due), change);
    let (mut due, mut open, mut patience) = (base, None, 0);
    for (number, exchange) in (0..).zip(config.exchanges(&stream)?) {
        due = due.saturating_add(exchange.think.as_nanos().max(std::mem::take(&mut patience)));
        if due >= end || !stop.unless_before(due, clock) {
            break;
        }
        let is_late = clock.now().saturating_sub(due) > LATE;
        count(due, &|sent| {
            sent.flows += 1;
            sent.late += u64::from(is_late);
        });
        let server = to[receivers.of(number)];
        let one = One { order, exchange, persistent: config.persistent, clock, stop, sent };
        match one.exchange(open.take(), server) {
            Ok(Some(connection)) => {
                let now = clock.now();
                let time = now.saturating_sub(due);
                count(due, &|sent| {
                    sent.completed += 1;
                    sent.completion_sum += time;
                    sent.completion_most = sent.completion_most.max(time);
                });
                open = config.persistent.then_some(connection);
                due = now;
            }
            // The end came first.
            Ok(None) => break,
            Err(error) => {
                eprintln!("a request was not answered: {error:#}");
                patience = AGAIN;
                due = clock.now();
            }
        }
    }
    if order.time.is_some() {
        stop.unless_before(end, clock);
    }
    Ok(())
}

/// A request, and all that sending it needs.
struct One<'a> {
    order: &'a Send,
    exchange: Exchange,
    persistent: bool,
    clock: &'a Clock,
    stop: &'a Stop,
    sent: &'a Counts,
}

type Connection<'a> = BufReader<Patient<'a>>;

impl<'a> One<'a> {
    /// Sends the request over an open connection or a new one, which it returns once it has the
    /// response. Returns `None` if the end is requested first.
    fn exchange(
        &self,
        open: Option<Connection<'a>>,
        server: SocketAddr,
    ) -> Result<Option<Connection<'a>>> {
        let mut connection = match open {
            Some(open) => open,
            None => match connection::connect(self.order, server, self.stop)? {
                Some(stream) => BufReader::new(Patient::new(stream, self.clock, self.stop)),
                None => return Ok(None),
            },
        };
        let asked = self.over(&mut connection);
        match asked {
            Ok(()) => Ok(Some(connection)),
            Err(_) if self.stop.is_asked() => Ok(None),
            Err(error) => Err(error).with_context(|| format!("from {server}")),
        }
    }

    fn over(&self, connection: &mut Connection<'_>) -> Result<()> {
        let request = self.exchange.request(self.order.flow, self.persistent);
        connection.get_mut().write_all(request.as_bytes())?;
        let head = HttpHead::read(connection)?.context("the server has closed")?;
        self.count(head.bytes);
        let (version, status) = head.first.split_once(' ').unwrap_or_default();
        if !version.starts_with("HTTP/1.") || !status.starts_with("200") {
            anyhow::bail!("the server answers `{}`", head.first);
        }
        let mut left = head.length.context("the response does not say how long it is")?;
        while left > 0 {
            let buffered = connection.fill_buf()?.len();
            if buffered == 0 {
                anyhow::bail!("{left} bytes of the response are missing");
            }
            let taken = buffered.min(usize::try_from(left).unwrap_or(usize::MAX));
            connection.consume(taken);
            left -= taken as u64;
            self.count(taken as u64);
        }
        Ok(())
    }

    /// Counts bytes that have just arrived.
    fn count(&self, bytes: u64) {
        self.sent.at(self.clock.interval(self.clock.now()), |sent| sent.bytes += bytes);
    }
}

/// Serves the requests of one connection.
pub fn serve(stream: TcpStream, clock: &Clock, stop: &Stop, flows: &Flows) -> io::Result<()> {
    stream.set_nonblocking(false)?;
    stream.set_read_timeout(Some(connection::PATIENCE))?;
    stream.set_write_timeout(Some(connection::PATIENCE))?;
    let mut connection = BufReader::new(Patient::new(stream, clock, stop));
    loop {
        let head = match HttpHead::read(&mut connection) {
            Ok(Some(head)) => head,
            Ok(None) => return Ok(()),
            Err(_) if stop.is_asked() => return Ok(()),
            Err(error) => return Err(error),
        };
        let Some(bytes) = head.asks_for() else {
            return connection.get_mut().write_all(HttpHead::NOT_FOUND.as_bytes());
        };
        let counts = Counts::default();
        let response = Exchange { think: Duration::ZERO, response: Size::from_bytes(bytes) };
        let persistent = !head.closes;
        let response = response.response_head(persistent);
        let peer = connection.get_mut();
        peer.write_all(response.as_bytes())?;
        let now = clock.interval(clock.now());
        counts.at(now, |sent| sent.bytes += response.len() as u64);
        let whole = write(peer.stream(), bytes, u64::MAX, (clock, stop), &mut counts.watch());
        if let Some(flow) = head.client {
            let (written, _) = counts.into_parts();
            let mut flows = flows.lock().unwrap_or_else(PoisonError::into_inner);
            let of_flow = flows.entry(flow).or_default();
            for (interval, Sent { bytes, .. }) in written {
                of_flow.entry(interval).or_default().bytes += bytes;
            }
        }
        if !whole? || !persistent {
            return Ok(());
        }
    }
}
