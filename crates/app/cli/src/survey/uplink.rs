//! What else on a machine passes or shapes the frames that it exchanges with others.

use std::net::IpAddr;
use std::path::Path;
use std::process::Command;

use netloom_shape::wire::List;
use nix::ifaddrs::getifaddrs;
use serde::Deserialize;

use crate::args::SHAPE;
use crate::client::Client;
use crate::finding::{Check, State};

/// Queue disciplines that pass frames on as they come.
const PLAIN: [&str; 7] = ["noqueue", "pfifo_fast", "pfifo", "fq_codel", "mq", "fq", "clsact"];

/// A queue discipline, as `tc` prints it.
#[derive(Debug, Deserialize)]
struct Discipline {
    kind: String,
}

/// Looks at the device that has `address`, and at claims of `netloom shape`.
pub fn checks(address: IpAddr) -> Vec<Check> {
    let uplink = match device(address) {
        None => {
            let found = format!("no device has {address}");
            Check::new("uplink", State::Note, found)
        }
        Some(device) => match disciplines(&device) {
            None => {
                let found =
                    format!("{device}; `tc` (iproute2) is missing: what shapes it is not known");
                Check::new("uplink", State::Note, found)
            }
            Some(all) => shaped(&device, &all),
        },
    };
    std::iter::once(uplink).chain(claims()).collect()
}

fn device(address: IpAddr) -> Option<String> {
    let mut all = getifaddrs().ok()?;
    let own = all.find(|entry| {
        let ip = entry.address.as_ref().and_then(|one| {
            let v4 = one.as_sockaddr_in().map(|one| IpAddr::V4(one.ip()));
            v4.or_else(|| one.as_sockaddr_in6().map(|one| IpAddr::V6(one.ip())))
        });
        ip == Some(address)
    })?;
    Some(own.interface_name)
}

fn disciplines(device: &str) -> Option<Vec<Discipline>> {
    let output =
        Command::new("tc").args(["-json", "qdisc", "show", "dev", device]).output().ok()?;
    serde_json::from_slice(&output.stdout).ok()
}

fn shaped(device: &str, all: &[Discipline]) -> Check {
    let shapes = |one: &&Discipline| !PLAIN.contains(&one.kind.as_str());
    match all.iter().find(shapes) {
        None => Check::new("uplink", State::Ok, device),
        Some(Discipline { kind }) => Check::new(
            "uplink",
            State::Note,
            format!(
                "{device} has the queue discipline `{kind}`, through which frames between machines \
                 go: `tc qdisc del dev {device} root` removes it, or choose another way by `frames`"
            ),
        ),
    }
}

/// Notes claims of `netloom shape`, if its daemon runs.
fn claims() -> Option<Check> {
    let socket = Path::new(SHAPE).join("api.sock");
    if !socket.exists() {
        return None;
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().ok()?;
    let list = runtime.block_on(Client::of_shape(&socket).get::<List>("/claims?all=true")).ok()?;
    let count = list.claims.len() + list.others.len();
    let found = format!(
        "{count} of `netloom shape` on this machine, through which frames between machines may go: \
         `netloom shape list --all` shows them"
    );
    (count > 0).then(|| Check::new("claims", State::Note, found))
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    #[test]
    fn what_shapes_frames_is_named() {
        let of = |kinds: &[&str]| {
            let all: Vec<_> =
                kinds.iter().map(|kind| Discipline { kind: (*kind).into() }).collect();
            shaped("eth0", &all)
        };
        assert_eq!(of(&["mq", "fq_codel", "clsact"]).state, State::Ok);
        let found = of(&["mq", "netem"]);
        assert!(found.state == State::Note && found.found.contains("`netem`"), "{found:?}");
    }

    #[test]
    fn the_device_of_an_address_is_found() {
        assert_eq!(device(IpAddr::V4(Ipv4Addr::LOCALHOST)).as_deref(), Some("lo"));
        assert_eq!(device(IpAddr::V4(Ipv4Addr::new(203, 0, 113, 7))), None);
    }
}
