//! Statistics of a measured series of traffic. A series is the number of bits sent in each of equal
//! bins.
//!
//! | file | contents |
//! |---|---|
//! | `series` | bins of arrivals; mean, variance, peak |
//! | `variance_time` | variance of sums over increasing times; a hint at the Hurst parameter |
//! | `wavelet` | the Hurst parameter (Abry & Veitch 1998) |

mod series;
mod variance_time;
mod wavelet;

pub use series::{BinCount, MOST_BINS, Series};
pub use variance_time::{VariancePoint, variance_time_hurst};
pub use wavelet::{FirstOctave, HurstEstimate, NoHurst, wavelet_hurst};
