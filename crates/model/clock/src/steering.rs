//! How fast a kernel makes its clock run, as `adjtimex(2)` reports it.

use crate::span::Span;

/// What `adjtimex(2)` with `modes: 0` fills in, and what is left of an `adjtime(3)`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kernel {
    /// `freq`: frequency offset in 2⁻¹⁶ ppm.
    pub frequency: i64,
    /// `tick`: µs that the clock advances in 10 ms.
    pub tick: i64,
    /// `offset`: offset that the phase-locked loop still removes, in ns. With `STA_NANO` unset in
    /// `status`, the kernel gives µs.
    pub offset: i64,
    /// `constant`: time constant of the phase-locked loop.
    pub constant: i64,
    /// What is left of an `adjtime(3)` in µs (`modes: ADJ_OFFSET_SS_READ`).
    pub adjtime: i64,
}

/// How fast a kernel makes its clock run compared with its oscillator, in ppb. It fits on a wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Steering {
    /// What the clock gains by frequency and tick. 83,333,000 ppb is the most that chrony sets.
    pub rate: i32,
    /// How far from `rate` it runs at most while the kernel removes an offset by itself: that fades
    /// without another setting.
    pub slew: u32,
}

/// Rate of a single `adjtime(3)` in ppb (`MAX_TICKADJ` of `kernel/time/ntp.c`).
const ADJTIME: i64 = 500_000;
/// ppb that a µs of tick is.
const TICK: i64 = 100_000;
/// Nominal tick in µs.
const NOMINAL_TICK: i64 = 10_000;
/// `SHIFT_PLL` of `kernel/time/ntp.c`.
const SHIFT_PLL: i64 = 2;
/// `MAXTC` of `kernel/time/ntp.c`.
const GREATEST_CONSTANT: i64 = 10;
/// How far the rate of a clock may be from what the kernel reports, in ppb: our rounding to ppb,
/// and the kernel's to the resolution of its multiplier.
const ROUNDING: f64 = 10.0;

impl Kernel {
    /// Returns the rate at which this kernel's clock runs.
    pub fn steering(&self) -> Steering {
        let frequency = self.frequency.saturating_mul(1000) >> 16;
        let tick = self.tick.saturating_sub(NOMINAL_TICK).saturating_mul(TICK);
        // The loop removes this part of the offset each second (`ntp_offset_chunk`): ns/s are ppb.
        let shift = SHIFT_PLL + self.constant.clamp(0, GREATEST_CONSTANT);
        let adjtime = if self.adjtime == 0 { 0 } else { ADJTIME };
        let slew = (self.offset.saturating_abs() >> shift).saturating_add(adjtime) + 1;
        let is_slewing = self.offset != 0 || self.adjtime != 0;
        Steering {
            rate: clamped(frequency.saturating_add(tick)),
            slew: if is_slewing { clamped(slew).unsigned_abs() } else { 0 },
        }
    }
}

/// Greatest rate in ppb that is believed. Kernels accept ±10 % of tick, and 12.5 % of slewing.
const GREATEST: i32 = 250_000_000;

fn clamped(ppb: i64) -> i32 {
    ppb.clamp(-i64::from(GREATEST), i64::from(GREATEST)) as i32
}

impl Steering {
    /// Range of the factor by which the clock runs faster than its oscillator.
    fn factor(self) -> Span {
        let rate = f64::from(self.rate.clamp(-GREATEST, GREATEST));
        let slew = f64::from(self.slew.min(GREATEST.unsigned_abs())) + ROUNDING;
        Span { low: 1.0 + (rate - slew) * 1e-9, high: 1.0 + (rate + slew) * 1e-9 }
    }

    /// Range of the ratio of the factors of two clocks, theirs by ours.
    pub(crate) fn ratio(ours: Self, theirs: Self) -> Span {
        theirs.factor() / ours.factor()
    }
}
