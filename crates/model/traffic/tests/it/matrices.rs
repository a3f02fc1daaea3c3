//! Demand matrices, and what links carry of them.

use netloom_traffic::{DemandMatrix, PathDemand, RateUnit, share};
use netloom_units::{DataFormat, Stream};

fn demands(text: &str) -> Vec<(String, String, f64, usize)> {
    let all = DemandMatrix::parse(text).unwrap().demands;
    all.into_iter().map(|one| (one.from, one.to, one.amount, one.line)).collect()
}

fn fault(text: &str) -> String {
    DataFormat::parse(text).map(|_: DemandMatrix| ()).unwrap_err().to_string()
}

fn one(from: &str, to: &str, amount: f64, line: usize) -> (String, String, f64, usize) {
    (from.into(), to.into(), amount, line)
}

#[test]
fn the_same_demands_in_all_forms() {
    let rows = "# Mbit/s\nfrom,to,rate\na,b,1.5\n\na , c , 0\n\"b\",a,2e1\n";
    assert_eq!(demands(rows), [one("a", "b", 1.5, 3), one("b", "a", 20.0, 6)]);
    for separator in [",", ";", "\t"] {
        let square = [",a,b,c", "a,0,1.5,", "b,20,-,0"].join("\n").replace(',', separator);
        assert_eq!(demands(&square), [one("a", "b", 1.5, 2), one("b", "a", 20.0, 3)]);
    }
    let sndlib = "?SNDlib native format; type: network; version: 1.0\nNODES (\n  a ( 1 2 )\n)\n\
                  DEMANDS (\n  D1 ( a b ) 1 1.50 UNLIMITED\n  D2 ( b a ) 1 20.00 UNLIMITED\n)\n";
    assert_eq!(demands(sndlib), [one("a", "b", 1.5, 6), one("b", "a", 20.0, 7)]);
}

#[test]
fn a_square_of_two_nodes_is_not_taken_for_rows() {
    assert_eq!(demands(",a,b\na,,1\nb,2,\n"), [one("a", "b", 1.0, 2), one("b", "a", 2.0, 3)]);
}

#[test]
fn faults_name_their_line_and_what_to_write() {
    for (text, says) in [
        ("a,b,1\na,c,-2\n", "line 2: `-2` is no rate"),
        ("a,b,1\na,c,NaN\n", "line 2: `NaN` is no rate"),
        ("a,b,inf\n", "line 1: `inf` is no rate"),
        ("a,b,fast\n", "line 1: `fast` is no number"),
        ("from,to,rate\na,b,10Mbit/s\n", "line 2: `10Mbit/s` is no number; write rates without"),
        ("a,b,1\na,b,0\n", "line 2: line 1 has a demand from `a` to `b` already"),
        ("a,a,1\n", "line 1: `a` would send to itself"),
        ("a,b,1\na,b\n", "line 2: it has 2 cells, not 3"),
        ("a,,1\n", "line 1: a name is missing"),
        (",a,b\na,1\n", "line 2: it has 1 rates; write 2"),
        ("x,a,b,c\na,0,1,2\n", "line 1: it begins with `x`"),
        ("a b 1\n", "line 1: it begins with `a b 1`"),
        ("a,b,0\n", "it has no demand above 0"),
        ("", "it has no demand above 0"),
        ("DEMANDS (\nD1 ( a b ) 2 1.0 UNLIMITED\n)\n", "line 2: the routing unit is 2"),
        ("DEMANDS (\nD1 a b 1.0\n)\n", "line 2: it is no demand"),
    ] {
        let fault = fault(text);
        assert!(fault.contains(says), "{text:?}: {fault}");
    }
}

