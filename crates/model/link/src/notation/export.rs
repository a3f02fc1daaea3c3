//! The `tc` commands that are equivalent to a pipe's configuration, and how they differ from it.

use netloom_units::{Duration, Framing, Probability, Rate, Size};

use super::child;
use super::equivalent::{TcEquivalent, WITHOUT_LIMIT, limit_in_bytes};
use super::tc;
use crate::channel::{BitErrorRate, Loss};
use crate::config::{LinkState, MtuLimit, PipeConfig, RateLimit};
use crate::flight::{Delay, JitterDistribution, Reorder};
use crate::queue::QueueLimit;

/// Returns the `tc` commands that are equivalent to a pipe with `config`. If nothing is missing,
/// parsing the options results in the same configuration again, except for a child, which the
/// parsed strings cannot express.
pub fn tc_equivalent(config: &PipeConfig) -> TcEquivalent {
    let mut tc = TcEquivalent::default();
    flight(config, &mut tc);
    channel(config, &mut tc);
    line(config, &mut tc);
    others(config, &mut tc);
    tc
}

fn flight(config: &PipeConfig, tc: &mut TcEquivalent) {
    use JitterDistribution as Kind;
    let named = |spread: &Duration, name: &str| Some((*spread, name.to_owned()));
    let jitter = match &config.jitter.distribution {
        Kind::None => None,
        Kind::Uniform(spread) => named(spread, ""),
        Kind::Normal(spread) => named(spread, "normal"),
        Kind::Pareto(spread) => named(spread, "pareto"),
        Kind::ParetoNormal(spread) => named(spread, "paretonormal"),
        Kind::Table(table, spread) => {
            let name = table.file().and_then(|file| file.strip_suffix(".dist"));
            let name = name.filter(|name| !name.contains(|c: char| c == '/' || c.is_whitespace()));
            if name.is_none() {
                tc.misses("a jitter table that is not a `NAME.dist` file");
            }
            name.and_then(|name| named(spread, name))
        }
        Kind::Empirical(_) | Kind::Pattern(_) => {
            tc.misses(format!("jitter {}", config.jitter));
            None
        }
    };
    let reordering = match &config.reorder {
        Reorder::None => None,
        Reorder::Some(reordering) => Some(*reordering),
    };
    if jitter.is_some() && reordering.is_none() {
        tc.misses("packets stay in order under jitter: netem lets them overtake each other");
    }
    let delay = match &config.delay {
        Delay::Constant(delay) => *delay,
        varying @ Delay::Schedule(_) => return tc.misses(format!("delay by a {varying}")),
    };
    if delay == Duration::ZERO && jitter.is_none() {
        if reordering.is_some() {
            tc.misses("reordering without a delay");
        }
        return;
    }
    let mut option = format!("delay {}", tc::print_time(delay));
    if let Some((spread, distribution)) = jitter {
        option = format!("{option} {}", tc::print_time(spread));
        if config.jitter.correlation != Probability::ZERO {
            option = format!("{option} {}", config.jitter.correlation);
            tc.differs("netem's correlation makes the jitter smaller; here it keeps its spread");
        }
        if !distribution.is_empty() {
            option = format!("{option} distribution {distribution}");
        }
    }
    tc.option(&option);
    let Some(reordering) = reordering else { return };
    if reordering.extra_delay.is_some() {
        tc.misses("reordering by an extra delay");
    }
    if reordering.probability != Probability::ZERO {
        tc.option(&format!("reorder {} gap {}", reordering.probability, reordering.gap));
    }
}

