//! `netloom inspect --watch` in a terminal: the page, its keys, and what is left of it; and flows
//! of traffic while they go.

mod common;

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};

use common::{Lab, NETLOOM, eventually, kill, text};
use nix::pty::{Winsize, openpty};
use nix::sys::signal::Signal;
use nix::sys::termios::{Termios, tcgetattr};
use serde_json::Value;

const SCENARIO: &str = "\
topology:
  nodes: { a: , b: { kind: router }, c: }
  links:
    - { name: narrow, endpoints: [a, b], rate: 1Mbit/s }
    - { name: wide, endpoints: [b, c], rate: 100Mbit/s }
traffic:
  - { name: video, from: a, to: b, udp: { port: 9000 }, cbr: { rate: 800kbit/s }, size: 1000B }
  - { name: file, from: b, to: c, tcp: { port: 9001 }, bulk: {} }
  - { name: web, from: c, to: b, tcp: { port: 9002 },
      http: { think: 10ms, sizes: 10kB } }
  - { name: echo, from: a, to: b, ping: { interval: 20ms } }
processes:
  - { name: early, node: a, command: exit 3 }
expect:
  - { process: early, exit: 3 }
timeline:
  - { at: 1ms, link: wide, set: { delay: 1ms } }
";

/// The scenario for a run of so many seconds.
fn scenario(seconds: u32) -> String {
    format!("duration: {seconds}s\n{SCENARIO}")
}

/// A run of the scenario in the background, in its own lab.
struct Going {
    lab: Lab,
    run: Child,
}

impl Going {
    /// Starts a run for so many seconds, and returns when it goes.
    fn new(seconds: u32) -> Self {
        let lab = Lab::new(&scenario(seconds));
        let mut run = lab.command(&["run", "-o", "results"]);
        let run = run.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let phase = || {
            let output = lab.netloom(&["inspect", &lab.name, "--format", "json"]);
            serde_json::from_slice::<Value>(&output.stdout)
                .is_ok_and(|shown| shown["experiment"]["phase"] == "running")
        };
        eventually("the run goes", phase);
        Self { lab, run }
    }
}

impl Drop for Going {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.lab.netloom(&["destroy", &self.lab.name]);
        let _ = self.run.wait();
    }
}

/// A screen that knows the commands of the page.
struct Screen {
    cells: Vec<Vec<char>>,
    row: usize,
    column: usize,
    /// Whether the other screen is shown, which programs use for pages.
    is_other: bool,
}

impl Screen {
    fn new(rows: u16, columns: u16) -> Self {
        let cells = vec![vec![' '; columns.into()]; rows.into()];
        Self { cells, row: 0, column: 0, is_other: false }
    }

    fn put(&mut self, letter: char) {
        match letter {
            '\r' => self.column = 0,
            '\n' => self.row += 1,
            letter => {
                let (row, column) = (self.row, self.column);
                if let Some(cell) = self.cells.get_mut(row).and_then(|row| row.get_mut(column)) {
                    *cell = letter;
                }
                self.column += 1;
            }
        }
    }

    fn command(&mut self, parameters: &str, end: char) {
        match (end, parameters) {
            ('H', place) => {
                let mut place = place.split(';').map(|number| number.parse().unwrap_or(1));
                self.row = place.next().unwrap_or(1) - 1;
                self.column = place.next().unwrap_or(1) - 1;
            }
            ('J', _) => self.cells.iter_mut().for_each(|row| row.fill(' ')),
            ('h', "?1049") => self.is_other = true,
            ('l', "?1049") => {
                self.is_other = false;
                *self = Self::new(self.cells.len() as u16, self.cells[0].len() as u16);
            }
            _ => {}
        }
    }

    /// Takes the output of a program, and returns how much of it was complete.
    fn take(&mut self, output: &str) -> usize {
        let mut rest = output;
        while let Some(letter) = rest.chars().next() {
            let Some(command) = rest.strip_prefix("\x1b[") else {
                if rest == "\x1b" {
                    break;
                }
                self.put(letter);
                rest = &rest[letter.len_utf8()..];
                continue;
            };
            let Some(end) = command.find(|letter: char| ('@'..='~').contains(&letter)) else {
                break;
            };
            self.command(&command[..end], char::from(command.as_bytes()[end]));
            rest = &command[end + 1..];
        }
        output.len() - rest.len()
    }

    fn text(&self) -> String {
        let lines = self.cells.iter().map(|row| row.iter().collect::<String>());
        lines.map(|line| line.trim_end().to_owned() + "\n").collect()
    }
}

/// `netloom inspect --watch` in a terminal of its own.
struct Watch {
    program: Child,
    keys: File,
    terminal: OwnedFd,
    before: Termios,
    screen: Arc<Mutex<Screen>>,
    /// Reads what the program prints.
    reader: JoinHandle<()>,
}