#[test]
fn rates_are_whole_bits_per_second() {
    let rate = |unit: RateUnit, amount| unit.rate(amount).map(netloom_units::Rate::bits_per_second);
    assert_eq!(rate(RateUnit::Megabit, 12.5), Some(12_500_000));
    assert_eq!(rate(RateUnit::Kilobit, 0.0016), Some(2));
    assert_eq!(rate(RateUnit::Bit, 0.4), None);
    assert_eq!(rate(RateUnit::Gigabit, 10_000.0), Some(10_000_000_000_000));
    assert_eq!(rate(RateUnit::Gigabit, 1e300), None);
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * b.abs().max(1.0)
}

/// Three lines in a row. By hand: the first passes 100/150 = 2/3, so 60 and 40 arrive at the
/// second. 30 more arrive there: it passes 65/130 = 1/2, so the first demand keeps 30, which the
/// third line carries; the last one keeps 15.
#[test]
fn losses_reduce_the_load_behind_them() {
    let paths = [(90.0, vec![0, 1, 2]), (60.0, vec![0, 1]), (30.0, vec![1])];
    let demands = paths.map(|(rate, path)| PathDemand { rate, path });
    let shares = share(&[100.0, 65.0, 40.0], &demands);
    for (is, should) in shares.arriving.iter().zip([150.0, 130.0, 30.0]) {
        assert!(close(*is, should), "{shares:?}");
    }
    for (is, should) in shares.goodput.iter().zip([30.0, 20.0, 15.0]) {
        assert!(close(*is, should), "{shares:?}");
    }
}

/// The lines depend on each other in a circle: each is the first of one demand and the second of
/// another. By symmetry all pass p, with 100 + 100 p arriving: p = 80 / (100 + 100 p), so that
/// p = (√(1 + 3.2) − 1) / 2.
#[test]
fn circles_reach_their_fixed_point() {
    let demands =
        [[0, 1], [1, 2], [2, 0]].map(|path| PathDemand { rate: 100.0, path: path.into() });
    let shares = share(&[80.0; 3], &demands);
    let p = (4.2_f64.sqrt() - 1.0) / 2.0;
    for goodput in shares.goodput {
        assert!((goodput - 100.0 * p * p).abs() < 1e-6, "{goodput}");
    }
}

#[test]
fn a_line_that_is_down_passes_nothing_and_one_without_a_limit_everything() {
    let demands = [[0, 1], [1, 0]].map(|path| PathDemand { rate: 5.0, path: path.into() });
    let shares = share(&[f64::INFINITY, 0.0], &demands);
    assert_eq!((&shares.goodput[..], &shares.arriving[..]), (&[0.0, 0.0][..], &[5.0, 10.0][..]));
}

/// Whatever the network: no line passes more than its rate, none drops below it, and what comes out
/// of a line is what arrives at the lines behind it or is kept.
#[test]
fn random_networks_obey_the_laws() {
    for seed in 0..200 {
        let mut stream = Stream::new(seed, "share");
        let mut below = |most: usize| (stream.uniform() * most as f64) as usize;
        let lines = 2 + below(10);
        let capacities: Vec<f64> = (0..lines).map(|_| 1.0 + below(100) as f64).collect();
        let demands: Vec<PathDemand> = (0..1 + below(40))
            .map(|_| {
                let (first, count) = (below(lines), 1 + below(lines));
                let path = (0..count).map(|step| (first + step) % lines).collect();
                PathDemand { rate: 1.0 + below(50) as f64, path }
            })
            .collect();
        let shares = share(&capacities, &demands);
        let passes = |line: usize| (capacities[line] / shares.arriving[line]).min(1.0);
        let mut arriving = vec![0.0; lines];
        for (demand, goodput) in demands.iter().zip(&shares.goodput) {
            let mut rate = demand.rate;
            for line in &demand.path {
                arriving[*line] += rate;
                rate *= passes(*line);
            }
            assert!((rate - goodput).abs() < 1e-6 * demand.rate, "seed {seed}: {rate} {goodput}");
        }
        for (line, arriving) in arriving.iter().enumerate() {
            assert!((arriving - shares.arriving[line]).abs() < 1e-6 * arriving.max(1.0), "{seed}");
        }
    }
}
