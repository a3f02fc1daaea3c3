//! The queue discipline of tc that is equivalent to a pipe's: the options of `tc qdisc`, `tc class`
//! and `tc filter`, and the properties that they cannot express. Not here: rate, delay and loss
//! (`export`).

use netloom_units::{Rate, Size};

use super::equivalent::{TcEquivalent, limit_in_bytes};
use super::tc;
use super::tc_child::{TcChild, TcFilter};
use crate::queue::{
    ClassConfig, ClassMatch, CodelConfig, Discipline, DropFrom, DrrConfig, FqCodelConfig,
    PieConfig, PrioConfig, QueueConfig, QueueLimit, RedConfig,
};

/// Returns the child that is equivalent to `queue` on a line of `rate`; `None` if a plain queue is
/// equivalent or if tc has no equivalent.
pub(super) fn equivalent(
    queue: &QueueConfig,
    rate: Rate,
    tc: &mut TcEquivalent,
) -> Option<TcChild> {
    let limit = queue.limit;
    Some(match &queue.discipline {
        Discipline::Fifo(fifo) => match (fifo.drop, limit) {
            (DropFrom::Tail, _) => return None,
            (DropFrom::Head, QueueLimit::Packets(packets)) => {
                TcChild::plain(format!("pfifo_head_drop limit {packets}"))
            }
            (DropFrom::Head, _) => {
                tc.misses("drops from the head: pfifo_head_drop of tc counts packets");
                return None;
            }
        },
        Discipline::Red(config) => TcChild::plain(red(config, limit, rate, tc)),
        Discipline::Codel(config) => {
            let limit = limit_in_packets(limit, "codel", 1000, tc);
            TcChild::plain(format!("codel{limit} {}", control(config)))
        }
        Discipline::FqCodel(config) => TcChild::plain(fq_codel(config, limit, tc)),
        Discipline::Pie(config) => TcChild::plain(pie(config, limit, tc)),
        Discipline::DualPi2(_) => {
            tc.misses(
                "queue discipline dualpi2: Linux has one from 6.17 on, which draws at random",
            );
            return None;
        }
        Discipline::Drr(config) => drr(config, tc)?,
        Discipline::Prio(config) => prio(config, tc)?,
        Discipline::Step(_) => {
            tc.misses("queue discipline step: tc has marks by time, `ce_threshold` of codel");
            return None;
        }
        Discipline::Wf2q(_) => {
            tc.misses("queue discipline wf2q+: tc has none; its qfq comes nearest");
            return None;
        }
    })
}

/// Returns the limit option for a discipline `kind` of tc that counts packets.
fn limit_in_packets(limit: QueueLimit, kind: &str, most: u32, tc: &mut TcEquivalent) -> String {
    match limit {
        QueueLimit::Packets(packets) => format!(" limit {packets}"),
        limit => {
            tc.misses(format!(
                "queue limit {limit}: {kind} counts packets, and holds {most} where nothing is said"
            ));
            String::new()
        }
    }
}

const fn ecn(wanted: bool) -> &'static str {
    if wanted { "ecn" } else { "noecn" }
}

fn control(config: &CodelConfig) -> String {
    let [target, interval] = [config.target, config.interval].map(tc::print_time);
    let threshold = config.ce_threshold.map(tc::print_time);
    let threshold = threshold.map_or(String::new(), |time| format!(" ce_threshold {time}"));
    format!("target {target} interval {interval} {}{threshold}", ecn(config.ecn))
}

fn fq_codel(config: &FqCodelConfig, limit: QueueLimit, tc: &mut TcEquivalent) -> String {
    let limit = limit_in_packets(limit, "fq_codel", 10_240, tc);
    let (flows, quantum) = (config.flows, config.quantum.bytes());
    format!("fq_codel{limit} flows {flows} quantum {quantum} {}", control(&config.codel()))
}

fn pie(config: &PieConfig, limit: QueueLimit, tc: &mut TcEquivalent) -> String {
    let standard = PieConfig::default();
    let limit = limit_in_packets(limit, "pie", 1000, tc);
    let [target, update] = [config.target, config.update].map(tc::print_time);
    let [alpha, beta] = [("alpha", config.alpha), ("beta", config.beta)].map(|(name, weight)| {
        let sixteenths = (weight * 16.0).round().clamp(0.0, 32.0);
        if sixteenths / 16.0 != weight {
            tc.misses(format!("{name} {weight} of PIE: tc knows sixteenths up to 2"));
        }
        sixteenths
    });
    if config.max_burst != standard.max_burst {
        tc.misses(format!("max_burst {} of PIE: it is 150ms in Linux", config.max_burst));
    }
    if config.ecn && config.ecn_threshold != standard.ecn_threshold {
        tc.misses(format!("ecn_threshold {} of PIE: it is 10% in Linux", config.ecn_threshold));
    }
    if !config.derandomize {
        tc.misses("PIE without de-randomization");
    }
    tc.differs(
        "PIE of Linux adds 2% a step to the drop probability above 250 ms of delay, and takes back \
         1/64 a step without congestion instead of 2%",
    );
    let ecn = ecn(config.ecn);
    format!("pie{limit} target {target} tupdate {update} alpha {alpha} beta {beta} {ecn}")
}

