//! Networks of Zheng 2003, §3.5, with all their figures.

use std::collections::BTreeSet;

use netloom_placement::{Account, Machine, Mnp, Problem, Resource, Violation, check};

use crate::common::{cut, link, placed, problem, with_mnp};
use crate::zheng::{Network, Python};

/// Maximum network provision by number of ports, in Mbit/s. 304, 335, 271, and 91 to 335 are
/// Zheng's.
const MNP: [f64; 16] = [
    91.0, 91.0, 130.0, 170.0, 200.0, 230.0, 252.0, 273.0, 304.0, 335.0, 303.0, 271.0, 255.0, 240.0,
    225.0, 210.0,
];

fn mnp() -> Vec<(u32, f64)> {
    (1..).zip(MNP).collect()
}

fn bears(ports: u32) -> f64 {
    MNP.get(ports as usize - 1).copied().unwrap_or(0.0)
}

/// Reads links like `AB40`; `T` to `Z` are test nodes outside.
fn network(nodes: usize, links: &str) -> Network {
    let node = |letter: u8| Some(usize::from(letter - b'A')).filter(|_| letter < b'T');
    let read = |word: &str| {
        let letters = word.as_bytes();
        (node(letters[0]).unwrap(), node(letters[1]), word[2..].parse().unwrap())
    };
    Network { nodes, links: links.split(' ').map(read).collect() }
}

fn as_problem(network: &Network, machines: Vec<Machine>) -> Problem {
    let links = network.links.iter().enumerate();
    let links =
        links.map(|(number, (a, b, rate))| link(&format!("l{number}"), [Some(*a), *b], rate * 1e6));
    problem(network.nodes, links.collect(), machines)
}

fn set(letters: &str) -> BTreeSet<usize> {
    letters.bytes().map(|letter| usize::from(letter - b'A')).collect()
}

/// Machine of each node, of parts like `AB CDEF GH`.
fn on(parts: &str) -> Vec<usize> {
    let of = |node: usize| parts.split(' ').position(|part| set(part).contains(&node)).unwrap();
    (0..parts.bytes().filter(|byte| *byte != b' ').count()).map(of).collect()
}

const TABLE_3_2: &str = "AT40 GU30 HE10 CD10 EF10 BC20 CG30 FB40 HD40 CE50 GB30 HA50 BA30 AE10 \
                         HB50 HG50";

#[test]
fn three_nodes_of_figure_3_13_fit_one_machine() {
    let network = network(3, "AB50 AC10 AT50 BU50 CV10");
    assert_eq!((network.ports(&set("ABC")), network.anc(&set("ABC"))), (7, 170.0));
    let single: f64 = ["A", "B", "C"].iter().map(|node| network.anc(&set(node))).sum();
    assert_eq!(single, 230.0);
    let problem = as_problem(&network, with_mnp(3, &mnp()));
    let (placement, is_optimal) = placed(&problem);
    assert_eq!(placement.used().len(), 1);
    assert!(is_optimal);
    let account = Account::new(&problem, &placement);
    let load = account.machines.iter().find(|load| !load.nodes.is_empty()).unwrap();
    assert_eq!((load.ports, load.anc_bits_per_second), (7, 170e6));
    assert_eq!((load.mnp_bits_per_second, account.cut.len()), (Some(252e6), 0));
}

#[test]
fn the_mapping_of_table_3_2_is_valid_and_ours_is_better() {
    let network = network(8, TABLE_3_2);
    let problem = as_problem(&network, with_mnp(4, &mnp()));
    for (parts, ports, anc, cuts) in [
        ("AB CDEF GH", [9, 12, 9], [270.0, 220.0, 290.0], 280.0),
        ("DGH ABF CE", [8, 9, 8], [240.0, 280.0, 150.0], 220.0),
    ] {
        let sets: Vec<BTreeSet<usize>> = parts.split(' ').map(set).collect();
        if parts == "AB CDEF GH" {
            assert_eq!(sets.iter().map(|set| network.ports(set)).collect::<Vec<_>>(), ports);
            assert_eq!(sets.iter().map(|set| network.anc(set)).collect::<Vec<_>>(), anc);
        }
        let machine_of = on(parts);
        assert_eq!(cut(&problem, &machine_of), cuts * 1e6);
        assert_eq!(check(&problem, &netloom_placement::Placement { machine_of }), []);
    }
    let (placement, is_optimal) = placed(&problem);
    assert!(is_optimal);
    assert_eq!((placement.used().len(), cut(&problem, &placement.machine_of)), (3, 220e6));
    // Zheng's own steps need four machines.
    let theirs = network.mapped(&bears, true);
    assert_eq!(theirs, [set("EH"), set("AB"), set("CDG"), set("F")]);
}

#[test]
fn too_much_for_the_ports_is_named() {
    let problem = as_problem(&network(8, TABLE_3_2), with_mnp(4, &mnp()));
    let machine_of = on("ABCDEFGH");
    let broken = check(&problem, &netloom_placement::Placement { machine_of });
    // 30 ports are more than any machine has.
    assert!(matches!(&broken[..], [Violation::Overload { resource: Resource::Mnp, .. }]));
}

#[test]
fn a_chain_fits_the_machine_that_was_measured_with_it() {
    let network = network(4, "AX50 AB100 BC100 CD100 DY50");
    assert_eq!(network.anc(&set("ABCD")), 400.0);
    let flat: Vec<(u32, f64)> = (1..=16).map(|ports| (ports, 400.0)).collect();
    let problem = as_problem(&network, with_mnp(4, &flat));
    let (placement, _) = placed(&problem);
    assert_eq!(placement.used().len(), 1);
    assert_eq!(network.mapped(&|_| 400.0, true).len(), 2);
}

#[test]
fn two_hundred_random_networks_need_400_machines() {
    let mut random = Python::new(1);
    let rates = [10.0, 20.0, 30.0, 50.0];
    let (mut literal, mut corrected, mut ours) = (0, 0, 0);
    for _ in 0..200 {
        let mut links: Vec<(usize, Option<usize>, f64)> = Vec::new();
        for node in 1..8 {
            let other = random.below(node);
            links.push((other, Some(node), random.choice(&rates)));
        }
        for _ in 0..3 {
            let [a, b] = random.two_below(8);
            let joins = |(x, y, _): &(usize, Option<usize>, f64)| {
                (*x, *y) == (a, Some(b)) || (*x, *y) == (b, Some(a))
            };
            if !links.iter().any(joins) {
                links.push((a, Some(b), random.choice(&rates)));
            }
        }
        for _ in 0..2 {
            let node = random.below(8);
            links.push((node, None, random.choice(&[10.0, 20.0])));
        }
        let network = Network { nodes: 8, links };
        literal += network.mapped(&bears, true).len();
        corrected += network.mapped(&bears, false).len();
        let (placement, is_optimal) = placed(&as_problem(&network, with_mnp(8, &mnp())));
        assert!(is_optimal);
        ours += placement.used().len();
    }
    assert_eq!((literal, corrected, ours), (642, 628, 400));
}

#[test]
fn provision_between_two_known_numbers_of_ports_is_the_smaller() {
    let mnp = Mnp([(2, 91.0), (8, 273.0), (12, 200.0)].into());
    let at = [1, 2, 5, 8, 10, 12, 13].map(|ports| mnp.at(ports));
    assert_eq!(at, [91.0, 91.0, 91.0, 273.0, 200.0, 200.0, 0.0]);
}
