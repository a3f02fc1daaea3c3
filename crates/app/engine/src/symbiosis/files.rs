//! The files that the loop writes: calibrations, the data that they are based on, and flows of
//! simulated nodes.

use std::fs::File;

use anyhow::{Context, Result};
use netloom_api::flow::FlowStatus;
use netloom_results::{FlowSampler, Results};
use netloom_scenario::TwinMethod;
use netloom_simulate::symbiosis::{
    Applied, CalibrationFile, Connections, Large, Metadata, MetadataFile, Order, Shrunk,
};
use netloom_units::Time;

pub struct Files {
    calibrations: CalibrationFile<File>,
    metadata: MetadataFile<File>,
    flows: FlowSampler,
    /// Connections, if these have twins, and their file.
    connections: Option<(Connections, File)>,
}

/// A period with its results.
pub struct Period<'p> {
    pub number: u64,
    pub metadata: &'p Metadata,
    pub orders: &'p [Order],
    pub applied: &'p Applied,
}

impl Files {
    /// Makes the files of a run.
    pub fn new(results: &Results, twins: TwinMethod) -> Result<Self> {
        let connections = match twins {
            TwinMethod::Packets => None,
            TwinMethod::Connections => Some((Connections::default(), results.connection_file()?)),
        };
        Ok(Self {
            calibrations: CalibrationFile::new(results.calibration_file()?)
                .context("calibration.parquet")?,
            metadata: MetadataFile::new(results.metadata_file()?).context("metadata.parquet")?,
            flows: FlowSampler::new(results.flow_file()?)?,
            connections,
        })
    }

    /// Adds a period.
    pub fn add(&mut self, period: &Period<'_>, shrunk: &Shrunk) -> Result<()> {
        let Period { number, metadata, orders, applied } = *period;
        if let Some((connections, _)) = &mut self.connections {
            connections.add(metadata);
        }
        let added = self.calibrations.add(number, shrunk, orders, applied);
        added.context("calibration.parquet is not complete")?;
        let added = self.metadata.add(number, shrunk, metadata, applied);
        added.context("metadata.parquet is not complete")
    }

    /// Adds a sample of flows.
    pub fn sample(&mut self, now: Time, flows: &[FlowStatus]) -> Result<()> {
        self.flows.add(now, flows)
    }

    /// Writes the remaining data.
    pub fn finish(self, large: &Large, shrunk: &Shrunk) -> Result<()> {
        if let Some((connections, file)) = self.connections {
            let written = connections.write(file, shrunk, &large.sockets());
            written.context("connections.parquet is not complete")?;
        }
        self.calibrations.finish().context("calibration.parquet is not complete")?;
        self.metadata.finish().context("metadata.parquet is not complete")?;
        self.flows.finish()
    }
}