fn red(config: &RedConfig, limit: QueueLimit, rate: Rate, tc: &mut TcEquivalent) -> String {
    let limit = limit_in_bytes(limit, rate, "red", tc);
    let packet = config.mean_packet;
    let [min, max] = [config.min, config.max].map(|threshold| match threshold {
        QueueLimit::Bytes(size) => size,
        QueueLimit::Time(time) => rate.bytes_in(time),
        QueueLimit::Packets(packets) => Size::from_bytes(u64::from(packets) * packet.bytes()),
        // `check` rejects such thresholds.
        QueueLimit::Default => Size::default(),
    });
    if !matches!(config.min, QueueLimit::Bytes(_)) {
        tc.differs(format!("red of tc measures bytes: here a packet counts {packet}"));
    }
    if !config.by_dscp.is_empty() {
        tc.misses("thresholds of RED by DSCP: gred of tc has them, with an average for each");
    }
    if config.gentle {
        tc.misses("the gentle region of RED: Linux drops or marks everything above `max`");
    }
    if config.min == config.max {
        tc.misses("a step of RED: tc wants a `max` above `min`");
    }
    let burst = match red_burst(min.bytes() as f64 / packet.bytes().max(1) as f64, config.weight) {
        Some((burst, weight)) => {
            if weight != config.weight {
                tc.differs(format!("the weight of RED is a power of 1/2 in tc: {weight}"));
            }
            burst
        }
        None => {
            tc.misses(format!("weight {} of RED: no `burst` of tc stands for it", config.weight));
            // Formula that tc-red(8) recommends.
            (2 * min.bytes() + max.bytes()).div_ceil(3 * packet.bytes().max(1))
        }
    };
    let [limit, min, max, packet] = [limit, min, max, packet].map(tc::print_size);
    let RedConfig { ecn, hard_drop, no_drop, adaptive, .. } = *config;
    let flags = [("ecn", ecn), ("harddrop", hard_drop && ecn), ("nodrop", no_drop)];
    let flags = flags.into_iter().chain([("adaptive", adaptive)]);
    let flags: String = flags.filter(|(_, on)| *on).map(|(flag, _)| format!(" {flag}")).collect();
    format!(
        "red limit {limit} min {min} max {max} avpkt {packet} burst {burst} probability {} \
         bandwidth {}{flags}",
        config.max_p.value(),
        tc::print_rate(rate)
    )
}

/// Returns the smallest `burst` option of tc whose weight is the power of 1/2 nearest to `weight`,
/// and that power.
///
/// tc takes no weight for RED, but a burst in packets. From it, tc computes the smallest power of
/// 1/2, W, with `burst + 1 - min ≤ (1 - (1 - W)^burst) / W`, where `min` is in packets (Floyd &
/// Jacobson 1993, equation 3).
fn red_burst(min: f64, weight: f64) -> Option<(u64, f64)> {
    const POWERS: std::ops::Range<i32> = 1..32;
    const MOST: u64 = 1 << 20;
    let wanted = (-libm::log2(weight)).round().clamp(1.0, 31.0) as i32;
    let passes = |burst: u64, power: i32| {
        let (burst, weight) = (burst as f64, libm::exp2(-f64::from(power)));
        burst + 1.0 - min <= (1.0 - libm::pow(1.0 - weight, burst)) / weight
    };
    let chosen = |burst: u64| POWERS.clone().find(|power| passes(burst, *power));
    // tc refuses shorter bursts.
    let least = min.ceil().max(1.0) as u64;
    // A longer burst means a smaller weight.
    let burst = (least..MOST).find(|burst| chosen(*burst).is_none_or(|power| power >= wanted))?;
    (chosen(burst) == Some(wanted)).then(|| (burst, libm::exp2(-f64::from(wanted))))
}

