//! Rules of links and labels: who may be cut, who must not share a machine, who must.

use netloom_placement::{
    Account, Binding, Cost, Machine, NoPlacement, Placement, Problem, Resource, Violation, check,
    place,
};
use netloom_scenario::{Cut, Objective};
use netloom_units::Duration;

use crate::common::{link, micros, placed, problem};

fn machines(count: usize) -> Vec<Machine> {
    (1..=count).map(|number| Machine::unlimited(format!("m{number}"))).collect()
}

/// Two nodes that are apart, with a link of this delay, on two machines.
fn pair(delay: u64) -> Problem {
    let mut link = link("a--b", [Some(0), Some(1)], 1e6);
    link.least = [micros(delay), micros(1000)];
    let mut problem = problem(2, vec![link], machines(2));
    problem.nodes.iter_mut().for_each(|node| node.apart = Some("ends".into()));
    problem
}

#[test]
fn links_below_the_bound_are_not_cut() {
    let (placement, _) = placed(&pair(300));
    assert_ne!(placement.machine_of[0], placement.machine_of[1]);
    let refused = place(&pair(299)).unwrap_err();
    let link = Binding::Short { link: "a--b".into(), least: micros(299), bound: micros(300) };
    let NoPlacement::NotApart { nodes, label, by } = &refused else { panic!("{refused}") };
    assert_eq!((nodes.each_ref().map(String::as_str), label.as_str()), (["n0", "n1"], "ends"));
    assert_eq!(by[..], [link]);
    let words = format!("{refused}; {}", refused.help());
    for part in ["`a--b`", "299us", "300us", "cut: any"] {
        assert!(words.contains(part), "{words}");
    }
    let on = Placement { machine_of: vec![0, 1] };
    assert!(matches!(&check(&pair(299), &on)[..], [Violation::TooShort { .. }]));
}

#[test]
fn links_that_may_always_be_cut_are_marked_if_they_are_late() {
    let mut late = pair(50);
    late.links[0].cut = Cut::Any;
    let (placement, _) = placed(&late);
    let account = Account::new(&late, &placement);
    let cut = &account.cut[..];
    assert_eq!((cut.len(), cut[0].is_late, cut[0].slack_ns), (1, true, -250_000));
    let mut slack = pair(1000);
    slack.links[0].cut = Cut::Any;
    let account = Account::new(&slack, &placed(&slack).0);
    assert_eq!((account.cut[0].is_late, account.cut[0].slack_ns), (false, 700_000));
}

#[test]
fn forbidden_cuts_and_links_without_delay_bind() {
    for (cut, least) in [(Cut::Never, micros(10_000)), (Cut::Auto, Duration::ZERO)] {
        let mut problem = pair(0);
        problem.links[0].cut = cut;
        problem.links[0].least = [least; 2];
        assert!(matches!(place(&problem), Err(NoPlacement::NotApart { .. })));
        problem.nodes.iter_mut().for_each(|node| node.apart = None);
        problem.objective = Objective::Spread;
        let (placement, _) = placed(&problem);
        assert_eq!(placement.used().len(), 1);
    }
}

#[test]
fn the_bound_is_that_of_the_pair_and_the_direction() {
    // From the second machine to the first, frames need longer than the link's way there.
    let mut problem = pair(400);
    problem.links[0].least = [micros(400), micros(250)];
    problem.bounds.set(0, 1, micros(390));
    problem.bounds.set(1, 0, micros(240));
    let (placement, _) = placed(&problem);
    // The link's first end must be on the first machine.
    assert_eq!(placement.machine_of, [0, 1]);
    problem.nodes[0].machine = Some(1);
    let refused = place(&problem).unwrap_err();
    assert!(matches!(&refused, NoPlacement::Rules { is_certain: true, .. }), "{refused}");
}

#[test]
fn labels_and_machines_are_kept() {
    let links = (0..5).map(|node| link("l", [Some(node), Some(node + 1)], 1e6)).collect();
    let mut problem = problem(6, links, machines(3));
    problem.nodes[0].together = vec!["x".into()];
    problem.nodes[5].together = vec!["x".into()];
    problem.nodes[2].machine = Some(2);
    for node in [1, 4] {
        problem.nodes[node].apart = Some("y".into());
    }
    let (placement, is_optimal) = placed(&problem);
    let on = &placement.machine_of;
    assert!(is_optimal);
    assert_eq!((on[0], on[2]), (on[5], 2));
    assert_ne!(on[1], on[4]);
    assert_eq!(placement.used().len(), 2);
    let wrong = Placement { machine_of: vec![0, 1, 0, 0, 1, 1] };
    let broken = check(&problem, &wrong);
    let kinds =
        |of: fn(&Violation) -> bool| broken.iter().filter(|violation| of(violation)).count();
    assert_eq!(kinds(|violation| matches!(violation, Violation::WrongMachine { .. })), 1);
    assert_eq!(kinds(|violation| matches!(violation, Violation::NotTogether { .. })), 1);
    assert_eq!(kinds(|violation| matches!(violation, Violation::NotApart { .. })), 1);
    assert_eq!(broken.len(), 3);
}

