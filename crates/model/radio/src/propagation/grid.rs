//! Losses between the cells of a grid, for example those that a ray tracer computed for a whole
//! area.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{PathLoss, Route};
use crate::{Path, RadioError};

/// Losses between the cells of a grid.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct GridConfig {
    /// The file, in the format of [`LossGrid`].
    pub file: String,
}

/// The bytes of a grid of losses. They may be a memory-mapped file: nothing is copied.
///
/// All numbers are little-endian. The bytes hold the eight bytes `nl-grid1`; the smallest x, the
/// smallest y and the size of a cell in m, as 64-bit floats; the number of columns and of rows, as
/// 32-bit integers; then the losses in dB, as 32-bit floats. For each sender's cell there is one
/// loss for each receiver's cell. Cells are counted row by row, from the smallest y on. A loss that
/// is not a finite number means that nothing arrives.
#[derive(Clone)]
pub struct LossGrid {
    bytes: Arc<dyn AsRef<[u8]> + Send + Sync>,
    origin: [f64; 2],
    cell: f64,
    columns: u32,
    rows: u32,
}

const MAGIC: &[u8; 8] = b"nl-grid1";
/// Offset of the first loss, in bytes.
const HEAD: usize = 40;

impl LossGrid {
    /// Creates a grid from `bytes`.
    ///
    /// # Errors
    /// If they are not a grid, or their length does not match the number of cells.
    pub fn new(bytes: Arc<dyn AsRef<[u8]> + Send + Sync>) -> Result<Self, String> {
        let all = (*bytes).as_ref();
        let Some(head) = all.get(..HEAD).filter(|head| head.starts_with(MAGIC)) else {
            return Err("it does not begin as a grid of losses does, with `nl-grid1`".into());
        };
        let float = |at: usize| f64::from_le_bytes(array(&head[at..at + 8]));
        let number = |at: usize| u32::from_le_bytes(array(&head[at..at + 4]));
        let (origin, cell) = ([float(8), float(16)], float(24));
        let (columns, rows) = (number(32), number(36));
        if !(cell.is_finite() && cell > 0.0 && origin.iter().all(|value| value.is_finite())) {
            return Err(format!("its cells are {cell} m wide, from {origin:?} on"));
        }
        let cells = u128::from(columns) * u128::from(rows);
        let length = HEAD as u128 + 4 * cells * cells;
        if cells == 0 || all.len() as u128 != length {
            return Err(format!(
                "a grid of {columns} × {rows} cells has {length} bytes, and the file {}",
                all.len()
            ));
        }
        Ok(Self { bytes, origin, cell, columns, rows })
    }

    /// Returns the number of the cell that contains a place, or `None` if it is outside the grid.
    fn cell(&self, x: f64, y: f64) -> Option<usize> {
        let along = |value: f64, origin: f64, count: u32| {
            let place = libm::floor((value - origin) / self.cell);
            (place >= 0.0 && place < f64::from(count)).then_some(place as usize)
        };
        let column = along(x, self.origin[0], self.columns)?;
        let row = along(y, self.origin[1], self.rows)?;
        Some(row * self.columns as usize + column)
    }
}

/// Copies a slice of exactly `N` bytes into an array.
fn array<const N: usize>(bytes: &[u8]) -> [u8; N] {
    let mut array = [0; N];
    array.copy_from_slice(bytes);
    array
}

impl fmt::Debug for LossGrid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { origin, cell, columns, rows, .. } = self;
        write!(f, "LossGrid({columns} × {rows} cells of {cell} m from {origin:?} on)")
    }
}

/// The state of the model.
#[derive(Debug, Clone)]
pub(super) struct Grid(LossGrid);

impl Grid {
    pub fn new(config: &GridConfig, grid: Option<&LossGrid>) -> Result<Self, RadioError> {
        let grid = grid.ok_or_else(|| RadioError::unread(Some(&config.file)))?;
        Ok(Self(grid.clone()))
    }
}

impl PathLoss for Grid {
    fn path(&self, route: &Route) -> Option<Path> {
        let grid = &self.0;
        let from = grid.cell(route.start.x, route.start.y)?;
        let to = grid.cell(route.end.x, route.end.y)?;
        let cells = grid.columns as usize * grid.rows as usize;
        let at = HEAD + 4 * (from * cells + to);
        let loss = f32::from_le_bytes(array((*grid.bytes).as_ref().get(at..at + 4)?));
        loss.is_finite().then(|| Path::decodable(f64::from(loss)))
    }

    fn farthest(&self, _: f64, _: f64) -> Option<f64> {
        let grid = &self.0;
        Some(libm::hypot(f64::from(grid.columns), f64::from(grid.rows)) * grid.cell)
    }
}