fn drr(config: &DrrConfig, tc: &mut TcEquivalent) -> Option<TcChild> {
    let Some(listed) = &config.classes else {
        tc.misses(
            "queue discipline drr over flows: tc wants a class for each of its queues; fq_codel \
             hashes flows by itself",
        );
        return None;
    };
    let (rest, count) = rest(listed);
    limits_of_classes(listed, "drr", tc);
    let quantum = |class: usize| {
        let weight = listed.get(class).and_then(|class| class.weight);
        weight.map_or(1, |weight| u64::from(weight.get())) * config.quantum.bytes()
    };
    let classes = (0..count).map(|class| format!("drr quantum {}", quantum(class)));
    let mut filters = filters(listed);
    // drr drops packets that no filter matches.
    filters.push(TcFilter { protocol: "all", matches: "match u32 0 0".into(), class: rest + 1 });
    Some(TcChild { qdisc: "drr".into(), classes: classes.collect(), filters })
}

fn prio(config: &PrioConfig, tc: &mut TcEquivalent) -> Option<TcChild> {
    const MOST_BANDS: usize = 16;
    let (rest, bands) = rest(&config.classes);
    if bands > MOST_BANDS {
        tc.misses(format!("prio with {bands} classes: tc has {MOST_BANDS} bands"));
        return None;
    }
    limits_of_classes(&config.classes, "prio", tc);
    // tc requires at least two bands, so an additional one may stay empty.
    let map = vec![rest.to_string(); 16].join(" ");
    let qdisc = format!("prio bands {} priomap {map}", bands.max(2));
    Some(TcChild { qdisc, classes: Vec::new(), filters: filters(&config.classes) })
}

/// Returns the index of the class for packets that no other class matches, and the number of
/// classes including it.
fn rest(classes: &[ClassConfig]) -> (usize, usize) {
    match classes.iter().position(|class| class.matches.is_none()) {
        Some(rest) => (rest, classes.len()),
        None => (classes.len(), classes.len() + 1),
    }
}

/// Reports the features that the classes of `kind` have here and not in tc.
fn limits_of_classes(classes: &[ClassConfig], kind: &str, tc: &mut TcEquivalent) {
    tc.misses(format!(
        "the queue's limit: every class of {kind} has a queue of its own, \
         as long as the interface's"
    ));
    let mut misses = |has: &dyn Fn(&ClassConfig) -> bool, what: &str| {
        if classes.iter().any(has) {
            tc.misses(what);
        }
    };
    misses(
        &|class| class.limit.is_some(),
        "limits of classes: add a `pfifo` or `bfifo` under each class",
    );
    misses(&|class| class.discipline.is_some(), "disciplines of classes: add one under each class");
    misses(&|class| class.most.is_some(), "caps of classes: add a `tbf` under each class");
    misses(
        &|class| {
            class.matches.is_some_and(|matches| {
                let ClassMatch { protocol, source_port, destination_port, ecn, .. } = matches;
                let ports = source_port.is_some() || destination_port.is_some();
                ports || protocol.is_some() || ecn.is_some()
            })
        },
        "classes by protocol, ports and ECN: add matches to the filters",
    );
}

fn filters(classes: &[ClassConfig]) -> Vec<TcFilter> {
    let matches = (1..).zip(classes).filter_map(|(class, config)| Some((class, config.matches?)));
    matches.flat_map(|(class, matches)| filters_of(class, &matches)).collect()
}

/// Returns the filters for a class: one for each DSCP and for each version of IP that the addresses
/// allow.
fn filters_of(class: usize, matches: &ClassMatch) -> Vec<TcFilter> {
    let addresses = [("src", matches.source), ("dst", matches.destination)];
    let dscps: Vec<Option<u8>> = match matches.dscp {
        Some(dscps) => dscps.iter().map(Some).collect(),
        None => vec![None],
    };
    let mut filters = Vec::new();
    for (protocol, header, field, is_ipv4) in
        [("ip", "ip", "dsfield", true), ("ipv6", "ip6", "priority", false)]
    {
        if addresses.iter().any(|(_, prefix)| prefix.is_some_and(|p| p.is_ipv4() != is_ipv4)) {
            continue;
        }
        for dscp in &dscps {
            let dscp = dscp.map(|dscp| format!("match {header} {field} {:#04x} 0xfc", dscp << 2));
            let addresses = addresses.iter().filter_map(|(end, prefix)| {
                prefix.map(|prefix| format!("match {header} {end} {prefix}"))
            });
            let matches = dscp.into_iter().chain(addresses).collect::<Vec<_>>().join(" ");
            filters.push(TcFilter { protocol, matches, class });
        }
    }
    filters
}
