//! From the command line to a server that listens.

use std::io::{self, IsTerminal, Write};
use std::net::{IpAddr, Ipv4Addr, TcpListener};
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;

use anyhow::{Context, Result, anyhow};
use netloom_cli::Ui;
use tokio::process::Command;
use tokio::runtime::Handle;
use tokio::signal::unix::{SignalKind, signal};

use crate::address::{self, Address, Place};
use crate::folder::Folder;
use crate::jobs::Jobs;
use crate::routes::router;
use crate::security::Doors;
use crate::server::Server;

/// The niceness of the server's thread: those that carry frames go first.
const NICENESS: i32 = 10;

/// Serves until a signal comes. Returns the exit code.
///
/// # Errors
/// The folder or the port cannot be used.
pub async fn serve(args: Ui) -> Result<i32> {
    let folder = Folder::open(args.directory.as_deref().unwrap_or(Path::new(".")))?;
    let listen = args.listen.unwrap_or(IpAddr::V4(Ipv4Addr::LOCALHOST));
    if listen != IpAddr::V4(Ipv4Addr::LOCALHOST) {
        let words = format!(
            "`netloom ui` listens at 127.0.0.1 only, since whoever reaches it has your rights; \
             from another machine, {}",
            tunnel(args.port.unwrap_or(8080))
        );
        return Err(netloom_cli::exit::usage(words));
    }
    let place = match Place::take()? {
        Ok(place) => place,
        Err(other) => {
            say(&other.url);
            note(&format!("netloom ui runs already, for {}", other.directory.display()));
            open(&other.url, args.no_open);
            return Ok(0);
        }
    };
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, args.port.unwrap_or(0)))
        .with_context(|| format!("cannot listen at port {}", args.port.unwrap_or(0)))?;
    listener.set_nonblocking(true)?;
    let port = listener.local_addr()?.port();
    let doors = Doors::new(port, args.read_only)?;
    let url = format!("http://127.0.0.1:{port}/#{}", doors.token());
    let directory = folder.path().to_path_buf();
    place.publish(&Address { url: url.clone(), pid: std::process::id(), directory })?;
    let server = Server {
        doors: Arc::new(doors),
        folder: Arc::new(folder),
        jobs: Arc::new(Jobs::new(Handle::current())),
        looked: Arc::default(),
    };
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    let mut hangup = signal(SignalKind::hangup())?;
    let (ended, mut ends) = tokio::sync::oneshot::channel();
    std::thread::Builder::new().name("ui".into()).spawn(move || {
        // Only whoever waits for the end reads it.
        let _ = ended.send(apart(listener, server));
    })?;
    say(&url);
    if io::stderr().is_terminal() {
        note("Ctrl-C ends it; experiments stay");
    }
    if std::env::var_os("SSH_CONNECTION").is_some() {
        note(&format!("from your own machine: {}, then open that address", tunnel(port)));
    }
    open(&url, args.no_open);
    let code = tokio::select! {
        ended = &mut ends => {
            return ended.unwrap_or_else(|_| Err(anyhow!("the server died"))).map(|()| 0);
        }
        _ = interrupt.recv() => 130,
        _ = terminate.recv() => 143,
        _ = hangup.recv() => 129,
    };
    drop(place);
    Ok(code)
}

/// Serves on this thread, which gives way to others. Threads that it starts do, too.
fn apart(listener: TcpListener, server: Server) -> Result<()> {
    // A kernel that refuses that makes nothing worse than without.
    let _ = rustix::process::nice(NICENESS);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let listener = tokio::net::TcpListener::from_std(listener)?;
        let doors = server.doors.clone();
        tokio::spawn(async move { doors.age().await });
        Ok(axum::serve(listener, router(server)).await?)
    })
}

/// Returns the command that makes a port of this machine one of the user's own.
fn tunnel(port: u16) -> String {
    format!("use `ssh -L {port}:127.0.0.1:{port} THIS-MACHINE`")
}

/// Prints the address.
fn say(url: &str) {
    let mut out = io::stdout().lock();
    // There need not be a reader.
    let _ = writeln!(out, "{url}").and_then(|()| out.flush());
}

/// Opens a browser where there is one.
fn open(url: &str, is_unwanted: bool) {
    let screens = ["DISPLAY", "WAYLAND_DISPLAY"];
    let has_screen = screens.iter().any(|name| std::env::var_os(name).is_some());
    if is_unwanted || !has_screen || !io::stdout().is_terminal() {
        return;
    }
    // The address is printed, so the user can open it if this fails.
    let Ok(page) = address::page(url) else { return };
    let mut command = Command::new("xdg-open");
    command.arg(page).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let _ = command.process_group(0).spawn();
}

/// Prints a line for the user. There need not be a reader.
fn note(words: &str) {
    let _ = writeln!(io::stderr(), "{words}");
}
