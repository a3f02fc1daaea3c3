//! An experiment for one test, which is removed when the test ends, however it ends.

use std::collections::{BTreeMap, HashMap};
use std::io::Read;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};
use std::{fs, thread};

use netloom_link::PipeConfig;
use netloom_nodes::*;
use netloom_plan::Plan;
use netloom_scenario::*;
use netloom_units::Dilation;

/// A list of tests.
pub type Tests = &'static [(&'static str, fn())];

pub struct World {
    pub layout: Layout,
    pub work_dir: tempfile::TempDir,
    pub devices: Vec<Device>,
    pub network: Option<Network>,
}

impl World {
    /// Makes an experiment with these links, like `("h1", "r1")`: hosts `h…`, routers `r…`.
    pub fn new(links: &[(&str, &str)]) -> Self {
        Self::with(links, |_| {})
    }

    /// Makes an experiment with these links, whose plan is changed before.
    pub fn with(links: &[(&str, &str)], change: impl FnOnce(&mut Plan)) -> Self {
        let (mut world, mut plan) = Self::planned(links);
        change(&mut plan);
        world.create(&plan).unwrap();
        world
    }

    /// Plans an experiment without making it.
    pub fn planned(links: &[(&str, &str)]) -> (Self, Plan) {
        let state = tempfile::Builder::new().prefix("netloom-test").tempdir().unwrap();
        let layout = layout(&state.path().join("state"), &unique_name());
        let plan = netloom_plan::plan(&scenario(layout.experiment(), links)).unwrap();
        (Self { layout, work_dir: state, devices: vec![], network: None }, plan)
    }

    pub fn create(&mut self, plan: &Plan) -> Result<(), NodeError> {
        let context = context(self.work_dir.path());
        let (network, devices) = Network::create(&self.layout, plan, context, &|_, _| {})?;
        self.network = Some(network);
        self.devices = devices;
        Ok(())
    }

    pub fn network(&self) -> &Network {
        self.network.as_ref().unwrap()
    }

    pub fn destroy(&mut self) -> Result<(), NodeError> {
        self.devices.clear();
        self.network.take().unwrap().destroy()
    }

    /// Starts a shell command with pipes.
    pub fn start(&self, node: &str, line: &str) -> Running {
        let argv = ["/bin/sh", "-c", line].map(String::from).to_vec();
        self.spawn(node, argv, Stdio::Pipes).unwrap()
    }

    pub fn spawn(&self, node: &str, argv: Vec<String>, stdio: Stdio) -> Result<Running, NodeError> {
        let request = SpawnRequest { argv, env: vec![], cwd: None, stdio };
        let (sender, ended) = channel();
        let on_exit = Box::new(move |status| sender.send(status).unwrap_or(()));
        let spawned = self.network().spawn(node, request, on_exit)?;
        Ok(Running { spawned, ended })
    }

    /// Runs a shell command and returns what it printed, both streams.
    pub fn run(&self, node: &str, line: &str) -> String {
        let running = self.start(node, &format!("{{ {line}\n}} 2>&1"));
        let (output, status) = running.finish();
        assert!(status.success(), "{line}: {status:?}: {output}");
        output.trim_end().into()
    }

    /// Returns all remains of the experiment.
    pub fn remains(&self) -> Vec<String> {
        remains(&self.layout)
    }
}

impl Drop for World {
    fn drop(&mut self) {
        self.devices.clear();
        self.network = None;
        let cleaned = cleanup_layout(&self.layout);
        if !thread::panicking() {
            cleaned.unwrap();
            assert_eq!(self.remains(), Vec::<String>::new());
        }
    }
}

pub struct Running {
    pub spawned: Spawned,
    pub ended: Receiver<ExitStatus>,
}

impl Running {
    pub fn status(&self) -> ExitStatus {
        self.ended.recv_timeout(Duration::from_secs(20)).expect("the process to end")
    }

    /// Closes the input of the process, and reads its output to the end.
    pub fn finish(mut self) -> (String, ExitStatus) {
        drop(self.spawned.stdin.take());
        let output = read(self.spawned.stdout.take().unwrap());
        (output, self.status())
    }

    /// Returns the next line of its output.
    pub fn line(&mut self) -> String {
        let mut file = fs::File::from(self.spawned.stdout.take().unwrap());
        let mut line = vec![];
        let mut byte = [0];
        while file.read(&mut byte).unwrap() == 1 && byte != *b"\n" {
            line.push(byte[0]);
        }
        self.spawned.stdout = Some(file.into());
        String::from_utf8(line).unwrap()
    }
}

pub fn read(fd: OwnedFd) -> String {
    let mut text = String::new();
    fs::File::from(fd).read_to_string(&mut text).unwrap();
    text
}

pub fn context(work_dir: &Path) -> Context {
    Context {
        work_dir: work_dir.into(),
        init: std::env::current_exe().unwrap(),
        files: vec![],
        views: HashMap::new(),
        env: vec![("FROM_CONTEXT".into(), "yes".into())],
    }
}

/// Returns the layout that the engine would choose: that of an ordinary user if root is one here.
pub fn layout(root: &Path, experiment: &str) -> Layout {
    let layout = if is_rootless() { Layout::rootless } else { Layout::below };
    layout(root, experiment)
}

/// Whether root is an ordinary user outside.
pub fn is_rootless() -> bool {
    let map = fs::read_to_string("/proc/self/uid_map").unwrap();
    map.split_whitespace().collect::<Vec<_>>() != ["0", "0", "4294967295"]
}

