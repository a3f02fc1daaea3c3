//! The contentions of a verdict: in which order, how grave, and by which letter they go on the
//! page.

use netloom_monitor::{Episode, Judgement, SignalReport, Span, Verdict};
use netloom_units::Time;

/// So many contentions get a letter and bands; the others are in the table of signals.
const LETTERS: &str = "ABCDEFGHIJKL";

/// How grave an episode is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Grade {
    /// It ended before the run had warmed up, and does not count.
    WarmUp,
    /// It explains what suffered, or makes the run suspect.
    Suspect,
    /// It makes the run invalid, or is to be left out.
    Invalid,
}

impl Grade {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::WarmUp, Self::Suspect, Self::Invalid];

    /// Its class in the style sheet.
    pub fn class(self) -> &'static str {
        match self {
            Self::WarmUp => "warmup",
            Self::Suspect => "suspect",
            Self::Invalid => "invalid",
        }
    }

    /// Its name for people.
    pub fn name(self) -> &'static str {
        match self {
            Self::WarmUp => "while warming up: does not count",
            Self::Suspect => "contended",
            Self::Invalid => "to be left out",
        }
    }
}

/// The letter of times to be left out.
const BAD: char = '!';

/// The times of a verdict that are to be left out.
pub fn bad(verdict: &Verdict) -> impl Iterator<Item = Band> {
    let band =
        |span: &Span| Band { letter: BAD, grade: Grade::Invalid, from: span.from, to: span.to };
    verdict.bad.iter().map(band)
}

/// A signal on a resource, and what it has come to.
pub struct Row<'a> {
    /// Its letter, if it is one of the first that were contended.
    pub letter: Option<char>,
    /// The signal.
    pub report: &'a SignalReport,
    /// How grave its gravest episode is; nothing if there was none.
    pub grade: Option<Grade>,
    counted: Grade,
}

/// A time that is marked.
pub struct Band {
    /// Of which contention.
    pub letter: char,
    /// How grave.
    pub grade: Grade,
    /// From when.
    pub from: Time,
    /// To when.
    pub to: Time,
}

impl Row<'_> {
    /// When it was contended.
    pub fn bands(&self) -> impl Iterator<Item = Band> {
        let counted = self.counted;
        let band = move |(letter, episode): (char, &Episode)| Band {
            letter,
            grade: if episode.warm_up { Grade::WarmUp } else { counted },
            from: episode.from,
            to: episode.to,
        };
        let lettered = |letter| self.report.episodes.iter().map(move |episode| (letter, episode));
        self.letter.into_iter().flat_map(lettered).map(band)
    }
}

/// All signals of a verdict: the gravest first, then those that came nearest to their threshold.
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
    let found = verdict
        .findings
        .iter()
        .find(|finding| finding.signal == report.signal && finding.on.as_ref() == Some(&report.on));
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
