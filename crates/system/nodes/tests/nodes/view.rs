//! The machine's files in the view of processes in nodes.

use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{Duration, Instant};
use std::{env, fs};

use netloom_nodes::{NodeError, WORK_DIRECTORY};
use netloom_scenario::Disk;

use crate::world::{self, Tests, World};

pub const TESTS: Tests = &[
    ("names_resolve_and_the_host_name_is_the_nodes", names_resolve),
    ("the_environment_says_where_one_is", the_environment_says_where_one_is),
    ("tmp_run_and_shm_are_the_nodes_own", tmp_run_and_shm_are_the_nodes_own),
    ("files_of_the_system_are_the_nodes_own", files_of_the_system_are_the_nodes_own),
    ("the_root_is_the_nodes_own", the_root_is_the_nodes_own),
    ("parameters_of_the_machine_can_only_be_read", parameters_of_the_machine_can_only_be_read),
    ("proc_and_sys_are_the_nodes_own", proc_and_sys_are_the_nodes_own),
    ("the_work_directory_is_the_scenarios", the_work_directory_is_the_scenarios),
    ("files_are_read_as_the_node_sees_them", files_are_read_as_the_node_sees_them),
    ("files_stay_when_a_node_fails", files_stay_when_a_node_fails),
    ("nothing_of_the_view_is_on_the_machine", nothing_of_the_view_is_on_the_machine),
];

const PAIR: &[(&str, &str)] = &[("h1", "h2")];

fn names_resolve() {
    let world = World::new(PAIR);
    assert_eq!(world.run("h1", "hostname 2>/dev/null || cat /proc/sys/kernel/hostname"), "h1");
    assert_eq!(world.run("h2", "cat /proc/sys/kernel/hostname"), "h2");
    let hosts = world.run("h1", "cat /etc/hosts");
    assert!(hosts.contains("10.0.0.2 h2") && hosts.contains("fd00:0:0:1::2 h2"), "{hosts}");
    assert_eq!(world.run("h1", "getent ahostsv4 h2 | head -1 | cut -d' ' -f1"), "10.0.0.2");
    assert!(!world.run("h1", "cat /etc/resolv.conf").contains("nameserver"));
}

fn the_environment_says_where_one_is() {
    let world = World::new(PAIR);
    let shown = world.run("h2", "echo $NETLOOM_EXPERIMENT $NETLOOM_NODE $FROM_CONTEXT");
    assert_eq!(shown, format!("{} h2 yes", world.layout.experiment()));
}

fn tmp_run_and_shm_are_the_nodes_own() {
    let world = World::new(PAIR);
    for directory in ["/tmp", "/run", "/run/lock", "/dev/shm"] {
        let file = format!("{directory}/of-{}", world.layout.experiment());
        world.run("h1", &format!("echo h1 > {file}"));
        assert_eq!(world.run("h1", &format!("cat {file}")), "h1");
        assert_eq!(world.run("h2", &format!("[ -e {file} ] || echo none")), "none");
        assert!(!Path::new(&file).exists(), "{file} on the machine");
    }
    assert_eq!(world.run("h1", "stat -c %a /tmp /run /run/lock"), "1777\n755\n1777");
}

fn files_of_the_system_are_the_nodes_own() {
    let machines = |path: &str| fs::read(path).unwrap_or_default();
    let world = World::new(PAIR);
    assert_eq!(world.run("h1", "cat /etc/hostname"), "h1");
    assert_eq!(world.run("h2", "cat /etc/hostname"), "h2");
    for file in ["/etc/resolv.conf", "/etc/hosts", "/etc/hostname"] {
        let before = machines(file);
        let others = world.run("h2", &format!("cat {file}"));
        world.run("h1", &format!("echo '# mine' >>{file}"));
        assert!(world.run("h1", &format!("cat {file}")).ends_with("# mine"), "{file}");
        // Replace the file like programs that must never leave it incomplete.
        world.run("h1", &format!("echo '# new' >{file}.new; mv {file}.new {file}"));
        assert_eq!(world.run("h1", &format!("cat {file}")), "# new");
        assert_eq!(world.run("h2", &format!("cat {file}")), others, "{file} of the other node");
        assert_eq!(machines(file), before, "{file} of the machine");
    }
    for folder in ["/var/log", "/var/lib", "/var/cache"] {
        let file = format!("{folder}/of-{}", world.layout.experiment());
        world.run("h1", &format!("echo h1 >{file}"));
        assert_eq!(world.run("h1", &format!("cat {file}")), "h1");
        assert_eq!(world.run("h2", &format!("[ -e {file} ] || echo none")), "none");
        assert!(!Path::new(&file).exists(), "{file} on the machine");
        // Files of the machine are visible.
        for entry in fs::read_dir(folder).unwrap().flatten() {
            let name = entry.file_name().into_string().unwrap();
            assert_eq!(
                world.run(
                    "h2",
                    &format!("[ -L '{folder}/{name}' ] || [ -e '{folder}/{name}' ] && echo there")
                ),
                "there"
            );
        }
    }
}

