//! A profile for people.

use netloom_profile::{
    Crossing, Disk, Forwarding, Memory, MemoryCost, Profile, Shaping, Thoroughness, WakeUps,
};
use netloom_units::readable::{bit_rate, count, micros};

use crate::table::table;

/// Returns the whole profile as text. `stale` lists how the machine has changed since.
pub fn page(profile: &Profile, stale: &[String]) -> String {
    let mut lines = heading(profile, stale);
    lines.push(format!("\n{}", forwarding(&profile.forwarding)));
    if !profile.shaping.is_empty() {
        lines.push(format!("\n{}", shaping(&profile.shaping)));
    }
    lines.push(format!("\n{}", wake_ups(profile)));
    lines.push(String::new());
    lines.extend(disk(&profile.disk));
    lines.extend(memory(&profile.memory));
    lines.extend(profile.disturbances.iter().map(|text| format!("disturbed: {text}")));
    let text: String = lines.iter().map(|line| line.clone() + "\n").collect();
    text.lines().map(|line| line.trim_end().to_string() + "\n").collect()
}

fn heading(profile: &Profile, stale: &[String]) -> Vec<String> {
    let machine = &profile.machine;
    let how = match profile.thoroughness {
        Thoroughness::Full => "",
        Thoroughness::Quick => " (quick)",
    };
    let frequency = machine.frequency_mhz.map_or(String::new(), |mhz| format!(" at {mhz} MHz"));
    let processor = machine.processor.as_deref().unwrap_or(&machine.architecture);
    let threshold = profile
        .net_internal()
        .map_or("none".into(), |rate| bit_rate(rate.bits_per_second() as f64));
    let mut lines = vec![
        format!("calibration of {}{how}", profile.measured),
        format!(
            "machine: {} × {processor}{frequency}, Linux {}, NetLoom {}",
            machine.processors, machine.kernel, machine.netloom
        ),
        format!("threshold of net_internal: {threshold}, all links together in 10 ms"),
    ];
    lines.extend(stale.iter().map(|difference| format!("stale: {difference}")));
    lines
}

fn forwarding(all: &[Forwarding]) -> String {
    let headings = ["network", "traffic", "borne", "frames/s", "peak", "not borne"];
    let mut rows = table(&headings);
    for forwarding in all {
        let edge = forwarding.edge.as_ref();
        let beyond = forwarding.beyond.as_ref();
        rows.add_row([
            forwarding.network.to_string(),
            forwarding.traffic.to_string(),
            edge.map_or("–".into(), |edge| bit_rate(edge.bits_per_second)),
            edge.and_then(|edge| edge.frames_per_second)
                .map_or("–".into(), |frames| count(frames.round() as u64)),
            edge.map_or("–".into(), |edge| bit_rate(edge.peak_bits_per_second)),
            beyond.map_or("–".into(), |beyond| bit_rate(beyond.bits_per_second)),
        ]);
    }
    rows.to_string()
}

fn shaping(all: &[Shaping]) -> String {
    let mut rows = table(&["claim of", "borne", "frames/s", "not borne"]);
    for Shaping { traffic, edge, beyond } in all {
        let frames = edge.and_then(|edge| edge.frames_per_second);
        rows.add_row([
            traffic.to_string(),
            edge.map_or("–".into(), |edge| bit_rate(edge.bits_per_second)),
            frames.map_or("–".into(), |frames| count(frames.round() as u64)),
            beyond.as_ref().map_or("–".into(), |beyond| bit_rate(beyond.bits_per_second)),
        ]);
    }
    rows.to_string()
}

fn wake_ups(profile: &Profile) -> String {
    let mut rows = table(&["wake-ups", "class", "median", "p99", "max"]);
    let all = [("idle CPUs", profile.idle_wake_ups), ("busy CPUs", profile.busy_wake_ups)];
    for (beside, WakeUps { scheduling, p50_us, p99_us, max_us, .. }) in all {
        let class = scheduling.to_string();
        rows.add_row([beside.into(), class, micros(p50_us), micros(p99_us), micros(max_us)]);
    }
    let crossing =
        profile.crossing.map_or(String::new(), |Crossing { p50_us, least_us, most_us }| {
            let [p50, least, most] = [p50_us, least_us, most_us].map(micros);
            format!("\n\na link takes {p50} for a frame, beside its delay ({least} to {most})")
        });
    rows.to_string() + &crossing
}

fn disk(disk: &Disk) -> Vec<String> {
    let sequential = disk.sequential.map(|writes| {
        let path = if writes.direct { "direct" } else { "through the page cache" };
        format!("{:.0} MB/s in 256 KiB writes, {path}", writes.bytes_per_second / 1e6)
    });
    let synchronous = disk.synchronous.map(|writes| {
        let (median, p99) = (micros(writes.p50_us), micros(writes.p99_us));
        format!("a synchronous 4 KiB write takes {median}, p99 {p99}")
    });
    let measured = sequential.into_iter().chain(synchronous);
    let lines = measured.map(|text| format!("disk of {}: {text}", disk.directory));
    lines.chain(disk.missing.iter().map(|text| format!("disk: {text}"))).collect()
}

fn memory(memory: &Memory) -> Vec<String> {
    let mib = |bytes: u64| format!("{} MiB", count(bytes >> 20));
    let limit =
        memory.limit_bytes.map_or("no limit".into(), |limit| format!("limit {}", mib(limit)));
    let (total, available) = (mib(memory.total_bytes), mib(memory.available_bytes));
    let cost = |what: &str, cost: &MemoryCost| {
        let kib = |bytes: Option<u64>| {
            bytes.map_or("an unknown part".into(), |bytes| format!("{} KiB", bytes >> 10))
        };
        let (kernel, engine) = (kib(cost.kernel_bytes), kib(cost.engine_bytes));
        format!("a {what} takes {kernel} of the kernel and {engine} of the engine")
    };
    let costs = [("node", &memory.node), ("link", &memory.link)];
    let costs = costs.into_iter().filter_map(|(what, of)| of.as_ref().map(|of| cost(what, of)));
    std::iter::once(format!("memory: {total}, {available} available, {limit}"))
        .chain(costs)
        .collect()
}
