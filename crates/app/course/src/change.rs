//! Changes of links at one instant, or none of them, whatever carriers have the links. First each
//! carrier prepares its share, and checks it; then all commit.

use std::collections::BTreeSet;

use anyhow::{Context, Result, bail};
use netloom_api::change::LinkChange;
use netloom_fabric::{LinkId, PipeId};
use netloom_link::{PipeChange, PipeConfig, UnreadFile};
use netloom_units::Time;

use crate::carrier::Carrier;

/// Makes all changes at one instant, or none of them. Returns the instant.
///
/// # Errors
/// If one of the changes is impossible.
pub fn change(carrier: &dyn Carrier, changes: &[LinkChange]) -> Result<Time> {
    carrier.lets_change()?;
    changes.iter().try_for_each(check)?;
    let mut prepared = carrier.prepare(changes)?;
    let at = prepared.commit(None)?;
    prepared.settle()?;
    Ok(at)
}

/// Returns an error for an empty change, or one that names a file, which must be read before.
fn check(change: &LinkChange) -> Result<()> {
    if change.change.is_empty() {
        bail!("the change to link `{}` says nothing", change.link);
    }
    if let Some(UnreadFile { property, file }) = change.change.unread_file() {
        bail!(
            "`{property}` of link `{}` names the file `{file}`, which the engine does not open; \
             send its values too, as `{{\"file\": NAME, \"values\": […]}}`",
            change.link
        );
    }
    Ok(())
}

/// Returns the changes of pipes that changes of links mean. `change_of` returns the identity of a
/// link, and its change as the carrier has to make it.
///
/// # Errors
/// Those of `change_of`.
pub fn pipes(
    changes: &[LinkChange],
    mut change_of: impl FnMut(&LinkChange) -> Result<(LinkId, PipeChange)>,
) -> Result<Vec<(PipeId, PipeChange)>> {
    let mut all = Vec::with_capacity(changes.len() * 2);
    for change in changes {
        let (link, made) = change_of(change)?;
        let directions = change.direction.of_pipes().iter();
        all.extend(directions.map(|direction| {
            let pipe = PipeId { link, direction: *direction };
            (pipe, made.clone())
        }));
    }
    Ok(all)
}

/// Refuses background traffic that does not fit a pipe with all `changes` made: a new one, or a
/// fluid whose pipe changes. Frames go on as they were set, whatever becomes of the rate. `config`
/// returns the present configuration of a pipe.
///
/// # Errors
/// If the background of a pipe would be impossible, or if `config` fails.
pub fn check_backgrounds(
    changes: &[(PipeId, PipeChange)],
    mut config: impl FnMut(PipeId) -> Result<PipeConfig>,
) -> Result<()> {
    let concerned = changes.iter().filter(|(_, change)| !change.concerns_background().is_empty());
    for pipe in concerned.map(|(pipe, _)| *pipe).collect::<BTreeSet<_>>() {
        let of_pipe = || changes.iter().filter(|(other, _)| *other == pipe).map(|(_, one)| one);
        let mut config = config(pipe)?;
        let is_new = of_pipe().any(|change| change.background.is_some());
        if is_new || config.background.has_fluid() {
            of_pipe().for_each(|change| change.apply_to(&mut config));
            config.background.check(&config).context("`background` cannot be")?;
        }
    }
    Ok(())
}
