//! The golden matrix: rate × loss × delay × queue discipline with TCP-like senders, in virtual
//! time.
//!
//! The figures are exact on every machine and are compared with `matrix.txt`, so every change of
//! the model's behaviour is noticed. After an intended change,
//! `BLESS=1 cargo test -p netloom-link --test it golden` writes them anew. Properties of every
//! correct model are asserted separately, in case a wrong figure is blessed by mistake.

mod source;

use std::fmt::Write;

use netloom_link::{Discipline, Pipe, Stream};
use netloom_units::Time;

use crate::common::{config, ms};
use source::{Arrived, DATA_BYTES, Source, drive};

const RATES: [u64; 3] = [1, 10, 100];
const LOSSES: [&str; 2] = ["0%", "1%"];
const DELAYS: [u64; 2] = [5, 20];
const WARM_UP: Time = Time::from_nanos(5_000_000_000);
const END: Time = Time::from_nanos(15_000_000_000);
const SOURCES: u16 = 4;

/// One cell of the matrix.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Cell {
    /// Rate in Mbit/s.
    rate: u64,
    loss: &'static str,
    /// One-way delay in ms.
    delay: u64,
    discipline: &'static str,
}

/// Figures after the warm-up.
#[derive(Debug)]
struct Figures {
    /// Delivered frames without framing, in Mbit/s.
    goodput: f64,
    /// Goodput of each source, likewise.
    shares: [f64; SOURCES as usize],
    /// Mean time of waiting for the line, in ms.
    wait: f64,
    dropped_full: u64,
    dropped_aqm: u64,
    marked: u64,
}

impl Figures {
    /// Jain's index: 1 if all sources get the same, 1/n if one gets everything.
    fn fairness(&self) -> f64 {
        let squares: f64 = self.shares.iter().map(|share| share * share).sum();
        self.goodput * self.goodput / (f64::from(SOURCES) * squares)
    }
}

fn cells() -> impl Iterator<Item = Cell> {
    let places = RATES.into_iter().flat_map(|rate| {
        LOSSES
            .into_iter()
            .flat_map(move |loss| DELAYS.into_iter().map(move |delay| (rate, loss, delay)))
    });
    places.flat_map(|(rate, loss, delay)| {
        let cell = move |discipline: &&'static str| Cell { rate, loss, delay, discipline };
        Discipline::ALL.iter().map(|(name, _)| name).map(cell)
    })
}

