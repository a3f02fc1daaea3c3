//! The grammar of PlanetLab's `netconfig`: `config client 80@203.0.113.7 -t 2hours IN delay 100ms
//! OUT bw 1Mbit/s`. Converts words to a claim. The caller resolves the names of hosts at the time
//! of the claim.

use netloom_link::PipeChange;
use netloom_link::notation::{Dummynet, Notations};
use netloom_scenario::IpPrefix;
use netloom_units::Duration;

use crate::{Claim, Lifetime, PortSelector, Ports, Protocols, Selector, prefix};

/// Default lifetime of a claim.
const DAY: Duration = Duration::from_secs(24 * 3600);

/// Help text of the tool.
pub const HELP: &str = "\
netconfig config {client|server|service} PORTS[@ADDRESSES] [-t TIME] [IN OPTIONS] [OUT OPTIONS]
netconfig show {rules|pipes}
netconfig delete {client|server|service} PORTS[@ADDRESSES]
netconfig refresh {client|server|service} PORTS[@ADDRESSES] [-t TIME]
netconfig help

  client    what programs here send to these remote ports, and the answers
  server    what comes to these local ports, and the answers
  service   either port; takes the place of client and server
  PORTS     80, 80,443, 5000-5010
  ADDRESSES addresses, prefixes and names of the other side, with commas
  TIME      1day (default), 2hours, 30minutes
  OPTIONS   as `ipfw pipe config` takes them: bw 1Mbit/s delay 100ms plr 0.01 queue 50

netconfig config client 80 -t 2hours IN delay 100ms OUT bw 1Mbit/s
netconfig config server 5000-5010 IN delay 20ms bw 2Mbit/s OUT delay 20ms bw 512Kbit/s
netconfig config service 53@192.0.2.0/24 IN plr 0.01 OUT plr 0.01
netconfig show rules
netconfig refresh client 80 -t 2hours
netconfig delete client 80
";

/// Differences from the original tool, for people who used it.
pub const DIFFERENCES: &str = "rates count whole frames, not IP packets; delays are exact, not in \
                               ticks; a claim is your own sockets' only";

/// The meaning of ports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Remote ports.
    Client,
    /// Local ports.
    Server,
    /// Either.
    Service,
}

/// A parsed command.
#[derive(Debug, Clone, PartialEq)]
pub enum Command {
    /// Make a claim, or change an existing one.
    Config {
        /// Name of the claim, like `client-80`.
        name: String,
        /// Names of claims that it replaces.
        replaces: Vec<String>,
        /// The claim.
        claim: Box<Claim>,
    },
    /// Show the claims.
    Show,
    /// Remove a claim.
    Delete(String),
    /// Change the lifetime of a claim.
    Refresh(String, Lifetime),
    /// Show the help text.
    Help,
}

/// Parses the words after the tool's name. `resolve` returns the addresses of a host's name.
///
/// # Errors
/// A description of the fault, with the correct form.
pub fn parse(
    words: &[String],
    resolve: &mut dyn FnMut(&str) -> Result<Vec<IpPrefix>, String>,
) -> Result<Command, String> {
    let mut words = Words(words.iter());
    match words.next().map(str::to_ascii_lowercase).as_deref() {
        None | Some("help" | "-h" | "--help") => Ok(Command::Help),
        Some("show") => match words.next().map(str::to_ascii_lowercase).as_deref() {
            None | Some("rules" | "pipes") => words.end(Command::Show),
            Some(word) => Err(format!("`show {word}` is nothing to show: `rules` or `pipes`")),
        },
        Some("config") => config(words, resolve),
        Some("delete") => {
            let (kind, ports, _) = target(&mut words)?;
            words.end(Command::Delete(name(kind, &ports)))
        }
        Some("refresh") => {
            let mut lifetime = words.time()?;
            let (kind, ports, _) = target(&mut words)?;
            lifetime = words.time()?.or(lifetime);
            let lifetime = Lifetime::For(lifetime.unwrap_or(DAY));
            words.end(Command::Refresh(name(kind, &ports), lifetime))
        }
        Some(word) => {
            Err(format!("`{word}` is no command: `config`, `show`, `delete`, `refresh` or `help`"))
        }
    }
}

fn config(
    mut words: Words<'_>,
    resolve: &mut dyn FnMut(&str) -> Result<Vec<IpPrefix>, String>,
) -> Result<Command, String> {
    let mut time = words.time()?;
    let (kind, ports, hosts) = target(&mut words)?;
    time = words.time()?.or(time);
    let mut addresses = Vec::new();
    for host in hosts {
        match prefix(host) {
            Ok(prefix) => addresses.push(prefix),
            Err(why) if host.contains('/') => return Err(why),
            Err(_) => addresses.extend(resolve(host)?),
        }
    }
    let [inward, out] = pipes(words)?;
    let selector = PortSelector { ports: ports.clone(), protocol: Protocols::Both, addresses };
    let mut claim = Claim {
        selector: Selector::default(),
        lifetime: Lifetime::For(time.unwrap_or(DAY)),
        out,
        inward,
        over: false,
        reserve: false,
    };
    let replaces: &[Kind] = match kind {
        Kind::Client => {
            claim.selector.client = Some(selector);
            &[Kind::Service]
        }
        Kind::Server => {
            claim.selector.server = Some(selector);
            &[Kind::Service]
        }
        Kind::Service => {
            claim.selector.service = Some(selector);
            &[Kind::Client, Kind::Server]
        }
    };
    let replaces = replaces.iter().map(|other| name(*other, &ports)).collect();
    Ok(Command::Config { name: name(kind, &ports), replaces, claim: Box::new(claim) })
}

