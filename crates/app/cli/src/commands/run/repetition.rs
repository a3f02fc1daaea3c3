//! The runs of `--repeat`: their seeds and folders, and what became of all of them.

use std::fmt;
use std::num::NonZeroU32;

use anyhow::Result;
use netloom_monitor::Judgement;

use crate::{exit, output};

/// One of several runs.
pub struct Repetition {
    /// Which one, from 1 on.
    pub number: usize,
    /// How many there are.
    pub of: usize,
    /// Its seed.
    pub seed: u64,
}

impl Repetition {
    /// Returns `count` runs, of which the first has the seed `first`, and each other one the next.
    /// `None` if nothing is repeated.
    ///
    /// # Errors
    /// If there are not so many seeds.
    pub fn all(count: Option<NonZeroU32>, first: u64) -> Result<Option<Vec<Self>>> {
        let Some(count) = count else { return Ok(None) };
        let of = count.get() as usize;
        if first.checked_add(u64::from(count.get()) - 1).is_none() {
            return Err(exit::usage(format!(
                "there are not {count} seeds from {first} on: take a smaller one"
            )));
        }
        let seeds = (first..=u64::MAX).take(of).enumerate();
        Ok(Some(seeds.map(|(index, seed)| Self { number: index + 1, of, seed }).collect()))
    }

    /// Returns the name of its folder. The names of all are in the order of the runs.
    pub fn folder(&self) -> String {
        format!("{:0width$}", self.number, width = self.of.to_string().len().max(2))
    }

    /// Prints how it ended: the first of `lines` behind its number, the others below. A quiet
    /// command shows failures only.
    pub fn show(&self, lines: &[String], passed: bool) {
        if passed && output::is_quiet() {
            return;
        }
        let mut lines = lines.iter();
        println!("{self}: {}", lines.next().map_or("", String::as_str));
        lines.for_each(|line| println!("{line}"));
    }
}

impl fmt::Display for Repetition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "run {} of {}, seed {}", self.number, self.of, self.seed)
    }
}

/// What became of all runs. Displays as one line.
pub struct Outcome {
    of: usize,
    done: usize,
    /// Number and seed of each that failed.
    failed: Vec<(usize, u64)>,
    /// Number of runs whose verdict is `invalid`, and of those whose verdict is `suspect`.
    invalid: usize,
    suspect: usize,
    code: i32,
    interrupted: Option<i32>,
}

impl Outcome {
    /// Of so many runs, none of which has ended yet.
    pub fn of(of: usize) -> Self {
        let (done, invalid, suspect) = (0, 0, 0);
        Self {
            of,
            done,
            failed: Vec::new(),
            invalid,
            suspect,
            code: exit::SUCCESS,
            interrupted: None,
        }
    }

    /// Adds a run that has ended with an exit code. Returns whether it has failed.
    pub fn add(&mut self, repetition: &Repetition, code: i32) -> bool {
        self.done += 1;
        let has_failed = code != exit::SUCCESS;
        if has_failed {
            self.failed.push((repetition.number, repetition.seed));
        }
        if self.code == exit::SUCCESS {
            self.code = code;
        }
        has_failed
    }

    /// Adds the verdict of a run, if it was judged.
    pub fn judged(&mut self, judgement: Option<Judgement>) {
        self.invalid += usize::from(judgement == Some(Judgement::Invalid));
        self.suspect += usize::from(judgement == Some(Judgement::Suspect));
    }

    /// Records that a signal has ended all.
    pub fn interrupted(&mut self, code: i32) {
        self.interrupted = Some(code);
    }

    /// Returns the exit code: that of the signal, or of the first run that failed.
    pub fn code(&self) -> i32 {
        self.interrupted.unwrap_or(self.code)
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.interrupted.is_some() {
            write!(f, "interrupted after {} of {} runs: ", self.done, self.of)?;
        }
        if self.failed.is_empty() {
            write!(f, "{} of {} passed", self.done, self.done)?;
        } else {
            let run = |(number, seed): &(usize, u64)| format!("run {number} (seed {seed})");
            let runs = self.failed.iter().map(run).collect::<Vec<_>>().join(", ");
            write!(f, "{} of {} failed: {runs}", self.failed.len(), self.done)?;
        }
        let verdicts = [(self.invalid, Judgement::Invalid), (self.suspect, Judgement::Suspect)];
        let some = verdicts.iter().filter(|(runs, _)| *runs > 0);
        let some: Vec<String> = some.map(|(runs, word)| format!("{runs} {word}")).collect();
        if some.is_empty() { Ok(()) } else { write!(f, "; {}", some.join(", ")) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(count: u32, first: u64) -> Vec<Repetition> {
        Repetition::all(NonZeroU32::new(count), first).unwrap().unwrap()
    }

    #[test]
    fn folders_sort_as_runs_do_and_seeds_follow_each_other() {
        let runs = all(120, 7);
        let folders: Vec<String> = runs.iter().map(Repetition::folder).collect();
        assert!(folders.is_sorted() && folders[0] == "001", "{folders:?}");
        assert!(runs.iter().zip(7..).all(|(run, seed)| run.seed == seed));
        assert_eq!(all(3, 1)[0].folder(), "01");
        assert!(Repetition::all(NonZeroU32::new(2), u64::MAX).is_err());
        assert_eq!(all(1, u64::MAX).len(), 1);
    }

    #[test]
    fn verdicts_are_counted_behind_the_outcome() {
        let mut outcome = Outcome::of(4);
        for run in all(4, 5) {
            outcome.add(&run, exit::SUCCESS);
        }
        outcome.judged(Some(Judgement::Valid));
        outcome.judged(None);
        assert_eq!(outcome.to_string(), "4 of 4 passed");
        outcome.judged(Some(Judgement::Suspect));
        assert_eq!(outcome.to_string(), "4 of 4 passed; 1 suspect");
        outcome.judged(Some(Judgement::Invalid));
        outcome.judged(Some(Judgement::Suspect));
        assert_eq!(outcome.to_string(), "4 of 4 passed; 1 invalid, 2 suspect");
    }

    #[test]
    fn the_first_failure_decides_and_a_signal_wins() {
        let mut outcome = Outcome::of(4);
        let codes = [exit::SUCCESS, exit::INVALID, exit::RUN_FAILED];
        let failed: Vec<bool> =
            all(4, 5).iter().zip(codes).map(|(run, code)| outcome.add(run, code)).collect();
        assert_eq!(failed, [false, true, true]);
        assert_eq!(outcome.to_string(), "2 of 3 failed: run 2 (seed 6), run 3 (seed 7)");
        assert_eq!(outcome.code(), exit::INVALID);
        outcome.interrupted(exit::INTERRUPTED);
        assert!(outcome.to_string().starts_with("interrupted after 3 of 4 runs: 2 of 3 failed"));
        assert_eq!(outcome.code(), exit::INTERRUPTED);
    }
}
