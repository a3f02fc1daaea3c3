//! Processes in nodes: streams, terminals, exit statuses, signals.

use std::fs::File;
use std::io::{Read, Write};
use std::sync::mpsc::channel;
use std::thread;

use netloom_nodes::{ExitStatus, NodeError, SpawnRequest, Stdio};

use crate::world::{Tests, World, eventually, read};

pub const TESTS: Tests = &[
    ("streams_are_connected", streams_are_connected),
    ("exit_codes_and_signals_are_reported", exit_codes_and_signals_are_reported),
    ("what_cannot_be_started_has_the_code_of_a_shell", what_cannot_be_started),
    ("a_terminal_is_a_terminal", a_terminal_is_a_terminal),
    ("files_can_be_streams", files_can_be_streams),
    ("orphans_stay_in_the_node_and_are_reaped", orphans_stay_and_are_reaped),
    ("signals_reach_the_whole_group", signals_reach_the_whole_group),
    ("kill_reaches_the_whole_session", kill_reaches_the_whole_session),
    ("processes_start_clean", processes_start_clean),
    ("many_threads_start_processes_in_many_nodes", many_threads),
    ("an_init_that_was_killed_is_replaced", an_init_that_was_killed_is_replaced),
    ("destroy_ends_what_still_runs", destroy_ends_what_still_runs),
    ("two_nodes_bind_the_same_port", two_nodes_bind_the_same_port),
];

const PAIR: &[(&str, &str)] = &[("h1", "h2")];

fn streams_are_connected() {
    let world = World::new(PAIR);
    let mut running = world.start("h1", "cat; echo oops >&2");
    let mut stdin = File::from(running.spawned.stdin.take().unwrap());
    stdin.write_all(b"through the node").unwrap();
    drop(stdin);
    let stderr = running.spawned.stderr.take().unwrap();
    assert_eq!(running.finish(), ("through the node".into(), ExitStatus::Code(0)));
    assert_eq!(read(stderr), "oops\n");
}

fn exit_codes_and_signals_are_reported() {
    let world = World::new(PAIR);
    assert_eq!(world.start("h1", "exit 7").status(), ExitStatus::Code(7));
    let killed = world.start("h1", "kill -TERM $$; sleep 1000").status();
    assert_eq!(killed, ExitStatus::Signal(libc::SIGTERM));
    assert_eq!(killed.code(), 143);
}

fn what_cannot_be_started() {
    let world = World::new(PAIR);
    for (program, code) in [("no-such-program", 127), ("/etc/passwd", 126)] {
        let error = world.spawn("h1", vec![program.into()], Stdio::Pipes).err().unwrap();
        assert_eq!(error.exit_code(), Some(code), "{error}");
        assert!(error.to_string().starts_with(&format!("node `h1`: cannot start `{program}`: ")));
    }
    let long = vec!["true".into(), "x".repeat(300_000)];
    let error = world.spawn("h1", long, Stdio::Pipes).err().unwrap();
    assert!(matches!(error, NodeError::Exec { .. }), "{error}");
    let error = world.spawn("h9", vec!["true".into()], Stdio::Pipes).err().unwrap();
    assert!(matches!(error, NodeError::UnknownNode { .. }), "{error}");
    assert_eq!(world.run("h1", "echo still fine"), "still fine");
}

fn a_terminal_is_a_terminal() {
    let world = World::new(PAIR);
    let argv = ["/bin/sh", "-c", "tty; stty size; read line; echo got $line; exec sleep 1000"];
    let stdio = Stdio::Pty { rows: 33, columns: 101 };
    let mut running = world.spawn("h1", argv.map(String::from).to_vec(), stdio).unwrap();
    let mut terminal = File::from(running.spawned.pty.take().unwrap());
    let mut output = String::new();
    let mut wait_for = |terminal: &mut File, text: &str| {
        let mut bytes = [0; 256];
        while !output.contains(text) {
            let length = terminal.read(&mut bytes).unwrap();
            output.push_str(&String::from_utf8_lossy(&bytes[..length]));
        }
    };
    wait_for(&mut terminal, "/dev/pts/0");
    wait_for(&mut terminal, "33 101");
    terminal.write_all(b"hello\n").unwrap();
    wait_for(&mut terminal, "got hello");
    // It is the controlling terminal, so typed characters can interrupt the process. (More than
    // once, because a shell that is about to execute a program may miss the first one.)
    eventually("the process to be interrupted", || {
        let _ = terminal.write_all(b"\x03");
        running.ended.try_recv() == Ok(ExitStatus::Signal(libc::SIGINT))
    });
}

fn files_can_be_streams() {
    let world = World::new(PAIR);
    let path = world.work_dir.path().join("output");
    let open = || -> std::os::fd::OwnedFd { File::create(&path).unwrap().into() };
    let null = File::open("/dev/null").unwrap().into();
    let stdio = Stdio::Files { stdin: null, stdout: open(), stderr: open() };
    let running = world.spawn("h1", vec!["echo".into(), "kept".into()], stdio).unwrap();
    assert!(running.status().success());
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "kept\n");
}

