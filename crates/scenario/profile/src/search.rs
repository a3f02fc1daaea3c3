//! The highest load that a machine bears, from loads that it bore and did not bear.
//!
//! From a first guess the load grows or shrinks, in steps that grow, until one load was borne and a
//! higher one was not; then the gap is halved (in proportion) until it is narrow. What was not
//! borne may have been disturbed by something else: before the gap counts as narrow, its upper end
//! is tried a second time.

/// A search under way.
///
/// Try [`Search::next`] and say what became of it with [`Search::tell`], until there is no next.
#[derive(Debug, Clone)]
pub struct Search {
    range: Range,
    /// The highest load that was borne.
    borne: Option<f64>,
    /// The lowest load above it that was not, and whether it was tried twice.
    beyond: Option<(f64, bool)>,
    /// By which factor the load grows or shrinks next while one side is open.
    stride: f64,
    next: Option<f64>,
    tries: u32,
}

/// What to search, in any unit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Range {
    /// The least load that is tried; above 0.
    pub least: f64,
    /// The most.
    pub most: f64,
    /// How wide the gap may be in the end: the load that was not borne over the one that was;
    /// above 1.
    pub gap: f64,
    /// After so many tries the search is over, with what it has: a machine that bears now more and
    /// now less has no edge.
    pub tries: u32,
}

/// The longest stride; the first one is as wide as the gap may be.
const LONGEST_STRIDE: f64 = 8.0;

impl Search {
    /// A search that begins at `guess`, or at the end of the range that is nearest to it.
    pub fn new(guess: f64, range: Range) -> Self {
        let next = Some(guess.clamp(range.least, range.most));
        Self { range, borne: None, beyond: None, stride: range.gap, next, tries: 0 }
    }

    /// The load to try next; nothing once the search is over.
    pub fn next(&self) -> Option<f64> {
        self.next
    }

    /// The highest load that was borne, so far.
    pub fn borne(&self) -> Option<f64> {
        self.borne
    }

    /// Says whether the load to try was borne. Of no effect once the search is over.
    pub fn tell(&mut self, was_borne: bool) {
        let Some(tried) = self.next else { return };
        self.tries += 1;
        if was_borne {
            self.borne = Some(tried);
            if self.beyond.is_some_and(|(load, _)| load <= tried) {
                // It had been disturbed.
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

    /// The stride, and from now on a longer one.
    fn grow(&mut self) -> f64 {
        let stride = self.stride;
        self.stride = (stride * stride).min(LONGEST_STRIDE);
        stride
    }
}
