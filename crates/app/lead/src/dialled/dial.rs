//! A machine's side: dials the lead, and starts a member for each stream that the lead takes.

use std::future::Future;
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream as Blocking;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use netloom_api::member;
use rustls::pki_types::ServerName;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader, copy_bidirectional};
use tokio::net::{TcpStream, UnixStream};
use tokio::process::Command;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use super::line::{Answer, Orders, PATIENCE, watch};
use super::pins::{Identity, Known, NAME};

/// Time between two tries to dial.
const STEP: Duration = Duration::from_millis(100);

type Stream = BufReader<TlsStream<TcpStream>>;

/// Follows the orders on standard input, until the lead is gone and what it asked for has ended.
pub fn main() -> Result<()> {
    let mut line = String::new();
    io::stdin().read_line(&mut line).context("cannot read where the lead is")?;
    let orders = serde_json::from_str(&line).context("cannot understand where the lead is")?;
    let identity = Identity::new()?;
    let answer = Answer { fingerprint: identity.fingerprint() };
    writeln!(io::stdout(), "{}", serde_json::to_string(&answer)?)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(follow(orders, identity, member))
}

/// Starts what serves a stream: words on its first line, then bytes both ways.
async fn follow<S, F>(orders: Orders, identity: Identity, serve: S) -> Result<()>
where
    S: Fn(Stream, Vec<String>) -> F,
    F: Future<Output = Result<()>> + Send + 'static,
{
    let known = Known::default();
    known.add(orders.fingerprint.clone(), "lead".into());
    let connector = TlsConnector::from(Arc::new(identity.client(known)?));
    let mut running = JoinSet::new();
    let mut is_first = true;
    loop {
        let dialled = dial(&connector, &orders).await;
        let asked = match dialled {
            Ok(stream) => asked(stream).await,
            // The lead's end is no error.
            Err(_) if !is_first => break,
            Err(error) => return Err(error),
        };
        let Ok(Some((stream, words))) = asked else { break };
        running.spawn(serve(stream, words));
        is_first = false;
    }
    while let Some(ended) = running.join_next().await {
        if let Ok(Err(error)) = ended {
            eprintln!("error: {}", netloom_api::in_words(error.as_ref()));
        }
    }
    Ok(())
}

/// Dials the lead. It may learn who we are a little later than we.
async fn dial(connector: &TlsConnector, orders: &Orders) -> Result<Stream> {
    let until = Instant::now() + PATIENCE;
    let cannot = || format!("cannot dial the lead at {}", orders.lead);
    loop {
        let stream = TcpStream::connect(orders.lead).await.with_context(cannot)?;
        match admitted(connector, stream).await {
            Ok(stream) => return Ok(stream),
            Err(error) if Instant::now() > until => return Err(error).with_context(cannot),
            Err(_) => sleep(STEP).await,
        }
    }
}

/// Shows the lead who we are, and waits for the byte by which it takes us in.
async fn admitted(connector: &TlsConnector, stream: TcpStream) -> Result<Stream> {
    watch(&stream)?;
    let name = ServerName::try_from(NAME).context("that is no name")?;
    let mut stream = connector.connect(name, stream).await?;
    stream.read_u8().await.context("it does not take this machine in")?;
    Ok(BufReader::new(stream))
}

/// Waits until the lead takes a stream. Returns what it asks for on it. `None` if it never will.
async fn asked(mut stream: Stream) -> Result<Option<(Stream, Vec<String>)>> {
    let mut line = String::new();
    match stream.read_line(&mut line).await? {
        0 => Ok(None),
        _ => Ok(Some((stream, serde_json::from_str(&line)?))),
    }
}