impl Watch {
    fn new(lab: &Lab, (rows, columns): (u16, u16)) -> Self {
        let size = Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        let pair = openpty(&size, None).unwrap();
        let before = tcgetattr(&pair.slave).unwrap();
        let end = || Stdio::from(pair.slave.try_clone().unwrap());
        let mut command = Command::new("setsid");
        command.args(["--ctty", NETLOOM, "inspect", &lab.name, "--watch"]);
        command.current_dir(&lab.directory).env("TERM", "xterm-256color");
        command.stdin(end()).stdout(end()).stderr(end());
        let program = command.spawn().unwrap();
        let keys = File::from(pair.master);
        let screen = Arc::new(Mutex::new(Screen::new(rows, columns)));
        let (mut output, shown) = (keys.try_clone().unwrap(), Arc::clone(&screen));
        let reader = thread::spawn(move || {
            let (mut buffer, mut left) = (vec![0; 1 << 16], Vec::new());
            // Ends with an error when the terminal is gone.
            while let Ok(length @ 1..) = output.read(&mut buffer) {
                left.extend_from_slice(&buffer[..length]);
                let valid = match std::str::from_utf8(&left) {
                    Ok(text) => text.len(),
                    Err(error) => error.valid_up_to(),
                };
                let text = std::str::from_utf8(&left[..valid]).unwrap();
                let taken = shown.lock().unwrap().take(text);
                left.drain(..taken);
            }
        });
        Self { program, keys, terminal: pair.slave, before, screen, reader }
    }

    fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
    }

    fn text(&self) -> String {
        self.screen.lock().unwrap().text()
    }

    fn is_page(&self) -> bool {
        self.screen.lock().unwrap().is_other
    }

    /// Waits until the screen shows all of these.
    #[track_caller]
    fn shows(&self, parts: &[&str]) {
        let missing = || {
            let text = self.text();
            parts.iter().find(|part| !text.contains(**part)).copied()
        };
        for _ in 0..600 {
            if missing().is_none() {
                return;
            }
            thread::sleep(std::time::Duration::from_millis(100));
        }
        panic!("{:?} is not on\n{}", missing(), self.text());
    }

    /// Waits for the end of the program, after which the terminal is as before. Returns the exit
    /// code and what is on the screen.
    #[track_caller]
    fn ended(mut self) -> (Option<i32>, String) {
        let code = self.program.wait().unwrap().code();
        assert_eq!(tcgetattr(&self.terminal).unwrap(), self.before, "the terminal's modes");
        // Without anybody at the terminal, the reader reads the rest and ends.
        drop(self.terminal);
        self.reader.join().unwrap();
        let screen = self.screen.lock().unwrap();
        assert!(!screen.is_other, "the page is gone");
        (code, screen.text())
    }
}

#[test]
fn the_page_follows_a_run_and_its_keys() {
    let going = Going::new(600);
    let mut watch = Watch::new(&going.lab, (24, 80));
    watch.shows(&[" · running · ", "3 nodes · 2 links", "verdict so far: ", "error bound: "]);
    watch.shows(&["narrow", "wide", "bit/s", "nothing failed", "expectations: 1 met, 0"]);
    assert!(watch.is_page());
    // TCP fills the wide link, and the narrow one is busy for four fifths of the time.
    let row = |text: &str, name: &str| text.lines().position(|line| line.starts_with(name));
    eventually("the busiest link is the first", || {
        let text = watch.text();
        row(&text, "wide").zip(row(&text, "narrow")).is_some_and(|(wide, narrow)| wide < narrow)
    });
    watch.press("/narr");
    eventually("the filter", || row(&watch.text(), "wide").is_none());
    watch.shows(&["Links: 1 of 2", "/narr"]);
    watch.press("\x1b");
    eventually("all links again", || row(&watch.text(), "wide").is_some());
    watch.press("\t");
    // Flows have a pane once there are some.
    watch.shows(&["[Nodes]", "Nodes: 3", " Flows "]);
    watch.press("\t");
    watch.shows(&["[Flows]", "video", "file", "web", "echo"]);
    let has_rate = |name: &str| {
        watch.text().lines().any(|line| line.starts_with(name) && line.contains("bit/s"))
    };
    eventually("the rates of flows", || ["video", "file", "web"].into_iter().all(has_rate));
    watch.press("?");
    watch.shows(&["leave; the experiment goes on"]);
    watch.press("q");
    assert_eq!(watch.ended().0, Some(0));
    // The experiment goes on.
    assert!(going.lab.ok(&["inspect"]).contains("running"));
}

