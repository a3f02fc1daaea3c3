//! Several carriers as one.

use anyhow::{Context, Result};
use netloom_api::change::LinkChange;
use netloom_api::flow::FlowStatus;
use netloom_api::state::LinkStatus;
use netloom_link::Window;
use netloom_results::MediaSample;
use netloom_units::Time;

use crate::carrier::{Carrier, Frames, Prepared};
use crate::live::PipeLook;

/// Carriers that have a network together. The first one has all links that no other one has.
pub struct Together<'c>(pub Vec<&'c dyn Carrier>);

impl Together<'_> {
    /// Returns what all carriers have, in their order.
    fn all<T>(&self, of: impl Fn(&dyn Carrier) -> Result<Vec<T>>) -> Result<Vec<T>> {
        let mut all = Vec::new();
        for carrier in &self.0 {
            all.append(&mut of(*carrier)?);
        }
        Ok(all)
    }
}

impl Carrier for Together<'_> {
    fn has(&self, link: &str) -> bool {
        self.0.iter().any(|carrier| carrier.has(link))
    }

    fn links(&self, window: Option<Window>) -> Result<Vec<LinkStatus>> {
        self.all(|carrier| carrier.links(window))
    }

    fn looks(&self) -> Result<Vec<[PipeLook; 2]>> {
        self.all(|carrier| carrier.looks())
    }

    fn media(&self, with_neighbours: bool) -> Result<MediaSample> {
        let mut all = MediaSample::default();
        for carrier in &self.0 {
            let MediaSample { media, neighbours } = carrier.media(with_neighbours)?;
            all.media.extend(media);
            all.neighbours.extend(neighbours);
        }
        Ok(all)
    }

    fn take_air(&self) -> Result<Vec<(String, Vec<u8>)>> {
        self.all(|carrier| carrier.take_air())
    }

    fn flows(&self) -> Result<Vec<FlowStatus>> {
        self.all(|carrier| carrier.flows())
    }

    fn take_frames(&self) -> Result<Frames> {
        let mut all = Frames::default();
        for carrier in &self.0 {
            let Frames { log, captured } = carrier.take_frames()?;
            all.log.extend(log);
            all.captured.extend(captured);
        }
        Ok(all)
    }

    fn prepare<'c>(&'c self, changes: &[LinkChange]) -> Result<Box<dyn Prepared + 'c>> {
        let mut shares = vec![Vec::new(); self.0.len()];
        for change in changes {
            let other = self.0.iter().skip(1).position(|carrier| carrier.has(&change.link));
            shares[other.map_or(0, |place| place + 1)].push(change.clone());
        }
        let shares = self.0.iter().zip(shares).filter(|(_, share)| !share.is_empty());
        let prepared = shares.map(|(carrier, share)| carrier.prepare(&share));
        Ok(Box::new(PreparedTogether(prepared.collect::<Result<_>>()?)))
    }

    fn lets_change(&self) -> Result<()> {
        self.0.iter().try_for_each(|carrier| carrier.lets_change())
    }
}

/// The changes of several carriers.
struct PreparedTogether<'c>(Vec<Box<dyn Prepared + 'c>>);

impl Prepared for PreparedTogether<'_> {
    fn commit(&mut self, at: Option<Time>) -> Result<Time> {
        let mut instant = at;
        for prepared in &mut self.0 {
            instant = Some(prepared.commit(instant)?);
        }
        instant.context("there is nothing to change")
    }

    fn settle(self: Box<Self>) -> Result<()> {
        self.0.into_iter().try_for_each(|prepared| prepared.settle())
    }
}
