//! Loss of every n-th frame.

/// Counts frames up to the next loss.
#[derive(Debug)]
pub(super) struct Counter {
    n: u32,
    passed: u32,
}

impl Counter {
    /// Creates a counter that loses the `n`th frame, the `2n`th and so on.
    pub fn new(n: u32) -> Self {
        Self { n, passed: 0 }
    }

    /// Decides whether the next frame is lost.
    pub fn next(&mut self) -> bool {
        self.passed += 1;
        let lost = self.passed >= self.n;
        if lost {
            self.passed = 0;
        }
        lost
    }
}
