//! The page as a whole: its contents, the escaping of all text, and its independence of other
//! files. `BLESS=1` accepts a page that looks different; look at it in a browser first.

mod made_up;

use std::{env, fs};

use made_up::{at, link, run};
use netloom_api::flow::FlowStatus;
use netloom_api::simulation::{FollowingFlow, FollowingPipe, SimulationSummary, SymbiosisSummary};
use netloom_api::state::{DirectPipe, DirectStatistics, PipeStatus};
use netloom_api::summary::MachineSummary;
use netloom_link::Count;
use netloom_monitor::Alignment;
use netloom_report_page::{Curves, FlowCurves, FlowSample, Happened, Metrics, Radio, Run, page};
use netloom_units::{Duration, Time};
use proptest::prelude::*;
use scraper::{Html, Selector};

/// Parses the page as a browser does. Invalid HTML is an error.
fn read(page: &str) -> Html {
    let html = Html::parse_document(page);
    assert!(html.errors.is_empty(), "{:?}", html.errors);
    html
}

fn count(html: &Html, selector: &str) -> usize {
    html.select(&Selector::parse(selector).unwrap()).count()
}

/// Returns the text of all matching elements, in the order of the page.
fn texts(html: &Html, selector: &str) -> Vec<String> {
    html.select(&Selector::parse(selector).unwrap()).map(|one| one.text().collect()).collect()
}

/// Returns the elements with the names of their attributes, in order. Texts and sizes are left out.
fn structure(html: &Html) -> Vec<String> {
    let elements = html.tree.nodes().filter_map(|node| node.value().as_element());
    elements
        .map(|one| {
            format!("{} {:?}", one.name(), one.attrs().map(|(name, _)| name).collect::<Vec<_>>())
        })
        .collect()
}

#[test]
fn the_page_looks_as_it_should() {
    let golden = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/page.html");
    let page = page(&run("")) + "\n";
    if env::var_os("BLESS").is_some() {
        fs::write(golden, &page).unwrap();
    }
    assert!(
        page == fs::read_to_string(golden).unwrap(),
        "another page than tests/page.html; BLESS=1 accepts it"
    );
}

#[test]
fn several_machines_have_a_table_and_frames() {
    let mut run = run("");
    let scenario = run.scenario.as_ref().unwrap();
    let nodes: Vec<String> = scenario.nodes.iter().map(|node| node.name.clone()).collect();
    let machine = |number: usize| format!("<m{}>", number % 2);
    run.summary.placement =
        nodes.iter().enumerate().map(|(n, node)| (node.clone(), machine(n))).collect();
    let bound = Duration::from_micros(30);
    let clock = Alignment { offset_ns: -1_500_000, drift_ppb: 12_345, bound };
    run.summary.machines = [0, 1]
        .map(|number| MachineSummary {
            name: machine(number),
            kernel: Some("6.18".into()),
            profile: None,
            clock,
            lost: (number == 1).then_some(at(4.5)),
        })
        .into();
    let verdict = run.summary.verdict.as_mut().unwrap();
    verdict.findings[1].machine = Some(machine(1));
    verdict.signals[1].machine = Some(machine(1));
    let html = read(&page(&run));
    let rows = texts(&html, "#machines tbody tr");
    assert_eq!(rows.len(), 2);
    assert!(rows[0].contains("<m0>") && rows[0].contains("valid"), "{rows:?}");
    assert!(rows[1].contains("± 30 µs, drift 12.345 ppm"), "{rows:?}");
    assert!(rows[1].ends_with("suspect, lost at 4.500 s"), "{rows:?}");
    assert_eq!(count(&html, "#topology .machine"), 2);
    assert_eq!(count(&html, "dt + dd a[href='#machines']"), 1);
    let signals = texts(&html, "#contention td.what");
    assert!(signals.contains(&"cpu on CPU 1 of machine <m1>".into()), "{signals:?}");
}

#[test]
fn shared_media_show_where_nodes_were_and_who_is_hidden() {
    let html = read(&page(&run("")));
    assert!(texts(&html, "h2").contains(&"Shared media".into()));
    assert_eq!((count(&html, ".map .track"), count(&html, ".map .place")), (1, 3));
    assert_eq!(count(&html, ".stack .kind-0"), 3);
    let said = texts(&html, "p").into_iter().find(|text| text.starts_with("Hidden from"));
    assert!(said.is_some_and(|said| said.contains("a and c (1)")));
    let mut wired = run("");
    wired.radio = Radio::default();
    assert!(!texts(&read(&page(&wired)), "h2").contains(&"Shared media".into()));
}

