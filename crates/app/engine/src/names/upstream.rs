//! The resolvers of the machine: each that `/etc/resolv.conf` names, in its order. The file is read
//! for each query, since it changes with the machine's network.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV6};
use std::time::Duration;

use nix::net::if_::if_nametoindex;
use tokio::net::{TcpStream, UdpSocket};
use tokio::time::{Instant, timeout};

/// The port to which programs send name queries.
pub const PORT: u16 = 53;
/// Longest message over UDP, in bytes.
pub const LONGEST: usize = 65_535;
const FILE: &str = "/etc/resolv.conf";
/// Most resolvers that programs ask: `MAXNS` of `resolv.h`.
const MOST: usize = 3;
/// Longest total time of a query: a little less than programs wait before they ask again
/// (`RES_TIMEOUT` of `resolv.h`, 5 s).
const PATIENCE: Duration = Duration::from_millis(4500);

/// Asks one resolver after the other, and returns the first answer.
pub async fn ask(question: Vec<u8>) -> Option<Vec<u8>> {
    let deadline = Instant::now() + PATIENCE;
    let resolvers = resolvers().await;
    for (number, resolver) in resolvers.iter().enumerate() {
        let patience = part(deadline, resolvers.len() - number);
        if let Ok(Ok(answer)) = timeout(patience, ask_one(*resolver, &question)).await {
            return Some(answer);
        }
    }
    None
}

/// Connects to the first resolver that accepts.
pub async fn connect() -> Option<TcpStream> {
    let deadline = Instant::now() + PATIENCE;
    let resolvers = resolvers().await;
    for (number, resolver) in resolvers.iter().enumerate() {
        let patience = part(deadline, resolvers.len() - number);
        if let Ok(Ok(connection)) = timeout(patience, TcpStream::connect(resolver)).await {
            return Some(connection);
        }
    }
    None
}

/// Divides the time that is left equally over the resolvers that are left.
fn part(deadline: Instant, left: usize) -> Duration {
    deadline.saturating_duration_since(Instant::now()) / u32::try_from(left).unwrap_or(1).max(1)
}

/// Asks from a socket of its own, so that answers to other queries do not reach it.
async fn ask_one(resolver: SocketAddr, question: &[u8]) -> io::Result<Vec<u8>> {
    let any: IpAddr = match resolver {
        SocketAddr::V4(_) => Ipv4Addr::UNSPECIFIED.into(),
        SocketAddr::V6(_) => Ipv6Addr::UNSPECIFIED.into(),
    };
    let socket = UdpSocket::bind((any, 0)).await?;
    socket.connect(resolver).await?;
    socket.send(question).await?;
    let mut answer = vec![0; LONGEST];
    loop {
        let length = socket.recv(&mut answer).await?;
        // The id of a message is its first two bytes (RFC 1035, section 4.1.1).
        if length >= 2 && question.get(..2) == Some(&answer[..2]) {
            answer.truncate(length);
            return Ok(answer);
        }
    }
}

async fn resolvers() -> Vec<SocketAddr> {
    named_in(&tokio::fs::read_to_string(FILE).await.unwrap_or_default())
}

/// Returns the resolvers that the file names. If there is none, it is the one on this machine,
/// according to `resolv.conf(5)`.
fn named_in(file: &str) -> Vec<SocketAddr> {
    let named = file.lines().filter_map(|line| {
        let mut words = line.split_whitespace();
        (words.next()? == "nameserver").then(|| address(words.next()?)).flatten()
    });
    let mut all: Vec<SocketAddr> = named.take(MOST).collect();
    if all.is_empty() {
        all.push((Ipv4Addr::LOCALHOST, PORT).into());
    }
    all
}

/// Parses an address. A link-local one has its device after `%`.
fn address(text: &str) -> Option<SocketAddr> {
    let Some((address, device)) = text.split_once('%') else {
        return Some((text.parse::<IpAddr>().ok()?, PORT).into());
    };
    let scope = device.parse().ok().or_else(|| if_nametoindex(device).ok())?;
    Some(SocketAddrV6::new(address.parse().ok()?, PORT, 0, scope).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resolvers_are_those_that_programs_would_ask() {
        let words = |file: &str| {
            let all = named_in(file);
            all.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(words(""), "127.0.0.1:53");
        assert_eq!(words("# nameserver 10.0.0.1\nsearch example.org\n"), "127.0.0.1:53");
        let file = "nameserver 10.0.0.1\n nameserver\tfd00::1 # ours\nnameserver nonsense\n\
                    nameserver fe80::1%1\nnameserver 10.0.0.2\n";
        assert_eq!(words(file), "10.0.0.1:53 [fd00::1]:53 [fe80::1%1]:53");
    }

    #[tokio::test]
    async fn an_answer_has_the_id_of_its_question() {
        let resolver = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let at = resolver.local_addr().unwrap();
        let asked = tokio::spawn(async move { ask_one(at, &[7, 8, 1, 2]).await.unwrap() });
        let mut question = [0; 16];
        let (length, from) = resolver.recv_from(&mut question).await.unwrap();
        assert_eq!(question[..length], [7, 8, 1, 2]);
        for answer in [&[7][..], &[7, 9, 3], &[7, 8, 4]] {
            resolver.send_to(answer, from).await.unwrap();
        }
        assert_eq!(asked.await.unwrap(), [7, 8, 4]);
    }
}