/// Measures four senders. Two of them use ECN, and one of the others uses expedited forwarding.
fn measure(cell: Cell) -> Figures {
    let Cell { rate, loss, delay, discipline } = cell;
    let text = format!(
        r#"{{"rate":"{rate}Mbit/s","loss":"{loss}","delay":"{delay}ms",
            "queue":{{"discipline":"{discipline}"}}}}"#
    );
    let mut data = Pipe::new(config(&text), Stream::new(1, "golden/forward"), Time::ZERO);
    let back = config(&format!(r#"{{"delay":"{delay}ms"}}"#));
    let mut acks = Pipe::new(back, Stream::new(1, "golden/reverse"), Time::ZERO);
    let mut sources: Vec<_> = (0..SOURCES)
        .map(|flow| {
            Source::new(flow, ms(100 * u64::from(flow)), flow < 2, if flow == 3 { 46 } else { 0 })
        })
        .collect();
    drive(&mut sources, &mut data, &mut acks, Time::ZERO, WARM_UP, |_| {});
    let before = data.statistics(WARM_UP);
    let (mut packets, mut waited) = ([0u64; SOURCES as usize], 0u64);
    drive(&mut sources, &mut data, &mut acks, WARM_UP, END, |Arrived { flow, waited: wait }| {
        packets[usize::from(flow)] += 1;
        waited += wait.as_nanos();
    });
    let after = data.statistics(END);
    let seconds = END.since(WARM_UP).as_secs_f64();
    let shares = packets.map(|n| n as f64 * f64::from(DATA_BYTES) * 8e-6 / seconds);
    Figures {
        goodput: shares.iter().sum(),
        shares,
        wait: waited as f64 / 1e6 / packets.iter().sum::<u64>() as f64,
        dropped_full: after.dropped.queue_full.frames - before.dropped.queue_full.frames,
        dropped_aqm: after.dropped.aqm.frames - before.dropped.aqm.frames,
        marked: after.marked.frames - before.marked.frames,
    }
}

fn table(results: &[(Cell, Figures)]) -> String {
    let mut text = String::from(
        "# rate Mbit/s, loss, delay ms, discipline: goodput Mbit/s, fairness, mean wait ms, \
         drops full, drops aqm, marks\n",
    );
    for (cell, figures) in results {
        let Cell { rate, loss, delay, discipline } = cell;
        let Figures { goodput, wait, dropped_full, dropped_aqm, marked, .. } = figures;
        let fairness = figures.fairness();
        writeln!(
            text,
            "{rate:>3} {loss} {delay:>2} {discipline:<8} {goodput:>7.3} {fairness:>5.3} \
             {wait:>7.2} {dropped_full:>5} {dropped_aqm:>5} {marked:>5}"
        )
        .expect("a string takes any text");
    }
    text
}

#[test]
fn the_matrix_is_unchanged_and_plausible() {
    let results: Vec<_> = cells().map(|cell| (cell, measure(cell))).collect();
    for (cell, figures) in &results {
        let fifo = Cell { discipline: "fifo", ..*cell };
        let (_, fifo) =
            results.iter().find(|(other, _)| *other == fifo).expect("every row has fifo");
        check(*cell, figures, fifo);
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/golden/matrix.txt");
    let table = table(&results);
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(path, &table).unwrap();
    }
    let golden = std::fs::read_to_string(path).expect("written with BLESS=1");
    for (is, was) in table.lines().zip(golden.lines()) {
        assert_eq!(is, was, "another figure than in {path}; BLESS=1 if it is meant to be");
    }
    assert_eq!(table.lines().count(), golden.lines().count());
}

/// Checks the properties of every correct model.
fn check(cell: Cell, figures: &Figures, fifo: &Figures) {
    let Cell { rate, loss, delay, discipline } = cell;
    let aqm = matches!(discipline, "red" | "codel" | "fq_codel" | "pie" | "dualpi2");
    let marks = aqm || discipline == "step";
    let rate = rate as f64;
    // 24 bytes of framing for each frame, plus frames already in flight when counting starts.
    let most = rate * 1514.0 / 1538.0 + 0.01;
    assert!(figures.goodput <= most, "{cell:?}: more than the line carries: {figures:?}");
    assert!(aqm || figures.dropped_aqm == 0, "{cell:?}: no AQM here: {figures:?}");
    assert!(marks || figures.marked == 0, "{cell:?}: no AQM here: {figures:?}");
    if loss == "0%" {
        // The default limit is 100 ms or 50 packets, enough for windows that are halved. RED's
        // default thresholds are low for a long fat line, which halved windows then do not fill.
        let least = if discipline == "red" { 0.7 } else { 0.9 };
        assert!(figures.goodput >= least * most, "{cell:?}: {figures:?}");
        assert!(!aqm || figures.dropped_aqm > 0, "{cell:?}: {figures:?}");
        // At 1 Mbit/s, a packet takes 12 ms. There, PIE drops more than 10 % and no longer marks,
        // and CoDel leaves senders without ECN in timeouts.
        if rate > 1.0 {
            assert!(!aqm || figures.marked > 0, "{cell:?}: {figures:?}");
        }
        let shares =
            matches!(discipline, "drr" | "wf2q+") || discipline == "fq_codel" && rate > 1.0;
        assert!(!shares || figures.fairness() > 0.99, "{cell:?}: flows share equally: {figures:?}");
        if discipline == "prio" {
            let rest = figures.goodput - figures.shares[3];
            assert!(figures.shares[3] > 3.0 * rest, "{cell:?}: the urgent flow first: {figures:?}");
        }
    } else {
        // Mathis et al. 1997: a window of √(3/2p) packets for each round trip. Without timeouts the
        // result is somewhat higher, and queueing only makes round trips longer.
        let packets = (1.5_f64 / 0.01).sqrt() * f64::from(SOURCES);
        let mathis = packets * f64::from(DATA_BYTES) * 8.0 / (2.0 * delay as f64 * 1e3);
        assert!(figures.goodput <= 1.2 * mathis, "{cell:?}: above {mathis}: {figures:?}");
        if mathis < rate / 2.0 {
            assert!(figures.goodput >= 0.7 * mathis, "{cell:?}: below {mathis}: {figures:?}");
        }
    }
    // Bufferbloat, and its cure.
    if fifo.wait > 40.0 && matches!(discipline, "codel" | "fq_codel" | "pie") {
        assert!(
            figures.wait < fifo.wait / 2.0,
            "{cell:?}: {} ms, fifo {}",
            figures.wait,
            fifo.wait
        );
    }
}
