//! A server of the web UI in a test's own folder, and raw HTTP with it.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::{Value, json};

use crate::common::Lab;

pub const PAIR: &str = "topology:
  nodes: { a: , b: }
  links: [ { endpoints: [\"a:eth1\", \"b:eth1\"], rate: 10Mbit/s, delay: 5ms } ]
";

/// A server in the folder of a lab, with experiments of its own.
pub struct Page {
    pub lab: Lab,
    pub state: PathBuf,
    pub server: Child,
    pub port: u16,
    pub token: String,
    pub key: String,
}

/// An answer.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: String,
    pub body: String,
}

impl Answer {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.headers.lines().filter_map(|line| line.split_once(": "));
        lines.find(|(own, _)| own.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }
}

impl Page {
    pub fn new(scenario: &str, arguments: &[&str]) -> Self {
        let lab = Lab::new(scenario);
        let state = lab.path("state");
        fs::create_dir(&state).unwrap();
        let (server, port, token) = start(&lab, &state, arguments);
        let mut page = Self { lab, state, server, port, token, key: String::new() };
        page.enter();
        page
    }

    /// Starts another server, once the first one has ended.
    pub fn restart(&mut self) {
        (self.server, self.port, self.token) = start(&self.lab, &self.state, &[]);
        self.enter();
    }

    fn enter(&mut self) {
        let session = self.send("POST", "/session", &[&self.origin()], &self.token_body());
        self.key = session.json()["key"].as_str().unwrap().into();
    }

    pub fn token_body(&self) -> String {
        json!({"token": self.token}).to_string()
    }

    pub fn host(&self) -> String {
        format!("Host: 127.0.0.1:{}", self.port)
    }

    pub fn origin(&self) -> String {
        format!("Origin: http://127.0.0.1:{}", self.port)
    }

    pub fn bearer(&self) -> String {
        format!("Authorization: Bearer {}", self.key)
    }

    /// Sends a request with these headers, and a host if they have none.
    pub fn send(&self, method: &str, path: &str, headers: &[&str], body: &str) -> Answer {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        let has_host = headers.iter().any(|header| header.starts_with("Host:"));
        let mut head = format!("{method} {path} HTTP/1.0\r\nContent-Type: application/json\r\n");
        let own = [self.host()];
        let own = own.iter().filter(|_| !has_host).map(String::as_str);
        headers.iter().copied().chain(own).for_each(|header| head += &format!("{header}\r\n"));
        write!(stream, "{head}Content-Length: {}\r\n\r\n{body}", body.len()).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or_else(|| panic!("{answer}"));
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Answer { status, headers: head.into(), body: body.into() }
    }

    /// Sends a request of the page's own.
    pub fn own(&self, method: &str, path: &str, body: &Value) -> Answer {
        let text = if body.is_null() { String::new() } else { body.to_string() };
        self.send(method, path, &[&self.origin(), &self.bearer()], &text)
    }

    pub fn get(&self, path: &str) -> Answer {
        self.own("GET", path, &Value::Null)
    }

    pub fn ticket(&self, path: &str) -> String {
        let ticket = self.own("POST", "/api/tickets", &json!({"path": path}));
        ticket.json()["ticket"].as_str().unwrap().into()
    }

    /// Runs a job to its end, and returns all that it said.
    pub fn job(&self, path: &str, body: &Value) -> Vec<Value> {
        let begun = self.own("POST", path, body);
        assert_eq!(begun.status, 202, "{begun:?}");
        let events = self.get(&format!("/api/jobs/{}/events", begun.json()["id"]));
        let lines = events.body.lines().filter_map(|line| line.strip_prefix("data: "));
        let said: Vec<Value> = lines.map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(said.last().unwrap()["ended"]["code"], 0, "{said:?}");
        said
    }

    /// Opens a WebSocket, or returns the status that refuses it.
    pub fn websocket(&self, path: &str, headers: &[&str]) -> Result<TcpStream, u16> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        let mut head = format!("GET {path} HTTP/1.1\r\n{}\r\n", self.host());
        headers.iter().for_each(|header| head += &format!("{header}\r\n"));
        head += "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
                 Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
        stream.write_all(head.as_bytes()).unwrap();
        let mut answer = Vec::new();
        while !answer.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            stream.read_exact(&mut byte).unwrap();
            answer.push(byte[0]);
        }
        let answer = String::from_utf8(answer).unwrap();
        match answer.split(' ').nth(1).unwrap() {
            "101" => Ok(stream),
            status => Err(status.parse().unwrap()),
        }
    }
}

/// Starts a server, and returns it with its port and its token.
fn start(lab: &Lab, state: &Path, arguments: &[&str]) -> (Child, u16, String) {
    let mut command = lab.command(&["ui", "--no-open"]);
    command.args(arguments).env("NETLOOM_STATE_DIR", state).stdout(Stdio::piped());
    let mut server = command.spawn().unwrap();
    let mut line = String::new();
    BufReader::new(server.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let address = line.trim().strip_prefix("http://127.0.0.1:").unwrap();
    let (port, token) = address.split_once("/#").unwrap();
    (server, port.parse().unwrap(), token.to_owned())
}

impl Drop for Page {
    fn drop(&mut self) {
        let pid = Pid::from_raw(i32::try_from(self.server.id()).unwrap());
        // It may have ended.
        let _ = kill(pid, Signal::SIGTERM);
        let _ = self.server.wait();
        let mut cleanup = self.lab.command(&["cleanup", "--force", &self.lab.name]);
        let _ = cleanup.env("NETLOOM_STATE_DIR", &self.state).output();
    }
}

/// Sends a short text over a WebSocket.
pub fn say(stream: &mut TcpStream, text: &str) {
    let length = u16::try_from(text.len()).unwrap();
    let mut frame = vec![0x81, 0x80 | 126];
    frame.extend(length.to_be_bytes());
    // A mask of zeros changes nothing.
    frame.extend([0; 4]);
    frame.extend(text.as_bytes());
    stream.write_all(&frame).unwrap();
}

/// Reads a message: its kind (1 text, 2 binary, 8 the end), and its bytes.
pub fn hear(stream: &mut TcpStream) -> (u8, Vec<u8>) {
    let mut take = |count: usize| {
        let mut bytes = vec![0; count];
        stream.read_exact(&mut bytes).unwrap();
        bytes
    };
    let head = take(2);
    let length = match head[1] {
        126 => u16::from_be_bytes(take(2).try_into().unwrap()).into(),
        127 => u64::from_be_bytes(take(8).try_into().unwrap()),
        short => short.into(),
    };
    (head[0] & 0xf, take(usize::try_from(length).unwrap()))
}