#[test]
fn a_symbiotic_run_shows_how_pipes_followed() {
    let mut run = run("");
    let headings = |run: &Run| texts(&read(&page(run)), "h2");
    let heading = String::from("How pipes followed the simulation");
    assert!(!headings(&run).contains(&heading));
    let pipe = FollowingPipe {
        pipe: "h1--h2/forward".into(),
        stands_for: vec!["h1--r/forward".into(), "r--h2/forward".into()],
        twins: [200, 3, 197],
        real: [0, 0, 0],
        ..FollowingPipe::default()
    };
    let flow = FollowingFlow {
        from: "h1".into(),
        to: "h2".into(),
        delay_difference: Some(0.123),
        ..FollowingFlow::default()
    };
    let symbiosis = SymbiosisSummary {
        period: Duration::from_secs(1),
        periods: 2,
        pipes: vec![pipe],
        flows: vec![flow],
        ..SymbiosisSummary::default()
    };
    run.summary.simulation =
        Some(SimulationSummary { symbiosis: Some(symbiosis), ..SimulationSummary::default() });
    assert!(headings(&run).contains(&heading));
    let cells = texts(&read(&page(&run)), "td");
    let chain = "h1--r/forward, r--h2/forward";
    for cell in ["h1--h2/forward", chain, "1.50 %", "98.5", "0.0", "12.3 %", "\u{2013}"] {
        assert!(cells.iter().any(|one| one == cell), "{cell}: {cells:?}");
    }
}

/// 1 Mbit/s of datagrams that take 2 ms, and 4 Mbit/s over TCP whose window and round-trip time are
/// known.
#[test]
fn flows_have_a_table_and_curves() {
    let mut run = run("");
    let flow = |name: &str, protocol: &str, bytes| FlowStatus {
        name: name.into(),
        protocol: protocol.into(),
        received: Count { frames: 0, bytes },
        ..FlowStatus::default()
    };
    run.summary.flows = vec![flow("voice", "udp", 1_250_000), flow("bulk", "tcp", 5_000_000)];
    let mut curves = FlowCurves::new(run.summary.ended, &run.summary.flows);
    for second in 1..=10 {
        let time = Time::from_nanos(second * 1_000_000_000);
        let of_voice = FlowSample {
            time,
            received_bytes: second * 125_000,
            received_packets: second * 100,
            delay_sum_ns: second * 200_000_000,
            ..FlowSample::default()
        };
        let (cwnd, srtt_ns) = (Some(10 + second), Some(20_000_000));
        let received_bytes = second * 500_000;
        let of_bulk = FlowSample { time, received_bytes, cwnd, srtt_ns, ..FlowSample::default() };
        curves.add("voice", of_voice);
        curves.add("bulk", of_bulk);
        curves.add("unknown", of_bulk);
    }
    run.flow_curves = Some(curves);
    let html = read(&page(&run));
    assert_eq!(texts(&html, "#flows td.what"), ["voice", "bulk"]);
    let titles = texts(&html, "#flows .panel .title");
    assert_eq!(
        titles,
        [
            "goodput, Mbit/s",
            "mean delay, ms",
            "round-trip time of TCP, ms",
            "congestion window, packets",
        ]
    );
    let paths = Selector::parse("#flows .panel path").unwrap();
    let curves = html.select(&paths).filter_map(|path| path.attr("d"));
    let curves: Vec<&str> = curves.filter(|d| !d.ends_with("h24")).collect();
    assert_eq!(curves.len(), 2 + 1 + 1 + 1);
    // 4 of 4 Mbit/s and 1 of 4, all the time.
    let (top, bottom) = (16.0 + 18.0, 16.0 + 18.0 + 58.0);
    let level = |share: f64| format!("M52 {}H706", bottom - (bottom - top) * share);
    assert_eq!(curves[..2], [level(1.0), level(0.25)]);
}

#[test]
fn expectations_are_listed_those_that_were_not_met_first() {
    let mut run = run("");
    let html = read(&page(&run));
    assert!(texts(&html, "p").contains(&"1 of 2 met.".into()));
    let cells = texts(&html, "td");
    let first = cells.iter().position(|cell| cell == "output with `0% packet loss`").unwrap();
    assert_eq!(cells[first..first + 3], ["output with `0% packet loss`", "no", "no output"]);
    let met = cells.iter().position(|cell| cell == "exit code 0").unwrap();
    assert!(met > first && cells[met + 1] == "yes");
    run.summary.expectations.clear();
    assert!(!texts(&read(&page(&run)), "h2").contains(&"Expectations".into()));
}