#[test]
fn nodes_of_one_group_on_two_machines_are_refused_with_what_joins_them() {
    let mut problem = pair(0);
    problem.nodes.iter_mut().for_each(|node| node.apart = None);
    problem.nodes[0].machine = Some(0);
    problem.nodes[1].machine = Some(1);
    let refused = place(&problem).unwrap_err();
    let NoPlacement::OnTwoMachines { machines, by, .. } = &refused else { panic!("{refused}") };
    assert_eq!((machines.each_ref().map(String::as_str), by.len()), (["m1", "m2"], 1));
}

#[test]
fn a_group_that_no_machine_holds_is_refused_with_what_binds_it() {
    let mut link = link("a--b", [Some(0), Some(1)], 1e6);
    link.least = [Duration::ZERO; 2];
    let mut all = machines(2);
    all.iter_mut().for_each(|machine| machine.memory = 100.0);
    let mut problem = problem(2, vec![link], all);
    problem.nodes.iter_mut().for_each(|node| node.memory = 60.0);
    let refused = place(&problem).unwrap_err();
    let NoPlacement::GroupTooLarge { resource, used, by, nodes, .. } = &refused else {
        panic!("{refused}")
    };
    assert_eq!((*resource, *used, by.len(), nodes.len()), (Resource::Memory, 1.2, 1, 2));
    problem.headroom = 0.5;
    problem.links[0].cut = Cut::Any;
    let refused = place(&problem).unwrap_err();
    assert!(matches!(refused, NoPlacement::GroupTooLarge { .. }), "{refused}");
}

#[test]
fn too_few_machines_are_refused_by_the_tightest_capacity() {
    let links = (0..7).map(|node| link("l", [Some(node), Some(node + 1)], 1e6)).collect();
    let mut all = machines(2);
    all.iter_mut().for_each(|machine| machine.cpus = 1.0);
    let mut problem = problem(8, links, all);
    problem.nodes.iter_mut().for_each(|node| node.cpu = 0.3);
    let refused = place(&problem).unwrap_err();
    let NoPlacement::Overload { resource, is_certain, used, .. } = &refused else {
        panic!("{refused}")
    };
    assert_eq!((*resource, *is_certain), (Resource::Cpu, true));
    assert!((*used - 1.2).abs() < 1e-9, "{used}");
    problem.nodes.iter_mut().for_each(|node| node.cpu = 0.25);
    assert_eq!(placed(&problem).0.used().len(), 2);
    problem.nodes.clear();
    problem.links.clear();
    problem.machines.clear();
    assert_eq!(place(&problem), Err(NoPlacement::NoMachines));
}

#[test]
fn a_spread_uses_all_machines_and_the_fewest_one() {
    let links = (0..5).map(|node| link("l", [Some(node), Some(node + 1)], 1e6)).collect();
    let mut problem = problem(6, links, machines(3));
    assert_eq!(placed(&problem).0.used().len(), 1);
    problem.objective = Objective::Spread;
    let (placement, is_optimal) = placed(&problem);
    assert_eq!((placement.used().len(), is_optimal), (3, true));
    // A chain of six in three parts has two cut links.
    assert_eq!(Account::new(&problem, &placement).cut.len(), 2);
}

#[test]
fn cut_links_load_both_machines_and_both_uplinks() {
    let mut problem = pair(1000);
    problem.links[0].flows[0].bits = 12_112_000.0;
    problem.links[0].flows[1].bits = 0.0;
    for machine in &mut problem.machines {
        machine.inside = Cost { frame: 1e-4, byte: 0.0 };
        machine.across = Cost { frame: 2e-4, byte: 1e-7 };
        machine.uplink = 14e6;
    }
    let (placement, _) = placed(&problem);
    let account = Account::new(&problem, &placement);
    // 1,000 frames of 1514 bytes a second.
    let share = 1000.0 * (2e-4 + 1514.0 * 1e-7);
    for load in &account.machines {
        assert!((load.cpu.unwrap() - share).abs() < 1e-12);
    }
    let sender = &account.machines[placement.machine_of[0]];
    let receiver = &account.machines[placement.machine_of[1]];
    assert_eq!(sender.out_bits_per_second, receiver.in_bits_per_second);
    assert_eq!((sender.in_bits_per_second, receiver.out_bits_per_second), (0.0, 0.0));
    // What the tunnel adds: more than the frames, less than a tenth more.
    assert!((12.112e6..13.3e6).contains(&sender.out_bits_per_second));
    problem.machines.iter_mut().for_each(|machine| machine.uplink = 12.5e6);
    let refused = place(&problem).unwrap_err();
    let NoPlacement::Overload { resource, .. } = &refused else { panic!("{refused}") };
    assert_eq!(*resource, Resource::Uplink);
}