/// Parses the options after `IN` and `OUT`.
fn pipes(words: Words<'_>) -> Result<[PipeChange; 2], String> {
    let mut options: [Option<Vec<&str>>; 2] = [None, None];
    let mut place = None;
    for word in words.0 {
        let direction = match word.as_str() {
            "IN" | "in" | "In" => Some(0),
            "OUT" | "out" | "Out" => Some(1),
            _ => None,
        };
        match (direction, place) {
            (Some(direction), _) => {
                if options[direction].replace(Vec::new()).is_some() {
                    return Err(format!("`{word}` stands twice"));
                }
                place = Some(direction);
            }
            (None, Some(place)) => {
                if let Some(options) = &mut options[place] {
                    options.push(word);
                }
            }
            (None, None) => {
                return Err(format!("`{word}` is not understood here: write `IN` or `OUT` first"));
            }
        }
    }
    let [inward, out] = options.map(|words| pipe(words.unwrap_or_default()));
    Ok([inward?, out?])
}

fn pipe(words: Vec<&str>) -> Result<PipeChange, String> {
    if words.is_empty() {
        return Ok(PipeChange::default());
    }
    let dummynet: Dummynet = words.join(" ").parse().map_err(|error| format!("{error}"))?;
    let notations = Notations { dummynet: Some(dummynet), ..Notations::default() };
    notations.combine(&PipeChange::default()).map_err(|error| error.to_string())
}

/// Parses the kind, the ports, and the hosts of the other side.
fn target<'w>(words: &mut Words<'w>) -> Result<(Kind, Ports, Vec<&'w str>), String> {
    let kind = match words.next().map(str::to_ascii_lowercase).as_deref() {
        Some("client") => Kind::Client,
        Some("server") => Kind::Server,
        Some("service") => Kind::Service,
        Some(word) => return Err(format!("`{word}` is none of `client`, `server`, `service`")),
        None => return Err("which traffic? `client`, `server` or `service`, and ports".into()),
    };
    let text = words.next().ok_or("which ports? As in `client 80`")?;
    let (ports, hosts) = text.split_once('@').unwrap_or((text, ""));
    let ports = ports.parse().map_err(|error: crate::PortError| error.to_string())?;
    Ok((kind, ports, hosts.split(',').filter(|host| !host.is_empty()).collect()))
}

/// Returns the name of the claim for these ports.
fn name(kind: Kind, ports: &Ports) -> String {
    let kind = match kind {
        Kind::Client => "client",
        Kind::Server => "server",
        Kind::Service => "service",
    };
    format!("{kind}-{}", ports.to_string().replace(',', "_"))
}

/// The words that are still to be parsed.
struct Words<'w>(std::slice::Iter<'w, String>);

impl<'w> Words<'w> {
    fn next(&mut self) -> Option<&'w str> {
        self.0.next().map(String::as_str)
    }

    /// Parses the time after `-t`, if that comes next.
    fn time(&mut self) -> Result<Option<Duration>, String> {
        let mut ahead = self.0.clone();
        if ahead.next().map(String::as_str) != Some("-t") {
            return Ok(None);
        }
        let text = ahead.next().ok_or("`-t` lacks its time, as in `-t 2hours`")?;
        self.0 = ahead;
        time(text).map(Some)
    }

    fn end(mut self, command: Command) -> Result<Command, String> {
        match self.next() {
            None => Ok(command),
            Some(word) => Err(format!("`{word}` is too much")),
        }
    }
}

/// Parses a time like `2hours`, `1day` or `30minutes`.
fn time(text: &str) -> Result<Duration, String> {
    let wrong = || format!("`{text}` is no time: write `30minutes`, `2hours` or `1day`");
    let digits = text.trim_start_matches('+');
    let unit = digits.trim_start_matches(|c: char| c.is_ascii_digit());
    let number: u64 = digits[..digits.len() - unit.len()].parse().map_err(|_| wrong())?;
    let seconds = match unit.trim() {
        "s" | "sec" | "secs" | "second" | "seconds" => 1,
        "min" | "mins" | "minute" | "minutes" => 60,
        "h" | "hour" | "hours" => 3600,
        "d" | "day" | "days" => 86400,
        "week" | "weeks" => 7 * 86400,
        _ => return Err(wrong()),
    };
    // The limit is a century.
    match number.checked_mul(seconds).filter(|time| (1..=100 * 366 * 86400).contains(time)) {
        Some(seconds) => Ok(Duration::from_secs(seconds)),
        None => Err(wrong()),
    }
}
