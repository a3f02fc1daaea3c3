//! A clock as a function of true time, in pieces of constant rate.

use netloom_clock::Steering;

/// True time in ns.
pub type True = f64;

pub const SECOND: f64 = 1e9;

/// Something that happens to a clock.
#[derive(Debug, Clone, Copy)]
pub struct Change {
    pub at: True,
    /// What the kernel reports from then on.
    pub steering: Steering,
    /// What the clock really gains by that, in ppb.
    pub gains: f64,
    /// ns that the clock jumps ahead by.
    pub jump: f64,
}

impl Change {
    /// The kernel sets a rate.
    pub fn rate(at: True, ppb: i32) -> Self {
        Self { at, steering: Steering { rate: ppb, slew: 0 }, gains: f64::from(ppb), jump: 0.0 }
    }
}

struct Piece {
    from: True,
    /// What the clock shows at `from`, less its base.
    shows: f64,
    /// ns of the clock per ns of true time.
    rate: f64,
    steering: Steering,
}

pub struct Clock {
    base: i64,
    pieces: Vec<Piece>,
}

/// How long an oscillator keeps its rate.
const TICK: f64 = SECOND / 10.0;

impl Clock {
    /// A clock that shows `base` at first. `oscillator` is its relative error in rate at a time.
    pub fn new(
        base: i64,
        until: True,
        oscillator: impl Fn(True) -> f64,
        mut changes: Vec<Change>,
    ) -> Self {
        changes.sort_by(|a, b| a.at.total_cmp(&b.at));
        let mut now = Change::rate(0.0, 0);
        let first =
            Piece { from: 0.0, shows: 0.0, rate: 1.0 + oscillator(0.0), steering: now.steering };
        let mut clock = Self { base, pieces: vec![first] };
        let mut changes = changes.into_iter().peekable();
        let mut at = 0.0;
        while at < until {
            let tick = ((at / TICK).floor() + 1.0) * TICK;
            let change = changes.next_if(|change| change.at < tick);
            at = change.map_or(tick, |change| change.at.max(at));
            let jump = change.map_or(0.0, |change| change.jump);
            now = change.unwrap_or(now);
            let shows = clock.pieces.last().unwrap().shows(at) + jump;
            let rate = (1.0 + oscillator(at)) * (1.0 + now.gains * 1e-9);
            clock.pieces.push(Piece { from: at, shows, rate, steering: now.steering });
        }
        clock
    }

    fn piece(&self, at: True) -> &Piece {
        let after = self.pieces.partition_point(|piece| piece.from <= at);
        &self.pieces[after - 1]
    }

    pub fn shows(&self, at: True) -> i64 {
        self.base + self.piece(at).shows(at).floor() as i64
    }

    pub fn steering(&self, at: True) -> Steering {
        self.piece(at).steering
    }
}

impl Piece {
    fn shows(&self, at: True) -> f64 {
        self.shows + self.rate * (at - self.from)
    }
}
