//! Resolution of the measurements of a run.

use netloom_document::{Diagnostic, Spanned};
use netloom_units::Duration;

use super::links::LinkDraft;
use super::references::References;
use super::report::Report;
use crate::raw::{RawCapture, RawFrames, RawMeasure};
use crate::spec::{Capture, Measure};

/// How often statistics are sampled where nothing is said.
const DEFAULT_INTERVAL: Duration = Duration::from_secs(1);

/// The finest sampling.
const MIN_INTERVAL: Duration = Duration::from_millis(10);

pub(super) fn resolve(
    raw: &RawMeasure,
    links: &[LinkDraft<'_>],
    references: &References<'_>,
    report: &mut Report<'_>,
) -> Measure {
    let intervals = [&raw.interval, &raw.flows].into_iter().flatten();
    for interval in intervals.filter(|given| given.value.0 < MIN_INTERVAL) {
        let message = format!("an interval of {} is too short", interval.value.0);
        report.error(
            Diagnostic::error(interval.span, message)
                .with_help(format!("statistics are sampled every {MIN_INTERVAL} at most")),
        );
    }
    let logged = frames(&raw.frames, links, references, report);
    Measure {
        interval: raw.interval.as_ref().map_or(DEFAULT_INTERVAL, |given| given.value.0),
        flows: raw.flows.as_ref().map(|given| given.value.0),
        capture: captures(&raw.capture, references, report),
        frames: logged.links,
        air: logged.media,
        observations: raw.observations,
    }
}

fn captures(
    raw: &[Spanned<RawCapture>],
    references: &References<'_>,
    report: &mut Report<'_>,
) -> Vec<Capture> {
    let mut captures: Vec<Capture> = Vec::new();
    for written in raw {
        let (place, drops) = match &written.value {
            RawCapture::Plain(value) => {
                let value = value.clone();
                (&Spanned { value, span: written.span, id: written.id }, false)
            }
            RawCapture::With(options) => (&options.interface, options.drops),
        };
        let Some(interface) = references.interface(place, report) else { continue };
        if captures.iter().any(|capture| capture.interface == interface) {
            let message = format!("`{interface}` is captured twice");
            report.error(Diagnostic::error(place.span, message).with_help("keep one of them"));
        } else {
            captures.push(Capture { interface, drops });
        }
    }
    captures
}

/// Links and shared media whose frames are logged.
#[derive(Default)]
struct Logged {
    links: Vec<String>,
    media: Vec<String>,
}

fn frames(
    raw: &RawFrames,
    links: &[LinkDraft<'_>],
    references: &References<'_>,
    report: &mut Report<'_>,
) -> Logged {
    let named = match raw {
        RawFrames::All => {
            let logged = links.iter().filter(|link| !link.raw.head.direct);
            return Logged {
                links: logged.map(|link| link.name.clone()).collect(),
                media: references.media().map(str::to_owned).collect(),
            };
        }
        RawFrames::Of(named) => named,
    };
    let mut logged = Logged::default();
    for name in named {
        let (all, found) = match references.link_index(&name.value) {
            None if references.media().any(|medium| medium == name.value) => {
                (&mut logged.media, name.value.clone())
            }
            _ => match references.link(name, report) {
                Some(link) => (&mut logged.links, link),
                None => continue,
            },
        };
        if all.contains(&found) {
            let message = format!("the frames of `{found}` are logged twice");
            report.error(Diagnostic::error(name.span, message).with_help("keep one of them"));
        } else {
            all.push(found);
        }
    }
    logged
}