#[test]
fn each_metric_has_a_curve_of_each_node() {
    let html = read(&page(&run("")));
    let paths = Selector::parse("#metrics .panel path").unwrap();
    let curves: Vec<&str> = html
        .select(&paths)
        .filter_map(|path| path.attr("d").filter(|d| !d.ends_with("h24")))
        .collect();
    // Values up to 8 × 10⁶, on an axis to 10 × 10⁶, in a plot 58 high and 654 wide for 10 s.
    let (bottom, left, width) = (16.0 + 18.0 + 58.0, 52.0, 654.0);
    let y = |share: f64| bottom - 58.0 * share;
    let client =
        format!("M{left} {:.1}H{}V{:.1}H{}", y(0.2), left + width / 2.0, y(0.4), left + width);
    let server = format!("M{} {:.1}H{}", left + width / 4.0, y(0.8), left + width);
    assert_eq!(curves, [client, server]);
    let cells = texts(&html, "#metrics td");
    let balance = cells.chunks(7).next().unwrap();
    assert_eq!(balance, ["balance", "client", "1", "-1.500", "-1.500", "-1.500", "-1.500"]);
    assert_eq!(
        cells[7..14],
        ["goodput", "client", "2", "2000000", "3000000", "4000000", "4000000"]
    );
    let mut without = run("");
    without.metrics = Metrics::default();
    assert_eq!(count(&read(&page(&without)), "#metrics"), 0);
}

#[test]
fn what_was_measured_is_where_it_belongs() {
    let html = read(&page(&run("")));
    // 8 Mbit/s to 5 s, then 6.4: the plot is 58 high for 0 to 10 Mbit/s and 654 wide for 10 s.
    let curves = |class: &str| {
        let all = Selector::parse(&format!(".panel path.{class}")).unwrap();
        html.select(&all)
            .filter_map(|path| path.attr("d").filter(|d| !d.ends_with("h24")).map(str::to_string))
            .collect::<Vec<_>>()
    };
    let (bottom, left, width) = (16.0 + 18.0 + 58.0, 52.0, 654.0);
    let y = |share: f64| bottom - 58.0 * share;
    assert_eq!(
        curves("delivered"),
        [format!("M{left} {:.1}H{}V{:.1}H{}", y(0.8), left + width / 2.0, y(0.64), left + width)]
    );
    assert_eq!(curves("offered"), [format!("M{left} {:.1}H{}", y(0.8), left + width)]);
    let bars = |within: &str| {
        html.select(&Selector::parse(&format!("{within} rect")).unwrap())
            .map(|band| ["class", "x", "width"].map(|name| band.attr(name).unwrap()).join(" "))
            .collect::<Vec<String>>()
    };
    // Curves show what must be left out, from 6 of 10 s on for 1 s; nothing else covers them.
    assert_eq!(bars("#marks"), ["out 392.4 65.4"]);
    // One strip has all, at 0.2, 6 and 8 of 10 s, for 0.3, 1.5 and 0 s. Those that are too short to
    // be visible are two wide.
    assert_eq!(
        bars("#contended .lane"),
        [
            "band invalid 444.4 65.4",
            "band invalid 575.2 2",
            "band warmup 65.1 19.6",
            "band suspect 444.4 98.1",
        ]
    );
    assert_eq!(texts(&html, "#contended .letter"), ["", "A", "B"]);
    assert_eq!(texts(&html, "#heads .number"), ["1", "2"]);
    // There are four panels in one direction, and none in the other.
    assert_eq!(count(&html, ".pipe"), 2);
    assert_eq!(count(&html, ".pipe svg.chart"), 1);
    assert_eq!(count(&html, ".pipe .panel"), 4);
    assert_eq!(texts(&html, ".verdict .word"), ["✗ invalid"]);
    assert_eq!(count(&html, "#topology .node"), 3);
}

#[test]
fn the_page_needs_nothing_else() {
    let page = page(&run(""));
    let html = read(&page);
    assert_eq!(count(&html, "script, link, img, iframe, object, embed, base, [src], [style]"), 0);
    let all = Selector::parse("[href]").unwrap();
    for link in html.select(&all) {
        let target = link.attr("href").unwrap();
        assert!(target.starts_with('#'), "{target}");
        assert_eq!(count(&html, &format!("[id='{}']", &target[1..])), 1, "{target}");
    }
    assert!(!page.contains("@import"));
    assert_eq!(page.matches("url(").count(), page.matches("url(#").count());
}

