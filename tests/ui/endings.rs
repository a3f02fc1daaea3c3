//! What is said, and what is left, when an engine or the server is killed while somebody watches,
//! and when two windows write one file.

use std::io::{ErrorKind, Read};
use std::net::TcpStream;
use std::process::{Child, Stdio};

use netloom_api::live::{self, PipeRow};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::{Value, json};

use crate::common::eventually;
use crate::page::{Answer, PAIR, Page, hear, say};

/// One who watches all links, to whom a frame was sent.
fn viewer(page: &Page) -> TcpStream {
    let path = format!("/api/experiments/{}/v1/live", page.lab.name);
    let ticketed = format!("{path}?ticket={}", page.ticket(&path));
    let mut socket = page.websocket(&ticketed, &[&page.origin()]).unwrap();
    say(&mut socket, "{\"interval_ms\": 100, \"links\": \"all\"}");
    until(&mut socket, |kind, frame| {
        kind == 2 && live::read::<PipeRow>(frame).is_some_and(|(_, rows)| rows.len() == 2)
    });
    socket
}

/// Hears until a message is the wanted one.
fn until(socket: &mut TcpStream, is_it: impl Fn(u8, &[u8]) -> bool) {
    for _ in 0..600 {
        let (kind, message) = hear(socket);
        if is_it(kind, &message) {
            return;
        }
    }
    panic!("it does not come");
}

/// Whether the server ends a WebSocket, in whatever way.
fn ends(mut socket: TcpStream) -> bool {
    let mut rest = Vec::new();
    match socket.read_to_end(&mut rest) {
        Ok(_) => true,
        Err(error) => error.kind() == ErrorKind::ConnectionReset,
    }
}

fn engine(page: &Page) -> i32 {
    let status = page.get(&format!("/api/experiments/{}/v1/experiment", page.lab.name)).json();
    i32::try_from(status["engine_pid"].as_i64().unwrap()).unwrap()
}

fn listed(page: &Page) -> Value {
    page.get("/api/experiments").json()
}

#[test]
fn an_engine_that_is_killed_is_said_to_be_dead_and_its_experiment_comes_again() {
    let page = Page::new(PAIR, &[]);
    let file = json!({"file": "netloom.yaml"});
    page.job("/api/deploy", &file);
    let name = page.lab.name.clone();
    let watching = viewer(&page);
    let killed = engine(&page);
    kill(Pid::from_raw(killed), Signal::SIGKILL).unwrap();
    assert!(ends(watching), "who watches is told by the end");
    let links = format!("/api/experiments/{name}/v1/links");
    eventually("its death is known", || page.get(&links).status == 502);
    let gone = page.get(&links).json();
    assert!(gone["help"].as_str().unwrap().contains("netloom cleanup"), "{gone}");
    let dead = listed(&page);
    assert_eq!((&dead[0]["name"], &dead[0]["alive"]), (&json!(name), &json!(false)), "{dead}");
    let socket = format!("/api/experiments/{name}/v1/live");
    let ticketed = format!("{socket}?ticket={}", page.ticket(&socket));
    assert_eq!(page.websocket(&ticketed, &[&page.origin()]).unwrap_err(), 502);
    page.job("/api/cleanup", &json!({"experiment": name}));
    assert_eq!(listed(&page), json!([]));
    // The same experiment again: whoever comes back sees it.
    page.job("/api/deploy", &file);
    assert_ne!(engine(&page), killed);
    drop(viewer(&page));
    page.job("/api/destroy", &json!({"experiment": name}));
}

/// A `netloom run` that lasts until it is told to end.
struct Run(Child);

impl Drop for Run {
    fn drop(&mut self) {
        // It may have ended.
        let _ = kill(Pid::from_raw(i32::try_from(self.0.id()).unwrap()), Signal::SIGTERM);
        let _ = self.0.wait();
    }
}

