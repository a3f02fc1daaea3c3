//! The environment of the command, and the parts of it that belong to its caller.

use std::fs;

use nix::sys::signal::Signal;
use serde_json::Value;

use crate::common::{NETLOOM, eventually, kill, text};
use crate::machine::inside;
use crate::{Place, WORLD, least, said};

#[test]
fn only_the_network_of_a_command_is_its_own() {
    let Some(mut place) = Place::new("only_the_network_of_a_command_is_its_own") else { return };
    place.machine.serve();
    let folder = &place.folder;
    fs::write(folder.join("file"), "of the caller\n").unwrap();
    let namespaces = "for n in pid user ipc uts cgroup; do readlink /proc/self/ns/$n; done";
    let line = format!("cat file; {namespaces}; echo $VARIABLE $NETLOOM_GATEWAY; cat");
    let shell = |line: &str| {
        let mut command = place.command(&["--", "sh", "-c", line]);
        command.current_dir(folder).env("VARIABLE", "value");
        command.stdin(fs::File::open(folder.join("file")).unwrap());
        command.output().unwrap()
    };
    let output = shell(&line);
    let printed = text(&output.stdout);
    let lines: Vec<&str> = printed.lines().collect();
    let expected = place.machine.sh(namespaces);
    assert_eq!(lines[0], "of the caller", "{}", said(&output));
    assert_eq!(lines[1..6], expected.lines().collect::<Vec<_>>());
    assert!(lines[6].starts_with("value 100."), "{printed}");
    assert_eq!(lines[7], "of the caller");
    assert_eq!(shell("exit 7").status.code(), Some(7));
    assert_eq!(shell("kill -KILL $$").status.code(), Some(137));
    let gateway = "grep -q \"^$NETLOOM_GATEWAY netloom-gateway$\" /etc/hosts && \
                   grep -c nameserver /etc/resolv.conf && ls /sys /tmp >/dev/null";
    assert_eq!(text(&shell(gateway).stdout), "1\n");
    // The machine's own files are as ever.
    assert!(!fs::read_to_string("/etc/hosts").unwrap().contains("netloom-gateway"));
    // To the world, the command is the machine.
    for (server, seen) in [("198.51.100.2", "198.51.100.1"), ("fd98::2", "fd98::1")] {
        let client = format!(
            "import socket; print(socket.create_connection(('{server}', 7), 60).recv(99).decode())"
        );
        assert_eq!(place.ok(&["--", "python3", "-c", &client]).trim(), seen);
    }
    place.is_as_before();
}

