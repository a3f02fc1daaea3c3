//! Search for the highest load that a machine bears, by trying loads.
//!
//! From a first guess the load grows or shrinks, in growing steps, until one load was borne and a
//! higher one was not. Then the gap is halved (in proportion) until it is narrow. A load may not be
//! borne because of something else: before the gap counts as narrow, its upper end is tried a
//! second time.

/// A search in progress.
///
/// Try [`Search::next`] and report with [`Search::record`] whether it was borne, until there is no
/// next load.
///
/// ```
/// use netloom_profile::search::{Range, Search};
///
/// let range = Range { least: 1.0, most: 1000.0, gap: 1.05, tries: 40 };
/// let mut search = Search::new(10.0, range);
/// while let Some(load) = search.next() {
///     search.record(load <= 123.0);
/// }
/// let found = search.borne().unwrap();
/// assert!(found <= 123.0 && found * 1.05 > 123.0);
/// ```
#[derive(Debug, Clone)]
pub struct Search {
    range: Range,
    /// The highest load that was borne.
    borne: Option<f64>,
    /// The lowest load above it that was not borne, and whether it was tried twice.
    beyond: Option<(f64, bool)>,
    /// Factor by which the load grows or shrinks next, while one end is open.
    stride: f64,
    next: Option<f64>,
    tries: u32,
}

/// The range of a search, in any unit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Range {
    /// The lowest load that is tried; above 0.
    pub least: f64,
    /// The highest load that is tried.
    pub most: f64,
    /// Largest gap at the end: the ratio of the load that was not borne to the one that was; above
    /// 1.
    pub gap: f64,
    /// Number of tries after which the search ends with what it has, because a machine that bears
    /// sometimes more and sometimes less has no edge.
    pub tries: u32,
}

/// The longest stride. The first one is the allowed gap.
const LONGEST_STRIDE: f64 = 8.0;

impl Search {
    /// A search that begins at `guess`, or at the nearest end of the range.
    pub fn new(guess: f64, range: Range) -> Self {
        let next = Some(guess.clamp(range.least, range.most));
        Self { range, borne: None, beyond: None, stride: range.gap, next, tries: 0 }
    }

    /// The load to try next; `None` once the search is over.
    pub fn next(&self) -> Option<f64> {
        self.next
    }

    /// The highest load that was borne so far.
    pub fn borne(&self) -> Option<f64> {
        self.borne
    }

    /// Reports whether the load to try was borne. Ignored once the search is over.
    pub fn record(&mut self, was_borne: bool) {
        let Some(tried) = self.next else { return };
        self.tries += 1;
        if was_borne {
            self.borne = Some(tried);
            if self.beyond.is_some_and(|(load, _)| load <= tried) {
                // The earlier try was disturbed.
                self.beyond = None;
                self.stride = self.range.gap;
            }
        } else {
            let again = self.beyond.is_some_and(|(load, _)| load == tried);
            self.beyond = Some((tried, again));
        }
        self.next = if self.tries < self.range.tries { self.choose() } else { None };
    }

    fn choose(&mut self) -> Option<f64> {
        let Range { least, most, gap, .. } = self.range;
        match (self.borne, self.beyond) {
            (Some(borne), None) if borne >= most => None,
            (Some(borne), None) => Some((borne * self.grow()).min(most)),
            (None, Some((beyond, again))) if beyond <= least => (!again).then_some(beyond),
            (None, Some((beyond, _))) => Some((beyond / self.grow()).max(least)),
            (Some(borne), Some((beyond, _))) if beyond > gap * borne => {
                Some((borne * beyond).sqrt())
            }
            (Some(_), Some((beyond, again))) => (!again).then_some(beyond),
            (None, None) => None,
        }
    }

    /// Returns the stride, and makes the next one longer.
    fn grow(&mut self) -> f64 {
        let stride = self.stride;
        self.stride = (stride * stride).min(LONGEST_STRIDE);
        stride
    }
}