#[test]
fn a_server_that_is_killed_takes_no_experiment_and_no_job_with_it() {
    let mut page = Page::new(&format!("{PAIR}duration: 1000000s\n"), &[]);
    let mut command = page.lab.command(&["run", "--output", "results"]);
    command.env("NETLOOM_STATE_DIR", &page.state).stdout(Stdio::null()).stderr(Stdio::null());
    let _run = Run(command.spawn().unwrap());
    let name = page.lab.name.clone();
    eventually("the run goes", || listed(&page)[0]["status"]["phase"] == "running");
    let watching = viewer(&page);
    let (engine_before, key) = (engine(&page), page.key.clone());
    page.server.kill().unwrap();
    page.server.wait().unwrap();
    assert!(ends(watching), "the kernel ends its connections");
    // The next one takes its place, knows nothing of its sessions, and finds what goes on.
    page.restart();
    let old = format!("Authorization: Bearer {key}");
    assert_eq!(page.send("GET", "/api/experiments", &[&old], "").status, 401);
    assert_eq!(engine(&page), engine_before);
    let found = listed(&page);
    assert_eq!((&found[0]["name"], &found[0]["alive"]), (&json!(name), &json!(true)), "{found}");
    drop(viewer(&page));
}

#[test]
fn an_engine_that_is_killed_while_it_starts_fails_the_job_and_leaves_what_cleanup_removes() {
    let page = Page::new(&PAIR.replace("a: ,", "a: { startup: [sleep 1000] },"), &[]);
    let begun = page.own("POST", "/api/deploy", &json!({"file": "netloom.yaml"}));
    assert_eq!(begun.status, 202, "{begun:?}");
    let name = &page.lab.name;
    eventually("it starts", || listed(&page)[0]["status"]["phase"] == "starting");
    let watching = viewer(&page);
    kill(Pid::from_raw(engine(&page)), Signal::SIGKILL).unwrap();
    assert!(ends(watching), "who watches is told by the end");
    let events = page.get(&format!("/api/jobs/{}/events", begun.json()["id"])).body;
    let last = events.lines().rfind(|line| line.starts_with("data: ")).unwrap();
    assert!(last.contains("\"ended\"") && !last.contains("\"code\":0"), "{events}");
    if !listed(&page).as_array().unwrap().is_empty() {
        page.job("/api/cleanup", &json!({"experiment": name}));
    }
    assert_eq!(listed(&page), json!([]));
}

#[test]
fn the_second_of_two_windows_is_told_what_the_first_has_written() {
    let page = Page::new(PAIR, &[]);
    let path = "/api/files/netloom.yaml";
    let tag = |answer: &Answer| answer.header("etag").unwrap().to_owned();
    // Both have read the same text.
    let read = page.get(path);
    let first = tag(&read);
    let write = |tag: &str, text: &str| {
        let condition = format!("If-Match: {tag}");
        page.send("PUT", path, &[&page.origin(), &page.bearer(), &condition], text)
    };
    let text = read.body.clone();
    let (mine, theirs) = (format!("{text}# mine\n"), format!("{text}# theirs\n"));
    let written = write(&first, &mine);
    assert_eq!(written.status, 200, "{written:?}");
    let refused = write(&first, &theirs);
    assert_eq!(refused.status, 412, "{refused:?}");
    let now = page.get(path);
    assert_eq!(now.body, mine, "nothing was overwritten");
    // Many at once: one of them, as a whole.
    let tag = tag(&now);
    let mut statuses = std::thread::scope(|scope| {
        let (write, tag, mine) = (&write, &tag, &mine);
        let window =
            |number| scope.spawn(move || write(tag, &format!("{mine}# {number}\n")).status);
        let windows: Vec<_> = (0..8).map(window).collect();
        windows.into_iter().map(|window| window.join().unwrap()).collect::<Vec<u16>>()
    });
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 412, 412, 412, 412, 412, 412, 412]);
}