#[test]
fn the_page_leaves_with_the_run_and_says_how_it_ended() {
    // Long enough for both pages to come on a busy machine.
    let mut going = Going::new(15);
    let watches = [Watch::new(&going.lab, (24, 80)), Watch::new(&going.lab, (60, 200))];
    watches[1].shows(&["Links", "Nodes", "Events", "timeline: link wide"]);
    let ended = watches.map(Watch::ended);
    going.run.wait().unwrap();
    let summary = std::fs::read_to_string(going.lab.path("results/summary.json")).unwrap();
    let summary: Value = serde_json::from_str(&summary).unwrap();
    // A busy machine may start a process too late.
    let word = if summary["success"] == true { "PASSED" } else { "FAILED" };
    for (code, text) in ended {
        assert_eq!(code, Some(1), "{text}");
        let name = &going.lab.name;
        assert!(text.contains(&format!("`{name}` has ended: the scenario's duration")), "{text}");
        assert!(text.contains(&format!("{word} {name}: ran ")), "{text}");
    }
}

#[test]
fn the_terminal_is_as_before_however_the_page_ends() {
    let lab = Lab::deployed(&scenario(600));
    let watch = || {
        let watch = Watch::new(&lab, (24, 80));
        watch.shows(&["deployed", "narrow"]);
        watch
    };
    let pid = |watch: &Watch| i32::try_from(watch.program.id()).unwrap();
    let mut one = watch();
    one.press("\x03");
    assert_eq!(one.ended().0, Some(0), "Ctrl-C");
    for (signal, code) in [(Signal::SIGINT, 0), (Signal::SIGTERM, 143), (Signal::SIGHUP, 129)] {
        let one = watch();
        kill(pid(&one), signal);
        assert_eq!(one.ended().0, Some(code), "{signal}");
    }
    let one = watch();
    kill(lab.engine_pid(), Signal::SIGKILL);
    let (code, text) = one.ended();
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains(&format!("the engine of `{}` has died", lab.name)), "{text}");
    lab.ok(&["cleanup", &lab.name]);
}

#[test]
fn without_a_terminal_it_prints_tables_as_ever() {
    let lab = Lab::deployed(&scenario(600));
    let watched = |command: &mut Command| {
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut start = vec![0; 400];
        child.stdout.take().unwrap().read_exact(&mut start).unwrap();
        // It ends when nobody reads any more.
        assert_eq!(child.wait().unwrap().code(), Some(0));
        text(&start)
    };
    let table = watched(&mut lab.command(&["inspect", "--watch"]));
    assert!(table.starts_with("\x1b[H\x1b[2J") && table.contains("deployed"), "{table}");
    let json = watched(&mut lab.command(&["inspect", "--watch", "--format", "json"]));
    assert!(json.contains("\"experiment\": {"), "{json}");
    // A terminal that can do nothing gets tables, too.
    let size = Winsize { ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0 };
    let pair = openpty(&size, None).unwrap();
    let end = || Stdio::from(pair.slave.try_clone().unwrap());
    let mut dumb = lab.command(&["inspect", "--watch"]);
    let dumb = dumb.env("TERM", "dumb").stdin(end()).stdout(end());
    let mut child = dumb.spawn().unwrap();
    let mut start = vec![0; 400];
    File::from(pair.master.try_clone().unwrap()).read_exact(&mut start).unwrap();
    assert!(!text(&start).contains("\x1b[?1049h"), "{}", text(&start));
    kill(i32::try_from(child.id()).unwrap(), Signal::SIGINT);
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn flows_are_known_while_they_go_and_reported_as_without_being_asked() {
    let mut going = Going::new(600);
    let flows = || -> Vec<Value> {
        let answer = going.lab.request("GET", "/v1/flows", "");
        answer.lines().last().and_then(|body| serde_json::from_str(body).ok()).unwrap_or_default()
    };
    let mut last = Vec::new();
    eventually("all flows have received something", || {
        last = flows();
        let received = |flow: &Value| flow["received"]["bytes"].as_u64().unwrap_or_default();
        last.len() == 4 && last.iter().all(|flow| received(flow) > 0)
    });
    going.lab.ok(&["destroy"]);
    going.run.wait().unwrap();
    let summary = std::fs::read_to_string(going.lab.path("results/summary.json")).unwrap();
    let summary: Value = serde_json::from_str(&summary).unwrap();
    assert_eq!(summary["failures"], serde_json::json!([]));
    let ended = summary["flows"].as_array().unwrap();
    assert_eq!(ended.len(), last.len());
    for (before, after) in last.iter().zip(ended) {
        assert_eq!(before["name"], after["name"]);
        let bytes = |flow: &Value| flow["received"]["bytes"].as_u64().unwrap();
        assert!(bytes(before) <= bytes(after), "{before} {after}");
    }
    // Answers leave no trace: a process has printed that it is ready, and its report.
    for process in ["video.sender@a", "video.receiver@b", "file.sender@b", "echo.sender@a"] {
        let file = going.lab.path(&format!("results/processes/{process}.stdout"));
        let printed = std::fs::read_to_string(file).unwrap();
        assert_eq!(printed.lines().count(), 2, "{process}: {printed}");
    }
}
