//! What symbiosis is worth: the evaluation of Erazo 2013, §5.7, in virtual time. A path of pipes
//! with other traffic is the original; the small network follows it by `md1` and by
//! `cross_traffic`, in the same period (lag 0, as the thesis does it) and one period late (lag 1,
//! as a run must).
//!
//! `cargo bench -p netloom-symbiosis --bench paper`, or with the names of cases behind `--`. Prints
//! the thesis's figures beside ours. Deterministic: seeds are fixed. `--trace FILE` gives the case
//! `oc192` a trace.

mod constant;
mod errors;
mod measures;
mod oc192;
mod overload;
mod poisson;
mod readings;
mod scenes;
mod staggered;
mod table51;
mod table52;
mod trace;

/// Name, what it repeats, and the case.
const CASES: &[(&str, &str, fn())] = &[
    ("poisson", "Figs 5.12–5.14: Poisson arrivals", poisson::run),
    ("constant", "Figs 5.15–5.17: one flow constant", constant::run),
    ("trace", "Figs 5.18–5.19: a trace, contracted and dilated", trace::run),
    ("oc192", "Figs 5.20–5.21: a trace of 10 Gbit/s, dilated", || oc192::run(trace().as_deref())),
    ("table51", "Table 5.1: one link", table51::run),
    ("overload", "Figs 5.22–5.23: a line that is too slow", overload::run),
    ("staggered", "Figs 5.25–5.27: congestion that moves", staggered::run),
    ("table52", "Table 5.2: three links", table52::run),
    ("readings", "how a backlog is inherited (5.11)", readings::run),
];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    let file = arguments.iter().position(|arg| arg == "--trace").map(|place| [place, place + 1]);
    let is_name = |place: usize| !file.is_some_and(|both| both.contains(&place));
    let names: Vec<&String> = arguments
        .iter()
        .enumerate()
        .filter(|(place, _)| is_name(*place))
        .map(|(_, arg)| arg)
        .collect();
    let is_unknown = |name: &&&String| CASES.iter().all(|(case, ..)| case != **name);
    if let Some(name) = names.iter().find(is_unknown) {
        let all: Vec<&str> = CASES.iter().map(|(case, ..)| *case).collect();
        eprintln!("`{name}` is no case; there are {}", all.join(", "));
        std::process::exit(2);
    }
    for (name, what, case) in CASES {
        if names.is_empty() || names.iter().any(|wanted| *wanted == name) {
            println!("## {name}: {what}\n");
            case();
            println!();
        }
    }
}

/// The file behind `--trace`.
fn trace() -> Option<String> {
    std::env::args().skip_while(|arg| arg != "--trace").nth(1)
}
