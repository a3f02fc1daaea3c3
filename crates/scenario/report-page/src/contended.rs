//! Contentions of a verdict: their order, their grades, and their letters on the page.

use netloom_monitor::{Episode, Judgement, SignalReport, Span, Verdict};
use netloom_units::Time;

/// Letters of contentions with bands. Further contentions are only in the table of signals.
const LETTERS: &str = "ABCDEFGHIJKL";

/// Severity of an episode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Grade {
    /// The episode ended before the warm-up was over, and does not count.
    WarmUp,
    /// The episode explains an impairment, or makes the run suspect.
    Suspect,
    /// The episode makes the run invalid, or must be left out.
    Invalid,
}

impl Grade {
    /// All grades.
    pub const ALL: [Self; 3] = [Self::WarmUp, Self::Suspect, Self::Invalid];

    /// Returns the class in the style sheet.
    pub fn class(self) -> &'static str {
        match self {
            Self::WarmUp => "warmup",
            Self::Suspect => "suspect",
            Self::Invalid => "invalid",
        }
    }

    /// Returns the name for people.
    pub fn name(self) -> &'static str {
        match self {
            Self::WarmUp => "while warming up: does not count",
            Self::Suspect => "contended",
            Self::Invalid => "to be left out",
        }
    }
}

/// Returns the times of a verdict that must be left out.
pub fn bad(verdict: &Verdict) -> impl Iterator<Item = Band> {
    let band =
        |span: &Span| Band { letter: None, grade: Grade::Invalid, from: span.from, to: span.to };
    verdict.bad.iter().map(band)
}

/// A signal of a resource, and its contention.
pub struct Row<'a> {
    /// Letter, if it is one of the first that were contended.
    pub letter: Option<char>,
    /// Report of the signal.
    pub report: &'a SignalReport,
    /// Grade of the most severe episode, if there was one.
    pub grade: Option<Grade>,
    counted: Grade,
}

/// A time that is marked in charts.
#[derive(Debug, Clone, Copy)]
pub struct Band {
    /// Letter of the contention, if it has one.
    pub letter: Option<char>,
    /// Grade of the contention.
    pub grade: Grade,
    /// Beginning.
    pub from: Time,
    /// End.
    pub to: Time,
}

impl Row<'_> {
    /// Returns the times when the signal was contended.
    pub fn bands(&self) -> impl Iterator<Item = Band> {
        let counted = self.counted;
        let band = move |(letter, episode): (char, &Episode)| Band {
            letter: Some(letter),
            grade: if episode.warm_up { Grade::WarmUp } else { counted },
            from: episode.from,
            to: episode.to,
        };
        let lettered = |letter| self.report.episodes.iter().map(move |episode| (letter, episode));
        self.letter.into_iter().flat_map(lettered).map(band)
    }
}

/// Returns all signals of a verdict: the most severe first, then those that came nearest to their
/// threshold.
pub fn rows(verdict: &Verdict) -> Vec<Row<'_>> {
    let mut rows: Vec<Row<'_>> =
        verdict.signals.iter().map(|report| row(verdict, report)).collect();
    let margin = |row: &Row<'_>| row.report.margin.unwrap_or(f64::INFINITY);
    rows.sort_by(|a, b| {
        b.grade
            .cmp(&a.grade)
            .then(b.report.held.cmp(&a.report.held))
            .then(margin(a).total_cmp(&margin(b)))
    });
    for (row, letter) in rows.iter_mut().filter(|row| row.grade.is_some()).zip(LETTERS.chars()) {
        row.letter = Some(letter);
    }
    rows
}

fn row<'a>(verdict: &Verdict, report: &'a SignalReport) -> Row<'a> {
    let found = verdict.findings.iter().find(|finding| {
        finding.signal == report.signal
            && finding.on.as_ref() == Some(&report.on)
            && finding.machine == report.machine
    });
    let counted = match found.map(|finding| finding.judgement) {
        Some(Judgement::Invalid) => Grade::Invalid,
        Some(Judgement::Suspect | Judgement::Valid) | None => Grade::Suspect,
    };
    let grade = match (report.counted().next(), report.episodes.first()) {
        (Some(_), _) => Some(counted),
        (None, Some(_)) => Some(Grade::WarmUp),
        (None, None) => None,
    };
    Row { letter: None, report, grade, counted }
}