fn the_root_is_the_nodes_own() {
    let world = World::new(PAIR);
    let name = format!("of-{}", world.layout.experiment());
    world.run("h1", &format!("echo h1 >/{name}; mkdir /{name}.d; echo h1 >/{name}.d/file"));
    assert_eq!(world.run("h1", &format!("cat /{name} /{name}.d/file")), "h1\nh1");
    assert_eq!(
        world.run("h2", &format!("ls -d /{name}* || echo none")).lines().last(),
        Some("none")
    );
    assert!(!Path::new(&format!("/{name}")).exists() && !Path::new(&format!("/{name}.d")).exists());
    for entry in fs::read_dir("/").unwrap().flatten() {
        let path = entry.path().display().to_string();
        assert_eq!(
            world.run("h2", &format!("[ -L {path} ] || [ -e {path} ] && echo there")),
            "there"
        );
    }
    // The mounts over the machine's directories can be unmounted, and there is nothing beneath.
    let inode = |path: &str| {
        let found = fs::metadata(path).unwrap();
        format!("{}:{}", found.dev(), found.ino())
    };
    // All at once: the scenario's directory disappears with `/run`.
    let line = "cd /; for path in /tmp /run; do umount -l $path && stat -c %d:%i $path && \
                ls -A $path | wc -l; done";
    let seen = world.run("h1", line);
    let lines: Vec<&str> = seen.lines().collect();
    for (path, seen) in ["/tmp", "/run"].into_iter().zip(lines.chunks(2)) {
        assert_ne!(seen[0], inode(path), "{path} of the machine is beneath");
        assert_eq!(seen[1], "0", "{path}");
    }
}

fn parameters_of_the_machine_can_only_be_read() {
    let world = World::new(PAIR);
    for path in [
        "/proc/sys/kernel/panic",
        "/proc/sys/vm/swappiness",
        "/proc/sysrq-trigger",
        "/sys/kernel/profiling",
        "/sys/power/state",
    ] {
        if Path::new(path).exists() {
            let line = format!("true 2>/dev/null >>{path} || echo refused");
            assert_eq!(world.run("h1", &line), "refused", "{path}");
        }
    }
    // `cat` prints nothing if the kernel refuses.
    assert_eq!(world.run("h1", "head -c 1 /proc/kcore 2>/dev/null | wc -c"), "0");
    let change = |path: &str, to: &str| {
        assert_eq!(world.run("h1", &format!("echo {to} >{path} && cat {path}")), to, "{path}");
    };
    change("/proc/sys/net/ipv4/ip_default_ttl", "33");
    change("/proc/sys/net/ipv4/conf/eth1/proxy_arp", "1");
    change("/proc/sys/kernel/msgmax", "123456");
    if !world::is_rootless() {
        // The kernel refuses both to an ordinary user's root.
        change("/proc/sys/kernel/hostname", "other");
        change("/sys/class/net/eth1/tx_queue_len", "7");
    }
    assert_ne!(world.run("h2", "cat /proc/sys/net/ipv4/ip_default_ttl"), "33");
}

fn proc_and_sys_are_the_nodes_own() {
    let world = World::new(PAIR);
    assert_eq!(world.run("h1", "ls /sys/class/net"), "eth1\nlo");
    let processes = world.run("h1", "ls /proc | grep -c '^[0-9]'");
    assert!(processes.parse::<u32>().unwrap() < 8, "{processes} processes");
    assert!(world.run("h1", "cat /proc/1/cmdline | tr '\\0' ' '").ends_with("__init"));
    let mounts = world.run("h1", "cat /proc/self/mountinfo");
    // As an ordinary user, the tests share the directory that each engine would have for itself:
    // only its own names count.
    let own = if world::is_rootless() { world.layout.experiment() } else { "" };
    let held = |line: &&str| line.contains("nsfs") && line.contains(own);
    let held: Vec<&str> = mounts.lines().filter(held).collect();
    assert!(held.is_empty(), "no other node's namespace is held: {held:#?}");
}

fn the_work_directory_is_the_scenarios() {
    let world = World::new(PAIR);
    // The test's directory is below /tmp, which the node's own /tmp covers.
    assert!(world.work_dir.path().starts_with(env::temp_dir()));
    fs::write(world.work_dir.path().join("given"), "from outside").unwrap();
    assert_eq!(world.run("h1", "pwd; cat given"), format!("{WORK_DIRECTORY}\nfrom outside"));
    world.run("h1", "echo result > made");
    assert_eq!(fs::read_to_string(world.work_dir.path().join("made")).unwrap(), "result\n");
}