#[test]
fn commands_that_cannot_run_have_the_codes_of_a_shell() {
    let Some(place) = Place::new("commands_that_cannot_run_have_the_codes_of_a_shell") else {
        return;
    };
    let output = place.shell(&["--", "no-such-command-anywhere"]);
    assert_eq!(output.status.code(), Some(127), "{}", said(&output));
    assert!(said(&output).contains("cannot run `no-such-command-anywhere`"));
    assert_eq!(place.shell(&["--", "/etc/hosts"]).status.code(), Some(126));
    for (arguments, words) in [
        (&["--delay", "5"][..], "`5` has no unit"),
        (&["--set", "dely=5ms", "--", "true"], "did you mean `delay`?"),
        (&["--in", "rate.trace=nowhere.trace", "--", "true"], "there is no file"),
        (&["--delay", "1ms", "--set", "delay=2ms", "--", "true"], "is given twice"),
        (&["--publish", "80", "--", "true"], "80"),
        (&["--timeline", "/nonexistent.yaml", "--", "true"], "/nonexistent.yaml"),
    ] {
        let output = place.shell(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", said(&output));
        assert!(said(&output).contains(words), "{arguments:?}: {}", said(&output));
    }
    place.is_as_before();
}

#[test]
fn delays_of_nested_shells_add_up() {
    let Some(place) = Place::new("delays_of_nested_shells_add_up") else { return };
    let ping = ["ping", "-n", "-c", "5", "-i", "0.2", "-W", "60", WORLD];
    let inner = [&["--", NETLOOM, "shell", "--delay", "15ms", "--"], &ping[..]].concat();
    let time = least(&place.ok(&[&["--delay", "10ms"], &inner[..]].concat()));
    assert!((50.0..5000.0).contains(&time), "two ways of 10 ms and 15 ms: {time}");
    // Each direction has its own properties.
    let one = [&["--delay", "10ms", "--out", "delay=30ms", "--"], &ping[..]].concat();
    assert!((40.0..5000.0).contains(&least(&place.ok(&one))));
    place.is_as_before();
}

#[test]
fn sudo_leaves_the_command_to_who_called_it() {
    let Some(place) = Place::new("sudo_leaves_the_command_to_who_called_it") else { return };
    let line = "id -u; id -g; id -G; echo $USER; grep CapEff /proc/self/status; ping -n -c 1 $0";
    let mut command = place.command(&["--", "sh", "-c", line, WORLD]);
    command.env("SUDO_UID", "65534").env("SUDO_GID", "65534").current_dir("/");
    let output = command.output().unwrap();
    let printed = text(&output.stdout);
    let expected = "65534\n65534\n65534\nnobody\nCapEff:\t0000000000000000\n";
    assert!(printed.starts_with(expected), "{}", said(&output));
    assert!(output.status.success(), "{}", said(&output));
    place.is_as_before();
}

#[test]
fn a_shell_is_an_experiment_that_can_be_changed_and_captured() {
    let name = "a_shell_is_an_experiment_that_can_be_changed_and_captured";
    let Some(place) = Place::new(name) else { return };
    let mut shell =
        place.started(&["--delay", "1ms", "--", "sh", "-c", "echo ready; exec sleep 9999"]);
    let netloom = |arguments: &[&str]| {
        let output = std::process::Command::new(NETLOOM).args(arguments).output().unwrap();
        crate::machine::ok(output, &arguments.join(" "))
    };
    let inspected: Value =
        serde_json::from_str(&netloom(&["inspect", &place.name, "--format", "json"])).unwrap();
    assert_eq!(inspected["nodes"][0]["name"], "shell");
    let changed = netloom(&["set", &place.name, "delay=50ms"]);
    assert!(changed.contains("1ms -> 50ms") || changed.contains("50ms"), "{changed}");
    let gateway = inspected["nodes"][0]["interfaces"][0]["addresses"][0].as_str().unwrap();
    let inner = gateway.split('/').next().unwrap();
    let ping = place.machine.sh(&format!("ping -n -c 2 -i 0.2 -W 60 {inner}"));
    assert!(least(&ping) >= 100.0, "{ping}");
    kill(i32::try_from(shell.id()).unwrap(), Signal::SIGTERM);
    assert_eq!(shell.wait().unwrap().code(), Some(128 + Signal::SIGTERM as i32));
    place.is_as_before();
}

#[test]
fn results_have_a_verdict_and_a_timeline_changes_the_link() {
    let name = "results_have_a_verdict_and_a_timeline_changes_the_link";
    let Some(place) = Place::new(name) else { return };
    let folder = &place.folder;
    let timeline = folder.join("events.yaml");
    fs::write(&timeline, "timeline:\n  - {at: 1ms, link: shell, set: {delay: 60ms}}").unwrap();
    let results = folder.join("results");
    let line = "until ping -n -c 1 -W 60 $0 | grep -E 'time=1[2-9][0-9]|time=[2-9][0-9][0-9]'; \
                do sleep 0.1; done; exit 3";
    let output = place.shell(&[
        "--timeline",
        timeline.to_str().unwrap(),
        "-o",
        results.to_str().unwrap(),
        "--",
        "sh",
        "-c",
        line,
        WORLD,
    ]);
    assert_eq!(output.status.code(), Some(3), "{}", said(&output));
    let summary = fs::read_to_string(results.join("summary.json")).unwrap();
    let summary: Value = serde_json::from_str(&summary).unwrap();
    assert!(summary["verdict"]["judgement"].is_string(), "{summary}");
    assert_eq!(summary["success"], true, "{summary}");
    assert!(results.join("pipes.parquet").exists());
    // What the client says is beside the output of the command.
    assert!(!text(&output.stdout).contains("verdict"), "{}", text(&output.stdout));
    assert!(text(&output.stderr).contains("results"), "{}", text(&output.stderr));
    place.is_as_before();
}

#[test]
fn a_published_port_leads_to_a_server_in_the_shell() {
    let Some(place) = Place::new("a_published_port_leads_to_a_server_in_the_shell") else { return };
    let server = "import socket, sys\n\
                  s = socket.create_server(('127.0.0.1', 80))\n\
                  print('ready', flush=True)\n\
                  s.accept()[0].sendall(b'hello')";
    let mut shell = place.started(&["--publish", "8080:80", "--", "python3", "-c", server]);
    let client = "import socket; print(socket.create_connection(('127.0.0.1', 8080), 60).recv(9))";
    let output = inside(&place.machine.machine, &["python3", "-c", client]).output().unwrap();
    assert_eq!(text(&output.stdout), "b'hello'\n", "{}", said(&output));
    assert!(shell.wait().unwrap().success());
    eventually("the machine is as before", || place.machine.devices().len() == 2);
    place.is_as_before();
}