/// Joins a stream to a member.
async fn member(mut stream: Stream, words: Vec<String>) -> Result<()> {
    let (ours, theirs) = Blocking::pair().context("cannot make a stream to a member")?;
    let theirs = OwnedFd::from(theirs);
    let binary = std::env::current_exe().context("cannot find the netloom binary")?;
    let mut child = Command::new(binary)
        .arg(member::ROLE)
        .args(words)
        .stdin(Stdio::from(theirs.try_clone()?))
        .stdout(Stdio::from(theirs))
        .spawn()
        .context("cannot start a member")?;
    ours.set_nonblocking(true)?;
    let mut ours = UnixStream::from_std(ours)?;
    // Whichever side ends it: the member sees the end of its input, and ends.
    let _ = copy_bidirectional(&mut stream, &mut ours).await;
    drop((stream, ours));
    child.wait().await.context("cannot wait for a member").map(drop)
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;
    use std::os::linux::net::SocketAddrExt;
    use std::os::unix::net::SocketAddr;

    use tokio::io::AsyncWriteExt;

    use super::super::desk::Desk;
    use super::*;

    fn desk(test: &str) -> (Desk, String) {
        let name = format!("netloom-test-{}-{test}", std::process::id());
        (Desk::open(Ipv4Addr::LOCALHOST.into(), name.clone()).unwrap(), name)
    }

    fn orders(desk: &Desk) -> Orders {
        Orders { lead: desk.orders.lead, fingerprint: desk.orders.fingerprint.clone() }
    }

    /// Answers by its words and what it hears, when that has ended.
    async fn echo(mut stream: Stream, words: Vec<String>) -> Result<()> {
        let mut heard = String::new();
        stream.read_to_string(&mut heard).await?;
        stream.write_all(format!("{}: {heard}", words.join(" ")).as_bytes()).await?;
        Ok(stream.shutdown().await?)
    }

    /// What a relay gets that asks for this and says that.
    async fn relayed(name: &str, request: &str, said: &str) -> String {
        let address = SocketAddr::from_abstract_name(name).unwrap();
        let stream = Blocking::connect_addr(&address).unwrap();
        stream.set_nonblocking(true).unwrap();
        let mut stream = UnixStream::from_std(stream).unwrap();
        stream.write_all(format!("{request}\n{said}").as_bytes()).await.unwrap();
        stream.shutdown().await.unwrap();
        let mut heard = String::new();
        stream.read_to_string(&mut heard).await.unwrap();
        heard
    }

    #[tokio::test]
    async fn relays_reach_the_machine_that_they_name_until_the_lead_is_gone() {
        let (desk, name) = desk("relays");
        let machine = |name: &str| {
            let identity = Identity::new().unwrap();
            desk.expect(name, identity.fingerprint());
            tokio::spawn(follow(orders(&desk), identity, echo))
        };
        let machines = [machine("m1"), machine("m2")];
        let (one, two, three) = tokio::join!(
            relayed(&name, r#"["m1","a","b"]"#, "one"),
            relayed(&name, r#"["m2"]"#, "two"),
            relayed(&name, r#"["m1","c"]"#, ""),
        );
        assert_eq!([one, two, three], ["a b: one", ": two", "c: "]);
        let nobody = relayed(&name, r#"["m3"]"#, "").await;
        assert!(nobody.contains("there is no `m3`"), "{nobody}");
        assert!(relayed(&name, "?", "").await.contains("no request"));
        drop(desk);
        for machine in machines {
            machine.await.unwrap().unwrap();
        }
    }

    #[tokio::test]
    async fn who_has_another_key_is_refused_at_either_end() {
        let (desk, _) = desk("keys");
        let try_by = async |identity: Identity, lead: &str| {
            let known = Known::default();
            known.add(lead.to_owned(), "lead".into());
            let connector = TlsConnector::from(Arc::new(identity.client(known).unwrap()));
            let stream = TcpStream::connect(desk.orders.lead).await.unwrap();
            admitted(&connector, stream).await.map(drop)
        };
        let (lead, known) = (desk.orders.fingerprint.as_str(), Identity::new().unwrap());
        desk.expect("m1", known.fingerprint());
        assert!(try_by(Identity::new().unwrap(), lead).await.is_err(), "a stranger");
        let other = Identity::new().unwrap().fingerprint();
        assert!(try_by(Identity::new().unwrap(), &other).await.is_err(), "a strange lead");
        try_by(known, lead).await.unwrap();
    }
}
