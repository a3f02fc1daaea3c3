//! A node's sysctls of TCP, as its model takes them. Not here: what they do (`netloom-tcp`).

use anyhow::{Context, Result, bail};
use netloom_scenario::Node;
use netloom_tcp::{Buffer, Config, EcnMode, LossDetection};
use netloom_units::Duration;

/// What all names begin with.
const PREFIX: &str = "net.ipv4.tcp_";

/// The names of the sysctls that the model takes, behind `net.ipv4.tcp_`.
const MODELLED: [&str; 21] = [
    "congestion_control",
    "rmem",
    "wmem",
    "moderate_rcvbuf",
    "sack",
    "dsack",
    "timestamps",
    "window_scaling",
    "ecn",
    "recovery",
    "early_retrans",
    "frto",
    "reordering",
    "max_reordering",
    "slow_start_after_idle",
    "rto_min_us",
    "pacing_ss_ratio",
    "pacing_ca_ratio",
    "notsent_lowat",
    "syn_retries",
    "retries2",
];

/// Whether a sysctl is modelled.
pub fn is_modelled(name: &str) -> bool {
    name.strip_prefix(PREFIX).is_some_and(|rest| MODELLED.contains(&rest))
}

/// The configuration of a node's connections.
///
/// # Errors
/// If a value is none of its sysctl.
pub fn config(node: &Node) -> Result<Config> {
    let mut config = Config::default();
    for (key, value) in node.sysctls.iter().filter(|(key, _)| is_modelled(key)) {
        let set = set(&mut config, &key[PREFIX.len()..], value.trim());
        set.with_context(|| format!("the sysctl {key} of `{}` cannot be `{value}`", node.name))?;
    }
    Ok(config)
}

fn set(config: &mut Config, name: &str, value: &str) -> Result<()> {
    match name {
        "congestion_control" => config.congestion_control = value.parse()?,
        "rmem" => config.rmem = buffer(value)?,
        "wmem" => config.wmem = buffer(value)?,
        "moderate_rcvbuf" => config.moderate_rcvbuf = flag(value)?,
        "sack" => config.sack = flag(value)?,
        "dsack" => config.dsack = flag(value)?,
        "timestamps" => config.timestamps = flag(value)?,
        "window_scaling" => config.window_scaling = flag(value)?,
        "ecn" => {
            config.ecn = match value {
                "0" => EcnMode::Off,
                "1" => EcnMode::On,
                "2" => EcnMode::Passive,
                _ => bail!("it is 0, 1 or 2"),
            }
        }
        "recovery" => {
            let bits: u32 = value.parse()?;
            config.recovery = match bits & 1 {
                1 => LossDetection::Rack,
                _ => LossDetection::DuplicateThreshold,
            };
        }
        "early_retrans" => config.tail_loss_probe = value.parse::<u32>()? > 0,
        "frto" => config.frto = value.parse::<u32>()? > 0,
        "reordering" => config.reordering = value.parse()?,
        "max_reordering" => config.max_reordering = value.parse()?,
        "slow_start_after_idle" => config.slow_start_after_idle = flag(value)?,
        "rto_min_us" => config.rto_min = Duration::from_micros(value.parse()?),
        "pacing_ss_ratio" => config.pacing_slow_start_ratio = value.parse()?,
        "pacing_ca_ratio" => config.pacing_avoidance_ratio = value.parse()?,
        "notsent_lowat" => config.notsent_lowat = value.parse()?,
        "syn_retries" => config.syn_retries = value.parse()?,
        "retries2" => config.retries2 = value.parse()?,
        _ => bail!("it is not modelled"),
    }
    Ok(())
}

fn flag(value: &str) -> Result<bool> {
    match value {
        "0" => Ok(false),
        "1" => Ok(true),
        _ => bail!("it is 0 or 1"),
    }
}

fn buffer(value: &str) -> Result<Buffer> {
    let numbers = value.split_whitespace().map(str::parse).collect::<Result<Vec<u32>, _>>()?;
    match numbers[..] {
        [min, initial, max] => Ok(Buffer { min, initial, max }),
        _ => bail!("it is three numbers of bytes"),
    }
}