fn channel(config: &PipeConfig, tc: &mut TcEquivalent) {
    match &config.loss {
        loss if loss.is_none() => {}
        Loss::Bernoulli(probability) => tc.option(&format!("loss random {probability}")),
        Loss::GilbertElliott(model) => {
            tc.option(&format!("loss gemodel {} {} {} {}", model.p, model.r, model.bad, model.good))
        }
        Loss::FourState(model) => tc.option(&format!(
            "loss state {} {} {} {} {}",
            model.p13, model.p31, model.p32, model.p23, model.p14
        )),
        loss @ (Loss::Pattern(_) | Loss::Every(_) | Loss::Trace(_)) => {
            tc.misses(format!("loss {loss}"));
        }
    }
    if config.ber != BitErrorRate::default() {
        tc.misses(format!("bit error rate {}", config.ber));
    }
    if config.corrupt != Probability::ZERO {
        tc.option(&format!("corrupt {}", config.corrupt));
    }
    if config.duplicate != Probability::ZERO {
        tc.option(&format!("duplicate {}", config.duplicate));
    }
}

fn line(config: &PipeConfig, tc: &mut TcEquivalent) {
    let rate = match &config.rate {
        RateLimit::Unlimited => return,
        RateLimit::Limited(rate) => *rate,
        varying @ (RateLimit::Trace(_) | RateLimit::Schedule(_)) => {
            return tc.misses(format!("rate {varying}"));
        }
    };
    let overhead = match config.framing {
        Framing::None => 0,
        Framing::Bytes(bytes) => bytes,
        Framing::Ethernet => {
            tc.misses("framing `ethernet` pads short frames: tc only adds its 24 bytes");
            24
        }
    };
    tc.child = child::equivalent(&config.queue, rate, tc);
    if config.burst != Size::default() || tc.child.is_some() {
        return bucket(config, rate, overhead, tc);
    }
    let option = format!("rate {}", tc::print_rate(rate));
    tc.option(&if overhead > 0 { format!("{option} {overhead}") } else { option });
    match config.queue.limit {
        QueueLimit::Packets(packets) => tc.option(&format!("limit {packets}")),
        limit => tc.misses(format!(
            "queue limit {limit}: netem counts packets, and holds 1000 where nothing is said"
        )),
    }
    if config.delay != Delay::ZERO || !config.jitter.is_none() {
        tc.differs(
            "netem's `limit` also counts the packets that the delay holds: raise it by \
             rate × delay",
        );
    }
}

/// Adds a token bucket below which the waiting frames may have a discipline of their own.
fn bucket(config: &PipeConfig, rate: Rate, overhead: u32, tc: &mut TcEquivalent) {
    let mut burst = config.burst;
    if burst == Size::default() {
        burst = ONE_PACKET;
        tc.misses(format!(
            "a line that sends one bit after the other: the bucket of tbf lets {} through at once",
            tc::print_size(burst)
        ));
    }
    // With a child, the bucket's own queue is never used.
    let limit = match &tc.child {
        Some(_) => rate.bytes_in(WITHOUT_LIMIT),
        None => limit_in_bytes(config.queue.limit, rate, "tbf", tc),
    };
    tc.tbf = format!(
        "rate {} burst {} limit {}",
        tc::print_rate(rate),
        tc::print_size(burst),
        tc::print_size(limit)
    );
    if overhead > 0 {
        tc.tbf = format!("{} overhead {overhead}", tc.tbf);
    }
    if !tc.netem.is_empty() {
        tc.differs("tc delays and loses packets in front of the bucket, a link behind it");
    }
}

/// The smallest bucket that admits every packet of an ordinary MTU, including Ethernet header, VLAN
/// tag and 24 bytes of framing.
const ONE_PACKET: Size = Size::from_bytes(1542);

fn others(config: &PipeConfig, tc: &mut TcEquivalent) {
    if config.state == LinkState::Down {
        tc.misses("the pipe is down: `ip link set DEVICE down`");
    }
    if config.pipe_mtu != MtuLimit::None {
        tc.misses(format!("an MTU of {} that the interfaces do not know", config.pipe_mtu));
    }
    if !config.mac_overhead.values().is_some_and(|profile| profile.is_empty()) {
        tc.misses("MAC overhead");
    }
    if !config.condition.is_none() {
        tc.misses("traffic conditioning: filters of tc police, and its dsmark or pedit marks");
    }
    if !config.background.is_none() {
        tc.misses("background");
    }
}
