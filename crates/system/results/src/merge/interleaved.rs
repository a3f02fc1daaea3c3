//! Entries of several machines in the order of their times.

use anyhow::Error;
use netloom_units::Time;

/// Entries of several sources, by time. Entries of one time are in the order of the sources. Each
/// source keeps its own order. A source ends where it fails.
pub(super) struct Interleaved<T, S> {
    sources: Vec<Source<T, S>>,
    failures: Vec<(usize, Error)>,
}

struct Source<T, S> {
    member: usize,
    entries: S,
    next: Option<(Option<Time>, T)>,
}

impl<T, S: Iterator<Item = Result<(Option<Time>, T), Error>>> Interleaved<T, S> {
    /// Sources with the numbers of their machines. Entries with no time come as early as they can.
    pub fn new(sources: impl IntoIterator<Item = (usize, S)>) -> Self {
        let mut all = Self { sources: Vec::new(), failures: Vec::new() };
        for (member, entries) in sources {
            all.sources.push(Source { member, entries, next: None });
            all.fill(all.sources.len() - 1);
        }
        all
    }

    /// The time of the next entry.
    pub fn time(&self) -> Option<Option<Time>> {
        self.sources.iter().filter_map(|source| source.next.as_ref()).map(|next| next.0).min()
    }

    /// What failed, with the numbers of the machines.
    pub fn into_failures(self) -> Vec<(usize, Error)> {
        self.failures
    }

    fn fill(&mut self, place: usize) {
        let source = &mut self.sources[place];
        source.next = match source.entries.next() {
            Some(Ok(entry)) => Some(entry),
            Some(Err(error)) => {
                self.failures.push((source.member, error));
                None
            }
            None => None,
        };
    }
}

impl<T, S: Iterator<Item = Result<(Option<Time>, T), Error>>> Iterator for Interleaved<T, S> {
    /// The number of the machine, the time, and the entry.
    type Item = (usize, Option<Time>, T);

    fn next(&mut self) -> Option<Self::Item> {
        let known = self.sources.iter().enumerate();
        let known = known.filter_map(|(place, source)| Some((source.next.as_ref()?.0, place)));
        let (_, place) = known.min()?;
        let source = &mut self.sources[place];
        let (time, entry) = source.next.take()?;
        let member = source.member;
        self.fill(place);
        Some((member, time, entry))
    }
}