fn files_are_read_as_the_node_sees_them() {
    let world = World::new(PAIR);
    let network = world.network();
    let path = Path::new("/tmp/dir/file");
    assert!(matches!(network.open_in("h1", path), Err(NodeError::NoFiles { .. })));
    assert!(!network.exists_in("h1", path).unwrap());
    world.run("h1", "mkdir /tmp/dir; echo kept > /tmp/dir/file");
    world.run("h1", "ln -s /tmp/dir/file /run/link; ln -s ../../../../../../tmp /run/up");
    let content = |path: &str| {
        let mut text = String::new();
        network.open_in("h1", Path::new(path))?.read_to_string(&mut text).unwrap();
        Ok::<_, NodeError>(text)
    };
    for path in ["/tmp/dir/file", "/run/link", "/run/up/dir/file", "../../../tmp/dir/file"] {
        assert_eq!(content(path).unwrap(), "kept\n", "{path}");
    }
    assert!(network.exists_in("h1", path).unwrap());
    assert!(!network.exists_in("h1", Path::new("/tmp/dir/other")).unwrap());
    assert!(!network.exists_in("h2", path).unwrap());
    let error = content("/tmp/none").unwrap_err().to_string();
    assert_eq!(error, "node `h1`: cannot open /tmp/none: No such file or directory (os error 2)");
}

fn files_stay_when_a_node_fails() {
    let world = World::new(PAIR);
    let network = world.network();
    let fail = |disk| {
        let killed = network.kill_processes("h1", disk).unwrap();
        assert!(killed.ended_by(Instant::now() + Duration::from_secs(30)));
    };
    let kept = ["/var/lib/k", "/var/log/k", "/var/cache/k", "/etc/k", "/tmp/k", "/var/tmp/k", "/k"];
    let fleeting = ["/run/k", "/run/netloom/k", "/var/run/l", "/dev/shm/k"];
    let written = kept.iter().chain(&fleeting).map(|file| format!("echo first > {file}"));
    world.run("h1", &written.collect::<Vec<_>>().join("; "));
    world.run("h1", "mkdir /var/lib/folder; ln -s ../k /var/lib/folder/link; rm /etc/hostname");
    // Terminals, queues and processes of the earlier life are gone, the scenario's directory stays.
    world.run("h1", "ipcmk -Q > /dev/null; sleep 1000 > /dev/null 2>&1 & echo");
    let mounts = "cut -d' ' -f5 /proc/self/mountinfo | sort";
    let first = world.run("h1", mounts);
    let passwd = world.run("h1", "wc -c < /etc/passwd");
    for crash in 0..4 {
        fail(Disk::Keep);
        for file in kept {
            let mut text = String::new();
            network.open_in("h1", Path::new(file)).unwrap().read_to_string(&mut text).unwrap();
            assert_eq!(text, "first\n", "{file} after crash {crash}, before anything runs again");
            assert_eq!(world.run("h1", &format!("cat {file}")), "first", "{file}, crash {crash}");
        }
        assert_eq!(world.run("h1", "cat /var/lib/folder/link"), "first");
        // Files of the machine, also where the node has links to them.
        assert_eq!(world.run("h1", "wc -c < /etc/passwd"), passwd);
        for file in fleeting {
            assert_eq!(world.run("h1", &format!("[ -e {file} ] || echo gone")), "gone", "{file}");
            world.run("h1", &format!("echo again > {file}"));
        }
        assert_eq!(world.run("h1", "[ -e /etc/hostname ] || echo gone"), "gone");
        // Process 1 is that of the new life, and the view is complete.
        let there = "stat -c %a /run /run/lock /dev/shm; pwd; grep -c __init /proc/1/cmdline";
        let expected = format!("755\n1777\n1777\n{WORK_DIRECTORY}\n1");
        assert_eq!(world.run("h1", there), expected);
        assert_eq!(world.run("h1", "pidof sleep; ipcs -q | grep -c 0x || :"), "0");
        world.run("h1", "echo out > made-in-node");
        assert!(world.work_dir.path().join("made-in-node").exists());
        assert_eq!(world.run("h1", mounts), first, "crash {crash}");
        let line = "true 2>/dev/null >>/proc/sys/kernel/panic || echo refused";
        assert_eq!(world.run("h1", line), "refused");
    }
    fail(Disk::Lose);
    for file in kept.iter().chain(&fleeting) {
        assert_eq!(world.run("h1", &format!("[ -e {file} ] || echo gone")), "gone", "{file}");
    }
    assert_eq!(world.run("h1", "cat /etc/hostname"), "h1");
}

fn nothing_of_the_view_is_on_the_machine() {
    let mounts = || fs::read_to_string("/proc/self/mountinfo").unwrap();
    let world = World::new(PAIR);
    world.run("h1", "true");
    let experiment = world.layout.experiment();
    let ours: Vec<_> = mounts()
        .lines()
        .filter(|line| line.contains(experiment) || line.contains(WORK_DIRECTORY))
        .map(String::from)
        .collect();
    // The directory of an ordinary user is a mount too.
    let expected = if world::is_rootless() { 3 } else { 2 };
    assert_eq!(ours.len(), expected, "the two namespaces, nothing else: {ours:#?}");
}
