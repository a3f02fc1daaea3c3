//! Compares what processes did with the scenario's expectations.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use netloom_api::event::ExpectationStatus;
use netloom_api::state::ProcessState;
use netloom_scenario::{Expectation, ExpectedExit};
use netloom_units::readable::seconds;
use netloom_units::{Duration, Time};

/// Number of bytes of an output that are searched at a time.
const PIECE: usize = 64 * 1024;

/// The times at which each instance of a process began and ended.
#[derive(Debug, Default)]
pub struct Lives(HashMap<(String, String), (Time, Option<Time>)>);

impl Lives {
    pub fn begin(&mut self, process: &str, node: &str, at: Time) {
        self.0.insert((process.into(), node.into()), (at, None));
    }

    pub fn end(&mut self, process: &str, node: &str, at: Time) {
        if let Some((_, end)) = self.0.get_mut(&(process.to_string(), node.to_string())) {
            *end = Some(at);
        }
    }

    /// Returns how long an instance lasted. `None` if it did not begin or did not end by itself.
    fn lasted(&self, process: &str, node: &str) -> Option<Duration> {
        let (begin, end) = self.0.get(&(process.to_string(), node.to_string()))?;
        Some((*end)?.since(*begin))
    }
}

/// The results of one instance that expectations refer to.
pub struct Shown<'a> {
    /// The state of the instance.
    pub state: &'a ProcessState,
    /// The times at which instances began and ended.
    pub lives: &'a Lives,
    /// The files of its output.
    pub outputs: &'a [PathBuf],
}

/// Returns whether the expectation of the process was met in `node`.
pub fn judge(expected: &Expectation, node: &str, shown: &Shown<'_>) -> ExpectationStatus {
    let lasted = shown.lives.lasted(&expected.process, node);
    let exit = expected.exit.and_then(|exit| {
        let met = match exit {
            ExpectedExit::Code(code) => *shown.state == ProcessState::Done { code },
            ExpectedExit::Running => *shown.state == ProcessState::Stopped,
        };
        (!met).then(|| format!("it is {}", shown.state))
    });
    let within = expected.within.and_then(|within| match lasted {
        Some(lasted) if lasted <= within => None,
        Some(lasted) => Some(format!("it ended after {}", seconds(lasted))),
        None => Some("it did not end by itself".to_string()),
    });
    let output = expected.output.as_ref().and_then(|text| {
        let found = shown.outputs.iter().any(|file| contains(file, text).unwrap_or(false));
        (!found).then(|| "its output has no such text".to_string())
    });
    let problems: Vec<String> = [exit, within, output].into_iter().flatten().collect();
    ExpectationStatus {
        process: expected.process.clone(),
        node: node.into(),
        expected: expected.to_string(),
        met: problems.is_empty(),
        found: problems.join(", "),
    }
}

/// Whether a file contains a text. It is read in pieces, since outputs can be long.
fn contains(file: &Path, text: &str) -> io::Result<bool> {
    let text = text.as_bytes();
    let mut file = File::open(file)?;
    let mut piece = Vec::with_capacity(PIECE + text.len());
    loop {
        let read = (&mut file).take(PIECE as u64).read_to_end(&mut piece)?;
        if piece.windows(text.len()).any(|part| part == text) {
            return Ok(true);
        }
        if read == 0 {
            return Ok(false);
        }
        // The text may begin in this piece and end in the next one.
        piece.drain(..piece.len().saturating_sub(text.len() - 1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expectation() -> Expectation {
        Expectation {
            process: "p".into(),
            nodes: vec!["a".into()],
            exit: Some(ExpectedExit::Code(137)),
            within: Some(Duration::from_secs(2)),
            output: Some("seam".into()),
        }
    }

    #[test]
    fn each_part_that_does_not_come_true_is_named() {
        let file = tempfile::NamedTempFile::new().unwrap();
        // The text crosses the border of two pieces.
        let mut text = vec![b'.'; PIECE - 2];
        text.extend_from_slice(b"seam");
        std::fs::write(&file, text).unwrap();
        let outputs = [file.path().to_path_buf()];
        let mut lives = Lives::default();
        lives.begin("p", "a", Time::from_nanos(5));
        lives.end("p", "a", Time::from_nanos(2_000_000_005));
        let judged = |state: &ProcessState, lives: &Lives, outputs: &[PathBuf]| {
            judge(&expectation(), "a", &Shown { state, lives, outputs })
        };
        let met = judged(&ProcessState::Done { code: 137 }, &lives, &outputs);
        assert!(met.met, "{met:?}");
        assert_eq!(met.expected, "exit code 137, an end within 2s, the output `seam`");
        let unmet = judged(&ProcessState::Stopped, &Lives::default(), &[]);
        let found =
            "it is stopped with the run, it did not end by itself, its output has no such text";
        assert_eq!((unmet.met, unmet.found.as_str()), (false, found));
        lives.end("p", "a", Time::from_nanos(2_000_000_006));
        let late = judged(&ProcessState::Done { code: 137 }, &lives, &outputs);
        assert_eq!(late.found, "it ended after 2.000 s");
    }
}