fn orphans_stay_and_are_reaped() {
    let world = World::new(PAIR);
    let line = "setsid sleep 1000 >/dev/null 2>&1 & echo $!";
    let orphan = world.run("h1", line);
    let parent = format!("cut -d' ' -f4 /proc/{orphan}/stat");
    eventually("init to adopt the orphan", || world.run("h1", &parent) == "1");
    let same = format!("[ $(readlink /proc/{orphan}/ns/net) = $(readlink /proc/self/ns/net) ]");
    world.run("h1", &same);
    world.run("h1", &format!("kill -9 {orphan}"));
    let exists = format!("[ -e /proc/{orphan} ] && echo there || echo gone");
    eventually("init to reap the orphan", || world.run("h1", &exists) == "gone");
}

fn signals_reach_the_whole_group() {
    let world = World::new(PAIR);
    let mut running = world.start("h1", "sleep 1000 & echo $!; wait");
    let child = running.line();
    world.network().signal("h1", running.spawned.pid, libc::SIGTERM).unwrap();
    assert_eq!(running.status(), ExitStatus::Signal(libc::SIGTERM));
    let exists = format!("[ -e /proc/{child} ] && echo there || echo gone");
    eventually("the child to end", || world.run("h1", &exists) == "gone");
    let error = world.network().signal("h1", running.spawned.pid, libc::SIGTERM).unwrap_err();
    let NodeError::System { source, .. } = error else { panic!("{error}") };
    assert_eq!(source.raw_os_error(), Some(libc::ESRCH));
}

fn kill_reaches_the_whole_session() {
    let world = World::new(PAIR);
    // `set -m` gives each job a process group of its own.
    let mut running = world.start("h1", "set -m; sleep 1000 & echo $!; wait");
    let job = running.line();
    world.network().signal("h1", running.spawned.pid, libc::SIGKILL).unwrap();
    assert_eq!(running.status(), ExitStatus::Signal(libc::SIGKILL));
    let exists = format!("[ -e /proc/{job} ] && echo there || echo gone");
    eventually("the job to end", || world.run("h1", &exists) == "gone");
    let own = world.network().signal("h1", 1, libc::SIGKILL);
    assert!(own.is_err(), "init is not for sale");
}

fn processes_start_clean() {
    let world = World::new(PAIR);
    // Standard streams, and the directory that `ls` itself reads.
    assert_eq!(world.run("h1", "ls /proc/self/fd"), "0\n1\n2\n3");
    let status = world.run("h1", "grep -E '^Sig(Blk|Ign)' /proc/self/status");
    assert_eq!(status, "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000");
    let leads = "set -- $(cat /proc/$$/stat); [ $1 = $5 ] && [ $5 = $6 ]";
    world.run("h1", leads);
}

fn many_threads() {
    let world = World::new(&[("h1", "h2"), ("h3", "h4")]);
    thread::scope(|scope| {
        for node in ["h1", "h2", "h3", "h4", "h1", "h2", "h3", "h4"] {
            let world = &world;
            scope.spawn(move || {
                for number in 0..10 {
                    assert_eq!(world.run(node, &format!("echo {number}")), number.to_string());
                }
            });
        }
    });
}

fn an_init_that_was_killed_is_replaced() {
    let world = World::new(PAIR);
    let running = world.start("h1", "sleep 1000");
    let init = crate::world::processes_of(world.layout.experiment()).into_iter().min().unwrap();
    nix::sys::signal::kill(nix::unistd::Pid::from_raw(init as i32), nix::sys::signal::SIGKILL)
        .unwrap();
    assert_eq!(running.status(), ExitStatus::Signal(libc::SIGKILL));
    assert_eq!(world.run("h1", "echo again"), "again");
}

fn destroy_ends_what_still_runs() {
    let mut world = World::new(PAIR);
    let stubborn = world.start("h1", "trap '' TERM INT HUP; while :; do sleep 1000; done");
    let (sender, ended) = channel();
    let request = SpawnRequest {
        argv: vec!["sleep".into(), "1000".into()],
        env: vec![],
        cwd: Some("/".into()),
        stdio: Stdio::Pipes,
    };
    let on_exit = Box::new(move |status| sender.send(status).unwrap());
    world.network().spawn("h2", request, on_exit).unwrap();
    world.destroy().unwrap();
    assert_eq!(stubborn.status(), ExitStatus::Signal(libc::SIGKILL));
    assert_eq!(ended.recv().unwrap(), ExitStatus::Signal(libc::SIGKILL));
    assert_eq!(world.remains(), Vec::<String>::new());
}

fn two_nodes_bind_the_same_port() {
    let world = World::new(&[("h1", "h2"), ("h2", "h3")]);
    let bind = |node, address| {
        crate::world::inside(&world.layout, node, || {
            std::net::TcpListener::bind((address, 8080)).unwrap()
        })
    };
    let listeners = [bind("h1", "0.0.0.0"), bind("h2", "::1")];
    for node in ["h1", "h2"] {
        let ports = world.network().inside(node).unwrap().listening_tcp_ports().unwrap();
        assert_eq!(ports.into_iter().collect::<Vec<_>>(), [8080], "{node}");
    }
    assert!(world.network().inside("h3").unwrap().listening_tcp_ports().unwrap().is_empty());
    drop(listeners);
}