#[test]
fn a_run_of_which_little_is_known_has_a_page_too() {
    let known = run("");
    let bare = |summary| Run {
        summary,
        started: "not known".into(),
        scenario: None,
        machine: None,
        curves: None,
        flow_curves: None,
        happened: Happened::default(),
        metrics: Metrics::default(),
        radio: Radio::default(),
        missing: vec!["pipes.parquet: it is gone".into()],
    };
    let mut summary = known.summary.clone();
    summary.verdict = None;
    let html = read(&page(&bare(summary.clone())));
    assert_eq!(texts(&html, ".verdict .word"), ["none"]);
    assert_eq!(texts(&html, ".missing"), ["pipes.parquet: it is gone"]);
    assert_eq!(count(&html, ".pipe"), 2);
    assert_eq!(count(&html, "svg.chart, #contention, #topology"), 0);
    // The run ended at the moment it began, and contained nothing.
    summary.ended = at(0.0);
    (summary.links, summary.processes) = (Vec::new(), Vec::new());
    read(&page(&bare(summary)));
}

#[test]
fn of_a_direct_link_the_page_tells_what_the_kernel_knows() {
    let mut known = run("");
    let frames = |frames: u64| Count { frames, bytes: frames * 1000 };
    let carried = |number, dropped_frames| {
        let (offered, delivered) = (frames(number), frames(number));
        let statistics =
            DirectStatistics { at: at(10.0), since: at(0.0), offered, delivered, dropped_frames };
        PipeStatus::Direct(DirectPipe { statistics: Some(statistics) })
    };
    let (mut drawn, mut gone) = (link("drawn", 0), link("gone", 0));
    (drawn.forward, drawn.reverse) = (carried(5_000_000, 7), carried(1000, 0));
    let unknown = || PipeStatus::Direct(DirectPipe { statistics: None });
    (gone.forward, gone.reverse) = (unknown(), unknown());
    known.summary.links = vec![drawn, gone];
    let html = read(&page(&known));
    let shown = texts(&html, ".pipe figcaption");
    assert_eq!(shown.len(), 2, "the link that carried something");
    assert!(shown[0].contains("direct") && shown[0].contains("4.00 Gbit/s"), "{shown:?}");
    assert!(shown[0].contains("dropped 7") && !shown[0].contains("Delay"), "{shown:?}");
    let rows = texts(&html, "tr").into_iter().filter(|row| row.contains("(direct)"));
    let rows: Vec<String> = rows.collect();
    assert_eq!(rows.len(), 2, "{rows:?}");
    assert_eq!(rows[0].matches('–').count(), 6, "{rows:?}");
}

#[test]
fn a_large_run_has_a_page_that_can_be_read() {
    let mut large = run("");
    large.summary.links = (0..5000).map(|n| link(&format!("l{n}"), n * 1000)).collect();
    let signals = &mut large.summary.verdict.as_mut().unwrap().signals;
    for _ in 0..10 {
        signals.extend_from_within(..);
    }
    let processes = &mut large.summary.processes;
    for _ in 0..10 {
        processes.extend_from_within(..);
    }
    large.curves = Some(Curves::new(at(10.0), []));
    let page = page(&large);
    assert!(page.len() < 500_000, "{}", page.len());
    let html = read(&page);
    // The busiest links come first.
    assert_eq!(texts(&html, "h3")[..2], ["l4999", "l4998"]);
    let shown = texts(&html, "p").concat();
    for part in [
        "12 that carried most",
        "the other 4988",
        "4788 more links",
        "3012 more signals",
        "1848 more processes",
    ] {
        assert!(shown.contains(part), "{part} is not in {shown}");
    }
}

proptest! {
    /// Any text stays text, whatever it contains: the page has the same elements and attributes as
    /// with harmless names, and the text is there.
    #[test]
    fn any_text_is_only_text(
        with in "(\\PC|[<>&\"'`=/]|\\x00|\\x1b|\u{fffe}|\u{202e}|</style>|]]>|<!--|🦀){0,12}"
    ) {
        let hostile = read(&page(&run(&with)));
        let harmless = read(&page(&run("x")));
        prop_assert_eq!(structure(&hostile), structure(&harmless));
        let illegal = |c: char| c.is_control() || c == '\u{fffe}';
        let shown = with.replace(illegal, "\u{fffd}");
        for (selector, name) in [
            ("h1 .name", "made-up"),
            (".link h3", "uplink"),
            ("#topology .node:last-child text", "r"),
        ] {
            prop_assert_eq!(&texts(&hostile, selector)[0], &format!("{name}{shown}"));
        }
    }
}
