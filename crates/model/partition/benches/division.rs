//! Divides five graphs of 10,000 vertices into 10 and 3 parts: `cargo bench -p netloom-partition`.
//! Prints links between parts in percent and the limit for 10 parts, sizes, and CPU time.

#[path = "../tests/it/graphs.rs"]
mod graphs;

use netloom_partition::Wanted;

fn main() {
    println!(
        "{:<18}{:>6}{:>8}{:>8}{:>14}{:>8}",
        "graph", "parts", "cut %", "limit", "sizes", "CPU s"
    );
    for named in graphs::all(100) {
        for parts in [10, 3] {
            let begun = cpu_time();
            let part_of = named.graph.divide(Wanted { parts, tolerance: 5, seed: 1 });
            let taken = cpu_time() - begun;
            let mut sizes = vec![0; parts as usize];
            part_of.iter().for_each(|part| sizes[*part as usize] += 1);
            sizes.sort_unstable();
            let cut = named.graph.cut(&part_of) as f64 / named.links as f64 * 100.0;
            let limit = if parts == 10 { named.most.to_string() } else { "–".to_string() };
            let sizes = format!("{}–{}", sizes[0], sizes[sizes.len() - 1]);
            let name = named.name;
            println!("{name:<18}{parts:>6}{cut:>8.1}{limit:>8}{sizes:>14}{taken:>8.2}");
        }
    }
}

/// CPU time of this thread in seconds.
fn cpu_time() -> f64 {
    let text =
        std::fs::read_to_string("/proc/thread-self/schedstat").expect("the kernel's account");
    let nanos = text.split(' ').next().and_then(|word| word.parse::<u64>().ok());
    nanos.expect("nanoseconds") as f64 / 1e9
}
