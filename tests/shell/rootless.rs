//! Shells of ordinary users. Most of them are started by root, as such a user, on the made-up
//! machine: its devices take root.

use std::process::{Command, Output, Stdio};

use crate::common::{NETLOOM, remains, text};
use crate::{Place, WORLD, least, said};

/// The script that runs its arguments as an ordinary user.
const AS_USER: [&str; 2] =
    ["sh", concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/as-ordinary-user.sh")];

/// A place whose machine lets ordinary users send echo requests, as most do.
fn place(of: &str) -> Option<Place> {
    let place = Place::new(of)?;
    place.machine.sh("sysctl -q net.ipv4.ping_group_range='0 2147483647'");
    Some(place)
}

fn shell(place: &Place, arguments: &[&str]) -> Output {
    place.command_as(&AS_USER, arguments).output().unwrap()
}

#[test]
fn an_ordinary_user_reaches_the_world_by_pasta() {
    let Some(mut place) = place("an_ordinary_user_reaches_the_world_by_pasta") else { return };
    place.machine.serve();
    let client = |server: &str| {
        format!("import socket; print(socket.create_connection(('{server}', 7), 60).recv(99))")
    };
    let line = "id -u; grep CapEff /proc/self/status; /usr/bin/python3 -c \"$0\" && \
                /usr/bin/python3 -c \"$1\"; exit 7";
    let (v4, v6) = (client(WORLD), client("fd98::2"));
    // Who reads it is another user. mktemp puts its own letters for the Xs.
    let results = place.machine.sh("mktemp -d -u /tmp/netloom-results.XXXXXX");
    let kept = ["-o", results.trim(), "--delay", "20ms", "--", "sh", "-c", line, &v4, &v6];
    let output = shell(&place, &kept);
    assert_eq!(output.status.code(), Some(7), "{}", said(&output));
    let printed = text(&output.stdout);
    let lines: Vec<&str> = printed.lines().collect();
    assert!(lines[0].parse::<u32>().unwrap() > 0, "{printed}");
    assert_eq!(lines[1], "CapEff:\t0000000000000000");
    // To the world, the command is the machine.
    assert_eq!(lines[2..], ["b'198.51.100.1'", "b'fd98::1'"], "{}", said(&output));
    let summary = std::fs::read_to_string(format!("{}/summary.json", results.trim())).unwrap();
    std::fs::remove_dir_all(results.trim()).unwrap();
    assert!(summary.contains("what `pasta` adds"), "{summary}");
    place.is_as_before();
}

#[test]
fn delays_of_an_ordinary_users_shells_add_up() {
    let Some(place) = place("delays_of_an_ordinary_users_shells_add_up") else { return };
    let ping = ["ping", "-n", "-c", "5", "-i", "0.2", "-W", "60", WORLD];
    let inner = [&["--", NETLOOM, "shell", "--delay", "15ms", "--"], &ping[..]].concat();
    let output = shell(&place, &[&["--delay", "10ms"], &inner[..]].concat());
    assert!(output.status.success(), "{}", said(&output));
    let time = least(&text(&output.stdout));
    assert!((50.0..5000.0).contains(&time), "two ways of 10 ms and 15 ms: {time}");
    place.is_as_before();
}

#[test]
fn an_ordinary_users_published_port_is_the_machines() {
    let Some(place) = place("an_ordinary_users_published_port_is_the_machines") else { return };
    let server = "import socket\n\
                  s = socket.create_server(('127.0.0.1', 8088))\n\
                  print('ready', flush=True)\n\
                  s.accept()[0].sendall(b'hello')";
    let words = ["--publish", "8080:8088", "--", "/usr/bin/python3", "-c", server];
    let mut shell = place.started_as(&AS_USER, &words);
    let client = "import socket; print(socket.create_connection(('127.0.0.1', 8080), 60).recv(9))";
    let client = ["python3", "-c", client];
    let output = crate::machine::inside(&place.machine.machine, &client).output().unwrap();
    assert_eq!(text(&output.stdout), "b'hello'\n", "{}", said(&output));
    assert!(shell.wait().unwrap().success());
    place.is_as_before();
}

#[test]
fn nothing_is_left_of_an_ordinary_users_shell_that_was_killed() {
    let Some(place) = place("nothing_is_left_of_an_ordinary_users_shell_that_was_killed") else {
        return;
    };
    let rest = "setsid sleep 98762 & trap '' HUP; sleep 98762";
    // The client is the command's parent.
    let output = shell(&place, &["--", "sh", "-c", &format!("kill -9 $PPID; {rest}")]);
    assert_eq!(output.status.code(), Some(137), "{}", said(&output));
    place.is_as_before();
    let engine =
        format!("kill -9 $(cat $XDG_RUNTIME_DIR/netloom/{}/engine.pid); {rest}", place.name);
    let output = shell(&place, &["--", "sh", "-c", &engine]);
    assert_eq!(output.status.code(), Some(125), "{}", said(&output));
    place.is_as_before();
}

#[test]
fn an_offline_shell_reaches_the_other_side_of_its_link() {
    let name = format!("s-offline-{}", std::process::id());
    let line = "ping -n -c 3 -i 0.2 -W 60 $NETLOOM_GATEWAY; ip route | grep default; exit 7";
    let words = ["shell", "--name", &name, "--offline", "--delay", "10ms", "--", "sh", "-c", line];
    let offline = |mut command: Command| {
        command.env_remove("SUDO_UID").env("NETLOOM_PROFILE", "/nonexistent");
        let output = command.stdin(Stdio::null()).output().unwrap();
        assert_eq!(output.status.code(), Some(7), "{}", said(&output));
        let printed = text(&output.stdout);
        assert!((20.0..5000.0).contains(&least(&printed)), "{printed}");
        assert!(!printed.contains("default"), "{printed}");
        assert_eq!(remains(&name), [""; 0]);
    };
    if let Some(place) = Place::new("an_offline_shell_reaches_the_other_side_of_its_link: of root")
    {
        let as_root = [&[NETLOOM], &words[..]].concat();
        offline(crate::machine::inside(&place.machine.machine, &as_root));
        offline(crate::machine::inside(&place.machine.machine, &[&AS_USER, &as_root[..]].concat()));
        place.is_as_before();
    } else {
        let mut command = Command::new(NETLOOM);
        command.args(words);
        offline(command);
    }
}

#[test]
fn without_pasta_a_shell_says_what_to_install() {
    let line = format!("PATH=/nonexistent exec {NETLOOM} shell -- /bin/true");
    let words = [&AS_USER[..], &["sh", "-c", &line]].concat();
    let output = Command::new(words[0]).args(&words[1..]).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    assert!(said(&output).contains("package `passt`"), "{}", said(&output));
}
