//! Losses and error rates that are read from files.

use std::sync::Arc;

use netloom_radio::{
    ErrorTable, LossGrid, Modulation, PairLosses, Radio, Surroundings, milliwatts,
};
use netloom_units::{DataFormat, Duration, FileFault, Rate, Time};

use crate::common::{at, close, config, end};

fn at_seconds(seconds: u64) -> Time {
    Time::ZERO + Duration::from_secs(seconds)
}

fn matrix(text: &str, keys: &str) -> Result<Radio, String> {
    let json = format!(r#"{{"propagation": {{"matrix": {{"file": "m.csv"{keys}}}}}}}"#);
    let mut config = config(&json);
    config.load::<()>(&mut |_| Ok(text.into())).map_err(|errors| match &errors[0].cause {
        FileFault::Malformed(error) => error.to_string(),
        FileFault::Unreadable(()) => "unreadable".into(),
    })?;
    let given = Surroundings { names: &["a", "b", "c"], ..Surroundings::default() };
    Radio::new(&config, &given).map_err(|error| error.to_string())
}

#[test]
fn matrices_have_steps_or_lines() {
    let text = "time,from,to,dB\n0,a,b,80\n10,a,b,90\n5,b,a,70\n";
    let loss = |radio: &Radio, seconds, from, to| {
        radio.loss(at_seconds(seconds), &end(from, 0.0), &end(to, 1.0))
    };
    let steps = matrix(text, "").unwrap();
    for (seconds, expected) in [(0, 80.0), (9, 80.0), (10, 90.0), (1000, 90.0)] {
        assert_eq!(loss(&steps, seconds, 0, 1), Some(expected), "{seconds}");
    }
    assert_eq!([4, 5].map(|seconds| loss(&steps, seconds, 1, 0)), [None, Some(70.0)]);
    assert_eq!(loss(&steps, 0, 0, 2), None);
    assert_eq!(steps.farthest(100.0, 1.5), None);
    let linear = matrix(text, r#", "between": "linear""#).unwrap();
    close(loss(&linear, 5, 0, 1).unwrap(), 85.0, 1e-9);
    assert_eq!(loss(&linear, 11, 0, 1), Some(90.0));
}

#[test]
fn event_logs_of_emane_are_read() {
    let text = "# a log\n-Inf nem:1 pathloss nem:2,90.0 nem:3,95.5,99\n\
                0.0 nem:1 location gps 40.0,-74.5,3.0\n30.0 nem:2 pathloss nem:1,60\n";
    let radio = matrix(text, r#", "nodes": {"1": "a", "2": "b", "3": "c"}"#).unwrap();
    let loss = |seconds, from, to| radio.loss(at_seconds(seconds), &end(from, 0.0), &end(to, 1.0));
    assert_eq!([loss(0, 0, 1), loss(0, 1, 0)], [Some(90.0); 2]);
    assert_eq!([loss(0, 2, 0), loss(0, 0, 2)], [Some(95.5), Some(99.0)]);
    assert_eq!([loss(30, 0, 1), loss(30, 1, 0)], [Some(60.0); 2]);
    let PairLosses(steps) = PairLosses::parse(text).unwrap();
    assert_eq!(steps.len(), 6);
}

/// `nodes` leads from the file's names to nodes. A list that leads the other way is recognised.
#[test]
fn names_of_a_matrix_lead_from_the_file_to_nodes() {
    let text = "0,1,2,80\n";
    let with = |nodes: &str| matrix(text, &format!(r#", "nodes": {nodes}"#));
    assert!(with(r#"{"1": "a", "2": "b"}"#).is_ok());
    // The file need not have all nodes.
    assert!(with(r#"{"1": "a", "2": "b", "3": "c"}"#).is_ok());
    for (nodes, part) in [
        (r#"{"a": "1", "b": "2"}"#, "the file has no `a`; its names are `1`, `2`; write `1: a`"),
        (r#"{"1": "a", "b": "2"}"#, "the file has no `b`; its names are `1`, `2`; write `2: b`"),
        (r#"{"7": "a", "8": "b"}"#, "the file has no `7`; its names are `1`, `2`"),
        (r#"{"1": "a", "2": "a"}"#, "both `1` and `2` of the file are `a`"),
        (r#"{"1": "a", "2": "z"}"#, "`z`, too, which is no station here"),
    ] {
        let error = with(nodes).unwrap_err();
        assert!(error.contains(part), "{nodes}: {error}");
    }
}

#[test]
fn what_is_wrong_with_losses_is_said() {
    for (text, part) in [
        ("0,a,b", "line 1: `0,a,b` is not `time,from,to,dB`"),
        ("0,a,b,80\nx,a,b,80", "line 2: `x` is no time"),
        ("0,a,b,1e9", "no loss from -1000 to 1000 dB"),
        ("0,a,b,nan", "no loss"),
        ("-1,a,b,80", "no time from 0"),
        ("", "at least one"),
        ("0 nem:1 pathloss x:2,3", "is not `nem:ID`"),
        ("0,a,d,80", "`d`, too, which is no station here; stations are `a`, `b`, `c`"),
    ] {
        let error = matrix(text, "").unwrap_err();
        assert!(error.contains(part), "{text}: {error}");
    }
}

/// Returns a grid of two columns with cells of 10 m, which has four losses.
fn grid(losses: [f32; 4]) -> Vec<u8> {
    let mut bytes = b"nl-grid1".to_vec();
    bytes.extend([0.0f64, 0.0, 10.0].iter().flat_map(|value| value.to_le_bytes()));
    bytes.extend([2u32, 1].iter().flat_map(|value| value.to_le_bytes()));
    bytes.extend(losses.iter().flat_map(|value| value.to_le_bytes()));
    bytes
}

#[test]
fn grids_have_losses_between_cells() {
    let bytes = grid([1.0, 2.0, 3.0, f32::INFINITY]);
    let losses = LossGrid::new(Arc::new(bytes.clone())).unwrap();
    let given = Surroundings { grid: Some(&losses), ..Surroundings::default() };
    let config = config(r#"{"propagation": {"grid": {"file": "g.bin"}}}"#);
    let radio = Radio::new(&config, &given).unwrap();
    let loss = |from: f64, to: f64| radio.loss(Time::ZERO, &at(0, from, 5.0), &at(1, to, 5.0));
    assert_eq!(
        [loss(5.0, 6.0), loss(5.0, 15.0), loss(15.0, 5.0), loss(15.0, 16.0), loss(5.0, 25.0)],
        [Some(1.0), Some(2.0), Some(3.0), None, None]
    );
    assert!(Radio::new(&config, &Surroundings::default()).is_err());
    for (bytes, part) in [
        (bytes[..52].to_vec(), "has 56 bytes, and the file 52"),
        (b"nl-grid2".to_vec(), "does not begin"),
        (Vec::new(), "does not begin"),
    ] {
        let error = LossGrid::new(Arc::new(bytes)).unwrap_err();
        assert!(error.contains(part), "{error}");
    }
}

#[test]
fn measured_errors_replace_formulas() {
    let text = "rate,snr,bytes,loss\n11Mbit/s,5,1000,1\n11Mbit/s,10,1000,0.5\n11Mbit/s,15,1000,0\n";
    let table = ErrorTable::parse(text).unwrap();
    let rate: Rate = "11Mbit/s".parse().unwrap();
    let loss = |snr: f64| {
        let log = table.log_success(rate, milliwatts(snr)).unwrap();
        1.0 - (8000.0 * log).exp()
    };
    for (snr, expected) in [(0.0, 1.0), (7.5, 0.75), (10.0, 0.5), (12.5, 0.25), (20.0, 0.0)] {
        close(loss(snr), expected, 1e-9);
    }
    let mut config = config(r#"{"error_table": "t.csv"}"#);
    assert!(Radio::new(&config, &Surroundings::default()).is_err());
    config.load::<()>(&mut |_| Ok(text.into())).unwrap();
    let radio = Radio::new(&config, &Surroundings::default()).unwrap();
    assert_eq!(radio.log_success(Modulation::Cck11, milliwatts(20.0)), 0.0);
    let formula = Modulation::Ofdm6.log_success(2.0);
    assert_eq!(radio.log_success(Modulation::Ofdm6, 2.0), formula);
    for (text, part) in [
        ("11Mbit/s,1,1000,2", "makes no sense"),
        ("11,1,1000,0", "has no unit"),
        ("11Mbit/s,1,10,0\n11Mbit/s,2,20,0", "different lengths"),
        ("11Mbit/s,1,10,0\n11Mbit/s,1,10,1", "two losses at 1 dB"),
        ("a,b", "line 1"),
    ] {
        let error = ErrorTable::parse(text).unwrap_err().to_string();
        assert!(error.contains(part), "{text}: {error}");
    }
}
