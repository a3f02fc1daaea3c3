//! From creation to destruction, and several experiments at the same time.

use std::fs;
use std::sync::atomic::{AtomicUsize, Ordering};

use netloom_nodes::{Network, NodeError, cleanup_layout};

use crate::world::{
    Tests, World, context, is_rootless, layout, left_out, processes_of, remains, scenario,
    unique_name,
};

pub const TESTS: Tests = &[
    ("a_node_without_processes_costs_none", a_node_without_processes_costs_none),
    ("a_node_with_processes_has_a_cgroup", a_node_with_processes_has_a_cgroup),
    ("progress_counts_to_the_end", progress_counts_to_the_end),
    ("destroy_leaves_nothing", destroy_leaves_nothing),
    ("dropping_leaves_no_nodes", dropping_leaves_no_nodes),
    ("what_exists_is_left_alone", what_exists_is_left_alone),
    ("experiments_with_the_same_nodes_live_side_by_side", side_by_side),
    ("dots_do_not_confuse_experiments", dots_do_not_confuse_experiments),
    ("cleanup_of_nothing_is_fine", cleanup_of_nothing_is_fine),
    ("a_cgroup_of_others_is_left_alone", a_cgroup_of_others_is_left_alone),
    ("nodes_do_without_the_names_of_their_namespaces", nodes_do_without_names),
    ("cleanup_takes_half_made_things", cleanup_takes_half_made_things),
    ("names_that_are_paths_are_refused", names_that_are_paths_are_refused),
];

const PAIR: &[(&str, &str)] = &[("h1", "h2")];

fn a_node_without_processes_costs_none() {
    let world = World::new(PAIR);
    assert_eq!(processes_of(world.layout.experiment()), Vec::<u32>::new());
    assert_eq!(world.network().cgroup("h1"), None);
    world.run("h1", "true");
    assert_eq!(processes_of(world.layout.experiment()).len(), 1, "its init");
    assert_eq!(world.network().cgroup("h2"), None);
}

fn a_node_with_processes_has_a_cgroup() {
    let world = World::new(PAIR);
    if world.layout.cgroup().is_none() {
        return left_out(
            "lifecycle::a_node_with_processes_has_a_cgroup",
            "no cgroup v2 on this machine, or not for ordinary users",
        );
    }
    let mut running = world.start("h1", "sleep 1000 & echo; wait");
    running.line();
    let cgroup = world.network().cgroup("h1").unwrap();
    let members = fs::read_to_string(cgroup.join("cgroup.procs")).unwrap();
    assert_eq!(members.lines().count(), 3, "init, the shell, and its child");
}

