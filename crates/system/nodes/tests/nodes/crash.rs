//! An engine that dies without warning, at several points, and the cleanup afterwards.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use netloom_nodes::{Network, cleanup_layout};

use crate::world::{self, Tests, World, context, eventually, processes_of, remains, scenario};

pub const TESTS: Tests = &[
    ("killed_before_the_first_node", || killed_at("node 0")),
    ("killed_among_the_nodes", || killed_at("node 7")),
    ("killed_when_the_nodes_are_made", || killed_at("made")),
    ("killed_when_processes_run", || killed_at("running")),
    ("killed_while_processes_start", || killed_at("starting")),
    ("killed_while_destroying", || killed_at("destroying")),
    ("processes_end_with_the_engine_before_any_cleanup", processes_end_with_the_engine),
];

const NODES: usize = 20;

/// The program that is killed: it creates a network, reports its progress, and would then destroy
/// it.
pub fn creator() -> ! {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, _, root, name] = &arguments[..] else { panic!("__create ROOT NAME") };
    let say = |text: String| {
        println!("{text}");
        std::io::stdout().flush().unwrap();
    };
    let layout = world::layout(Path::new(root), name);
    let nodes: Vec<String> = (0..NODES).map(|number| format!("h{number}")).collect();
    let links: Vec<_> = nodes.chunks(2).map(|p| (p[0].as_str(), p[1].as_str())).collect();
    let plan = netloom_plan::plan(&scenario(name, &links)).unwrap();
    say("node 0".into());
    let progress = |done, _| say(format!("node {done}"));
    let (network, devices) =
        Network::create(&layout, &plan, context(Path::new(root)), &progress).unwrap();
    say("made".into());
    for (count, node) in nodes.iter().enumerate() {
        let request = netloom_nodes::SpawnRequest {
            argv: ["sh", "-c", "sleep 1000 & setsid sleep 1000"].map(String::from).to_vec(),
            env: vec![],
            cwd: None,
            stdio: netloom_nodes::Stdio::Pipes,
        };
        network.spawn(node, request, Box::new(|_| {})).unwrap();
        if count == 5 {
            say("starting".into());
        }
    }
    say("running".into());
    // Wait for the request to go on, or to be killed.
    let _ = std::io::stdin().read_line(&mut String::new());
    drop(devices);
    say("destroying".into());
    network.destroy().unwrap();
    say("destroyed".into());
    std::process::exit(0)
}

struct Creator {
    world: World,
    process: Child,
}

impl Creator {
    /// Runs the creator up to the point at which it reports `text`.
    fn run_to(text: &str) -> Self {
        let (world, _) = World::planned(&[]);
        let process = Command::new(std::env::current_exe().unwrap())
            .arg("__create")
            .args([world.layout.state_dir().parent().unwrap().as_os_str()])
            .arg(world.layout.experiment())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut creator = Self { world, process };
        if text == "destroying" {
            creator.process.stdin = None;
        }
        let output = BufReader::new(creator.process.stdout.take().unwrap());
        let mut lines = output.lines().map(Result::unwrap);
        assert!(lines.any(|line| line == text), "it says `{text}`");
        creator
    }

    fn kill(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
}

impl Drop for Creator {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn killed_at(text: &str) {
    let mut creator = Creator::run_to(text);
    creator.kill();
    let layout = &creator.world.layout;
    cleanup_layout(layout).unwrap();
    // A launcher that was between two namespaces ends by itself a moment later.
    eventually("nothing to be left", || {
        let left = remains(layout);
        if left.iter().all(|what| what.starts_with("process")) {
            left.is_empty()
        } else {
            panic!("{left:#?}")
        }
    });
    assert!(cleanup_layout(layout).unwrap().is_empty(), "cleanup is complete the first time");
}

fn processes_end_with_the_engine() {
    let mut creator = Creator::run_to("running");
    let experiment = creator.world.layout.experiment().to_owned();
    assert!(processes_of(&experiment).len() >= 2 * NODES);
    creator.kill();
    eventually("all processes to end", || world::processes_of(&experiment).is_empty());
}
