//! Properties of stations on shared media, as interfaces set them. Not here: the media themselves
//! (`media`).

use std::collections::HashMap;

use netloom_document::{Diagnostic, Spanned};
use netloom_medium::{Antenna, Mac};
use netloom_units::load_files;

use super::links::LinkDraft;
use super::nodes::NodeDraft;
use super::report::Report;
use crate::files::Files;
use crate::raw::RawInterface;
use crate::spec::StationSetup;

/// Resolves the properties of stations, and reports those of interfaces that are no stations.
pub(super) fn resolve(
    nodes: &mut [NodeDraft<'_>],
    links: &[LinkDraft<'_>],
    files: &mut Files<'_>,
    report: &mut Report<'_>,
) {
    // The medium of each interface that is on one.
    let mut on_media: HashMap<(usize, &str), usize> = HashMap::new();
    for link in links.iter().filter(|link| link.raw.head.joins_medium) {
        let Some([member, medium]) = &link.ends else { continue };
        on_media.insert((member.node, &member.interface), medium.node);
    }
    for index in 0..nodes.len() {
        for (name, raw) in nodes[index].raw.head.interfaces.iter() {
            let said = keys(raw);
            if said.is_empty() {
                continue;
            }
            let Some(medium) = on_media.get(&(index, name.value.as_str())) else {
                not_on_a_medium(&nodes[index], &name.value, (raw, &said), report);
                continue;
            };
            if let Some(medium) = nodes[*medium].medium.clone() {
                check(&medium.config.mac, raw, &said, report);
            }
            let station = setup(raw, files, report);
            let mut interfaces = nodes[index].interfaces.iter_mut();
            if let Some(interface) = interfaces.find(|interface| interface.name == name.value) {
                interface.station = station;
            }
        }
    }
}

/// Returns the keys of a station that the file contains.
fn keys(raw: &RawInterface) -> Vec<&'static str> {
    let keys = [
        ("power", raw.power.is_some()),
        ("antenna", raw.antenna.is_some()),
        ("rate", raw.rate.is_some()),
        ("cw", raw.cw.is_some()),
    ];
    keys.into_iter().filter(|(_, is_said)| *is_said).map(|(key, _)| key).collect()
}

fn not_on_a_medium(
    node: &NodeDraft<'_>,
    interface: &str,
    (raw, keys): (&Spanned<RawInterface>, &[&str]),
    report: &mut Report<'_>,
) {
    for key in keys {
        let span = report.key(raw.id, &[key]).unwrap_or(raw.span);
        let name = &node.name.value;
        let message = format!("`{name}:{interface}` is on no shared medium, and has no `{key}`");
        let stations = node.interfaces.iter().map(|interface| interface.name.as_str());
        let mut stations = stations.filter(|name| name.starts_with("wlan")).peekable();
        let help = match stations.peek() {
            Some(station) => format!("its station is `{station}`: write it there"),
            None => format!("name `{name}` among the `members` of one of `topology.media`"),
        };
        report.error(Diagnostic::error(span, message).with_help(help));
    }
}

/// Reports keys that the medium does not support: a cable has no powers or antennas, and not every
/// MAC has a contention window.
fn check(mac: &Mac, raw: &Spanned<RawInterface>, keys: &[&str], report: &mut Report<'_>) {
    for key in keys {
        let (message, help) = if mac.is_on_a_cable() {
            let help = format!("leave `{key}` out; the `rate` of a cable is its MAC's");
            (format!("`{key}` is a radio's, and a cable has none"), help)
        } else if *key == "cw" && !mac.has_window() {
            let message = format!("`{}` has no contention window", mac.name());
            (message, "leave `cw` out, or take `mac: dcf` or `emac`".into())
        } else {
            continue;
        };
        let span = report.key(raw.id, &[key]).unwrap_or(raw.span);
        report.error(Diagnostic::error(span, message).with_help(help));
    }
}

fn setup(
    raw: &Spanned<RawInterface>,
    files: &mut Files<'_>,
    report: &mut Report<'_>,
) -> StationSetup {
    let RawInterface { power, antenna, rate, cw, .. } = &raw.value;
    let mut antenna = antenna.clone();
    let file = antenna.as_mut().and_then(Antenna::file).map(|file| ("antenna", file));
    if let Err(errors) = load_files(file, &mut |name| files.text(name)) {
        report.bad_files(errors, raw.id, raw.span);
    }
    if let Some(Err(problem)) = antenna.as_ref().map(Antenna::check) {
        report.error(Diagnostic::error(raw.span, problem));
    }
    StationSetup { power: *power, antenna, rate: *rate, cw: *cw }
}