/// Reports a test that needs root to the runner of the tests, which lists it.
pub fn left_out(what: &str, why: &str) {
    println!("skipped: {what}: {why}");
}

/// Returns a name that no other test has, in this process or another.
pub fn unique_name() -> String {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    format!("test{}-{count}", std::process::id())
}

/// Returns namespaces, mounts, cgroups, files and processes with the experiment's name.
pub fn remains(layout: &Layout) -> Vec<String> {
    let name = layout.experiment();
    let mut found = vec![];
    let prefix = format!("{name}.");
    let namespaces = layout.namespace("any");
    for entry in fs::read_dir(namespaces.parent().unwrap()).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(&prefix) {
            found.push(entry.path().display().to_string());
        }
    }
    let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap();
    found.extend(mounts.lines().filter(|line| line.contains(&prefix)).map(String::from));
    found.extend(layout.cgroup().filter(|path| path.exists()).map(|path| format!("{path:?}")));
    if layout.state_dir().exists() {
        found.push(layout.state_dir().display().to_string());
    }
    found.extend(processes_of(name).iter().map(|pid| format!("process {pid}")));
    found
}

/// Returns the processes whose environment names the experiment.
pub fn processes_of(experiment: &str) -> Vec<u32> {
    let wanted = format!("NETLOOM_EXPERIMENT={experiment}");
    let entries = fs::read_dir("/proc").unwrap().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.filter(|pid: &u32| {
        let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|entry| entry == wanted.as_bytes())
    })
    .collect()
}

/// Waits until a condition holds. Fails the test if it does not in time.
pub fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(20);
    while !holds() {
        assert!(Instant::now() < deadline, "{what}: not within 20 s");
        thread::sleep(Duration::from_millis(2));
    }
}

pub fn scenario(name: &str, links: &[(&str, &str)]) -> Scenario {
    let mut scenario = Scenario {
        name: name.into(),
        seed: 1,
        dilation: Dilation::NONE,
        nodes: vec![],
        total_limits: Limits::default(),
        neighbours: Neighbours::default(),
        group_limits: BTreeMap::new(),
        origin: None,
        links: vec![],
        constellations: Vec::new(),
        timeline: vec![],
        traffic: Vec::new(),
        processes: vec![],
        expect: vec![],
        placement: PlacementOptions::default(),
        drawing: DrawingOptions::default(),
        simulation: SimulationOptions::default(),
        symbiosis: None,
        measure: Measure {
            flows: None,
            interval: netloom_units::Duration::from_millis(100),
            capture: vec![],
            frames: vec![],
            air: Vec::new(),
            observations: false,
        },
        monitor: Monitor::default(),
        workers: Workers::default(),
        duration: None,
        templates: BTreeMap::new(),
        places: netloom_scenario::Places::default(),
    };
    for (a, b) in links {
        let endpoints = [endpoint(&mut scenario, a), endpoint(&mut scenario, b)];
        scenario.links.push(Link {
            name: format!("{a}--{b}"),
            endpoints,
            forward: PipeConfig::default(),
            reverse: PipeConfig::default(),
            costs: [1; 2],
            direct: false,
            cut: Cut::Auto,
            loads: [LinkLoad::default(); 2],
        });
    }
    scenario
}

fn endpoint(scenario: &mut Scenario, name: &str) -> Endpoint {
    if scenario.node(name).is_none() {
        scenario.nodes.push(new_node(name));
    }
    let node = scenario.nodes.iter_mut().find(|node| node.name == name).unwrap();
    let interface = format!("eth{}", node.interfaces.len() + 1);
    node.interfaces.push(Interface::new(interface.clone(), 1500));
    Endpoint { node: name.into(), interface }
}

fn new_node(name: &str) -> Node {
    let router = name.starts_with('r');
    let loopback = if router {
        Loopback { ipv4: LoopbackAddress::Auto, ipv6: LoopbackAddress::Auto }
    } else {
        Loopback { ipv4: LoopbackAddress::None, ipv6: LoopbackAddress::None }
    };
    Node {
        name: name.into(),
        kind: if router { NodeKind::Router } else { NodeKind::Host },
        simulated: false,
        kernel: Kernel::Shared,
        groups: vec![],
        interfaces: vec![],
        routing: Routing::Delay,
        routes: vec![],
        loopback,
        sysctls: BTreeMap::new(),
        software: Software::default(),
        limits: Limits::default(),
        machine: None,
        together: None,
        apart: None,
        load: NodeLoad::default(),
        publish: vec![],
        spanning_tree: None,
        medium: None,
        position: None,
        mobility: None,
    }
}

/// Runs `work` on a thread inside a node's network namespace.
pub fn inside<T: Send>(layout: &Layout, node: &str, work: impl FnOnce() -> T + Send) -> T {
    let namespace = fs::File::open(layout.namespace(node)).unwrap();
    thread::scope(|scope| {
        let run = || {
            nix::sched::setns(&namespace, nix::sched::CloneFlags::CLONE_NEWNET).unwrap();
            work()
        };
        scope.spawn(run).join().unwrap()
    })
}

/// Returns the path of a program on the machine, if it is installed.
pub fn find_program(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let extra = ["/usr/sbin", "/sbin"].map(PathBuf::from);
    std::env::split_paths(&path).chain(extra).map(|dir| dir.join(name)).find(|file| file.exists())
}