fn progress_counts_to_the_end() {
    let (mut world, plan) = World::planned(&[("h1", "h2"), ("h3", "h4"), ("h5", "h6")]);
    let (calls, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let progress = |done, of| {
        assert_eq!(of, 6);
        calls.fetch_add(1, Ordering::Relaxed);
        most.fetch_max(done, Ordering::Relaxed);
    };
    let context = context(world.work_dir.path());
    let (network, devices) = Network::create(&world.layout, &plan, context, &progress).unwrap();
    assert_eq!((calls.into_inner(), most.into_inner()), (6, 6));
    let order: Vec<&str> = devices.iter().map(|device| device.node.as_str()).collect();
    assert_eq!(order, ["h1", "h2", "h3", "h4", "h5", "h6"]);
    world.devices = devices;
    world.network = Some(network);
}

fn destroy_leaves_nothing() {
    let mut world = World::new(PAIR);
    world.start("h1", "sleep 1000");
    world.destroy().unwrap();
    assert_eq!(world.remains(), Vec::<String>::new());
}

fn dropping_leaves_no_nodes() {
    let mut world = World::new(PAIR);
    world.start("h1", "sleep 1000");
    world.devices.clear();
    world.network = None;
    assert_eq!(world.remains(), Vec::<String>::new());
}

fn what_exists_is_left_alone() {
    let world = World::new(PAIR);
    let plan = netloom_plan::plan(&scenario(world.layout.experiment(), PAIR)).unwrap();
    let again = Network::create(&world.layout, &plan, context(world.work_dir.path()), &|_, _| {});
    let error = again.err().unwrap();
    assert!(matches!(error, NodeError::Exists { .. }), "{error}");
    assert!(error.to_string().contains("netloom cleanup"), "{error}");
    assert_eq!(world.run("h1", "ls /sys/class/net"), "eth1\nlo");
}

fn side_by_side() {
    let mut first = World::new(PAIR);
    let second = World::new(PAIR);
    let running = second.start("h1", "read line; exit 5");
    first.run("h1", "echo first > /tmp/file");
    assert_eq!(second.run("h1", "[ -e /tmp/file ] || echo none"), "none");
    first.destroy().unwrap();
    cleanup_layout(&first.layout).unwrap();
    assert_eq!(second.run("h2", "cat /proc/sys/kernel/hostname"), "h2");
    assert_eq!(running.finish().1.code(), 5);
}

fn dots_do_not_confuse_experiments() {
    let (mut inner, mut plan) = World::planned(PAIR);
    let outer = layout(inner.work_dir.path(), &unique_name());
    let name = format!("{}.part", outer.experiment());
    inner.layout = layout(inner.layout.state_dir().parent().unwrap(), &name);
    plan.nodes.truncate(1);
    inner.create(&plan).unwrap();
    assert!(cleanup_layout(&outer).unwrap().is_empty());
    assert_eq!(inner.run("h1", "ls /sys/class/net"), "eth1\nlo");
}

fn cleanup_of_nothing_is_fine() {
    let (world, _) = World::planned(PAIR);
    assert!(cleanup_layout(&world.layout).unwrap().is_empty());
}

fn cleanup_takes_half_made_things() {
    // The remains when the record is lost, a namespace was not mounted yet, and a cgroup remains;
    // and a file of somebody else with the name of a node.
    let mut world = World::new(PAIR);
    let state = world.layout.state_dir().to_owned();
    std::mem::forget(world.network.take());
    world.devices.clear();
    fs::write(state.join("record.json"), "{ \"pid\":").unwrap();
    nix::mount::umount(&world.layout.namespace("h2")).unwrap();
    let foreign = world.layout.namespace("h3");
    fs::write(&foreign, "").unwrap();
    let cgroup = world.layout.cgroup();
    if let Some(cgroup) = &cgroup {
        fs::create_dir_all(cgroup.join("h1/below")).unwrap();
    }
    let report = cleanup_layout(&world.layout).unwrap();
    assert_eq!((report.namespaces, report.state), (2, true));
    assert_eq!(report.cgroups, if cgroup.is_some() { 3 } else { 0 });
    // An ordinary user's names are in the state directory.
    let left = if is_rootless() { vec![] } else { vec![foreign.clone()] };
    assert_eq!(report.foreign, left);
    let _ = fs::remove_file(foreign);
    assert_eq!(remains(&world.layout), Vec::<String>::new());
}

fn a_cgroup_of_others_is_left_alone() {
    let (mut world, plan) = World::planned(PAIR);
    let Some(cgroup) = world.layout.cgroup().filter(|_| !is_rootless()) else {
        return left_out(
            "lifecycle::a_cgroup_of_others_is_left_alone",
            "no cgroup v2 on this machine, or not for ordinary users",
        );
    };
    fs::create_dir_all(&cgroup).unwrap();
    let mut other = std::process::Command::new("sleep").arg("1000").spawn().unwrap();
    fs::write(cgroup.join("cgroup.procs"), other.id().to_string()).unwrap();
    let error = world.create(&plan).unwrap_err();
    let report = cleanup_layout(&world.layout).unwrap();
    let (alive, there) = (other.try_wait().unwrap().is_none(), cgroup.exists());
    other.kill().unwrap();
    other.wait().unwrap();
    fs::remove_dir(&cgroup).unwrap();
    assert!(matches!(error, NodeError::Exists { .. }), "{error}");
    assert!(alive && there && report.cgroups == 0 && report.foreign == [cgroup]);
}

fn nodes_do_without_names() {
    let mut world = World::new(PAIR);
    world.run("h1", "true");
    assert_eq!(world.network().unnamed(), Vec::<String>::new());
    for node in ["h1", "h2"] {
        let name = world.layout.namespace(node);
        nix::mount::umount(&name).unwrap();
        fs::remove_file(&name).unwrap();
    }
    let mut unnamed = world.network().unnamed();
    unnamed.sort();
    assert_eq!(unnamed, ["h1", "h2"]);
    assert_eq!(world.run("h2", "ls /sys/class/net"), "eth1\nlo");
    assert!(world.network().counters().interfaces(vec!["h1", "h2"]).unwrap().len() >= 2);
    assert!(world.network().inside("h1").unwrap().listening_tcp_ports().unwrap().is_empty());
    world.destroy().unwrap();
    assert_eq!(world.remains(), Vec::<String>::new());
}

fn names_that_are_paths_are_refused() {
    for name in ["..", "a/b", "", ".hidden"] {
        assert!(matches!(netloom_nodes::cleanup(name), Err(NodeError::Name { .. })), "{name:?}");
        let (mut world, mut plan) = World::planned(PAIR);
        plan.nodes[1].name = name.into();
        assert!(matches!(world.create(&plan), Err(NodeError::Name { .. })), "{name:?}");
    }
}
