//! The settings of small pipes, as a Parquet file with a row for each period and pipe.

use std::io::Write;

use anyhow::Result;
use netloom_columnar::{Cell, Column, Kind, Parquet, Table};
use netloom_units::Duration;

use super::{Applied, Order, Shrunk};

const COLUMNS: &[Column<'static>] = &[
    ("time_ns", Kind::Number),
    ("period", Kind::Number),
    ("pipe", Kind::Name),
    ("offered", Kind::Number),
    ("lost", Kind::Number),
    ("left", Kind::Number),
    ("w_ns", Kind::Number),
    ("w1_ns", Kind::Number),
    ("w2_ns", Kind::Number),
    ("departures_per_1000s", Kind::Number),
    ("loss_ppb", Kind::Number),
    ("service_rate_per_1000s", Kind::MaybeNumber),
    ("set_rate_per_1000s", Kind::MaybeNumber),
    ("hold_ns", Kind::MaybeNumber),
    ("computed_ns", Kind::Number),
    ("real_offered", Kind::Number),
    ("real_lost", Kind::Number),
    ("real_left", Kind::Number),
];

/// The file, while a run writes it.
pub struct CalibrationFile<W: Write + Send> {
    table: Box<Parquet<W>>,
}

impl<W: Write + Send> CalibrationFile<W> {
    /// Begins the file.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn new(file: W) -> Result<Self> {
        Ok(Self { table: Box::new(Parquet::new(file, "calibration", COLUMNS)?) })
    }

    /// Adds the results of a period's reports.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn add(
        &mut self,
        period: u64,
        shrunk: &Shrunk,
        orders: &[Order],
        applied: &Applied,
    ) -> Result<()> {
        let all = shrunk.pipes.iter().zip(orders).zip(&applied.pipes);
        for ((pipe, order), real) in all {
            let calibration = &order.calibration;
            let setting = order.setting(real.backlog);
            let number = |value: u64| Cell::Number(value);
            let time = |time: Duration| Cell::Number(time.as_nanos());
            self.table.row(&[
                number(applied.at.as_nanos()),
                number(period),
                Cell::Name(&pipe.name),
                number(order.offered.into()),
                number(order.lost.into()),
                number(order.left.into()),
                number((calibration.time * 1e9).round() as u64),
                time(calibration.backlog),
                time(real.backlog),
                number((calibration.departures * 1000.0).round() as u64),
                number((calibration.loss * 1e9).round() as u64),
                per_1000s(setting.map(|_| calibration.rate)),
                per_1000s(setting.map(|setting| setting.rate)),
                setting.map(|setting| setting.hold.as_nanos()).into(),
                time(applied.took),
                number(real.offered),
                number(real.lost),
                number(real.left),
            ])?;
        }
        Ok(())
    }

    /// Writes the rest of the file.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn finish(self) -> Result<()> {
        Ok(self.table.finish()?)
    }
}

/// Returns a rate as a cell. The cell is empty if the rate is infinite.
fn per_1000s(rate: Option<f64>) -> Cell<'static> {
    rate.filter(|rate| rate.is_finite()).map(|rate| (rate * 1000.0).round() as u64).into()
}
