//! What the page shows of made-up samples, and what keys make of it.

use netloom_api::event::{Event, What};
use netloom_units::Time;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use serde_json::{Value, json};

use super::super::made_up;
use super::super::view::View;
use super::drawing::draw;
use super::grid::{Theme, fitted, width_of, wrapped};
use super::model::{Asked, Model};
use super::panes::Pane;
use super::sample::Sample;

/// What a lab of this many links has at the end of second `at`: link `i` is `i` thousandths busy
/// and drops `i` frames a second.
struct Lab {
    links: usize,
    names: fn(usize) -> String,
}

impl Lab {
    fn of(links: usize) -> Self {
        Self { links, names: |number| format!("link{number}") }
    }

    fn link(&self, number: usize, at: u64) -> Value {
        let mut link = made_up::link(&(self.names)(number), ["a", "b"]);
        let pipe = &mut link["forward"];
        pipe["config"]["rate"] = json!("1Gbit/s");
        let statistics = &mut pipe["statistics"];
        let grown = number as u64 * at;
        statistics["at"] = json!(at * 1_000_000_000);
        statistics["busy_ns"] = json!(grown * 1_000_000);
        statistics["load"] = json!(number as f64 / 1000.0);
        statistics["delivered"] = json!({"frames": grown, "bytes": grown * 125});
        statistics["dropped"]["loss"] = json!({"frames": grown, "bytes": grown * 125});
        statistics["queue"] = json!({"now": made_up::nothing(), "maximum": made_up::nothing(),
                   "mean_frames": number as f64, "fill": number as f64 / 1000.0});
        link
    }

    fn sample(&self, at: u64) -> Sample {
        let links: Vec<Value> = (0..self.links).map(|number| self.link(number, at)).collect();
        let node = |name: &str| {
            json!({
                "name": name, "kind": "host", "primary": [], "interfaces": [], "namespace": null,
                "usage": {"cpu_ns": at * 250_000_000, "memory": 1 << 20, "pids": 3},
            })
        };
        let experiment = json!({
            "name": "lab", "engine_pid": 1, "version": "0", "phase": "running", "file": "f",
            "now": at * 1_000_000_000, "started_unix": 0, "nodes": 2, "links": self.links,
            "results": null,
        });
        let parsed = |value: Value| serde_json::from_value(value).unwrap();
        let view = View {
            experiment: serde_json::from_value(experiment).unwrap(),
            nodes: serde_json::from_value(json!([node("a"), node("b")])).unwrap(),
            links: serde_json::from_value(json!(links)).unwrap(),
            processes: serde_json::from_value(json!([
                {"process": "server", "node": "a", "state": {"ready": {"pid": 7}}},
                {"process": "probe", "node": "b", "state": {"done": {"code": 2}}},
            ]))
            .unwrap(),
            services: Vec::new(),
            verdict: parsed(made_up::verdict("suspect", 1)),
            window: None,
        };
        Sample { view, media: Vec::new(), flows: Vec::new() }
    }

    /// A page after two samples.
    fn page(&self) -> Model {
        let mut model = Model::new("lab", None);
        model.take(self.sample(4));
        model.take(self.sample(5));
        model
    }
}

fn event(seconds: u64, what: What) -> Event {
    let time = Time::from_nanos(seconds * 1_000_000_000);
    Event { number: 0, time, machine: None, what }
}

fn warning(text: &str) -> What {
    What::Warning { message: text.into() }
}

fn press(model: &mut Model, keys: &[KeyCode]) {
    for key in keys {
        assert_eq!(model.press(KeyEvent::new(*key, KeyModifiers::NONE)), Asked::Nothing);
    }
}

fn typed(model: &mut Model, text: &str) {
    let keys: Vec<KeyCode> = text.chars().map(KeyCode::Char).collect();
    press(model, &keys);
}

/// Returns the lines of the page on a screen of this size.
fn shown(model: &mut Model, (columns, rows): (u16, u16)) -> Vec<String> {
    let mut terminal = Terminal::new(TestBackend::new(columns, rows)).unwrap();
    terminal.draw(|frame| draw(frame, model)).unwrap();
    let buffer = terminal.backend().buffer();
    let line = |row: u16| (0..columns).map(|column| buffer[(column, row)].symbol()).collect();
    (0..rows).map(line).collect()
}

/// Returns the names of the links that are shown, in their order.
fn links(lines: &[String]) -> Vec<&str> {
    let words = lines.iter().filter_map(|line| line.split_whitespace().next());
    words.filter(|word| word.starts_with("link") && *word != "link").collect()
}

const SMALL: (u16, u16) = (80, 24);
const LARGE: (u16, u16) = (200, 50);

#[test]
fn the_busiest_links_come_first_with_what_they_did_since_the_sample_before() {
    let mut model = Lab::of(1000).page();
    let lines = shown(&mut model, SMALL);
    assert!(lines[0].starts_with("lab · running · 5 s · 2 nodes · 1000 links"), "{lines:#?}");
    let links = links(&lines);
    assert_eq!(links[..3], ["link999", "link998", "link997"], "{lines:#?}");
    let first = lines.iter().find(|line| line.starts_with("link999")).unwrap();
    // 999 frames of 125 bytes, and as many dropped, in this second of five.
    assert!(first.contains("999 kbit/s"), "{first}");
    assert!(first.contains(" 999  4 995"), "{first}");
}

#[test]
fn a_bar_is_as_long_as_the_load() {
    let bar = |load: usize| {
        let lab = Lab { links: 1, names: |_| "link".into() };
        let mut model = Model::new("lab", None);
        for at in [4, 5] {
            let mut sample = lab.sample(at);
            let link = Lab::of(0).link(load, at);
            sample.view.links = vec![serde_json::from_value(link).unwrap()];
            model.take(sample);
        }
        let lines = shown(&mut model, SMALL);
        let line = lines.into_iter().find(|line| line.starts_with("link") && line.contains("bit"));
        // The queue is as full as the line is busy. `█` has eight eighths, `▏` one, and `·` none.
        let eighths = |letter: char| match letter {
            '█'..='▏' => Some(8 - (letter as u32 - '█' as u32)),
            '·' => Some(0),
            _ => None,
        };
        let eighths: Vec<u32> = line.unwrap().chars().filter_map(eighths).collect();
        assert!(eighths.len() >= 2 * 5, "{eighths:?}");
        f64::from(eighths.iter().sum::<u32>()) / (8 * eighths.len()) as f64
    };
    for thousandths in [0, 10, 250, 500, 700, 1000] {
        let (share, expected) = (bar(thousandths), thousandths as f64 / 1000.0);
        assert!((share - expected).abs() < 0.03, "{share} for {expected}");
        assert_eq!(share == 0.0, thousandths == 0, "what is not nothing shows");
    }
}

#[test]
fn every_key_of_the_help_does_what_it_says() {
    let mut model = Lab::of(30).page();
    // Another order, and its reverse.
    typed(&mut model, "sssss");
    assert_eq!(links(&shown(&mut model, SMALL))[0], "link29", "all orders, round to the first");
    typed(&mut model, "S");
    assert_eq!(links(&shown(&mut model, SMALL))[..2], ["link0", "link1"]);
    typed(&mut model, "ssss");
    assert_eq!(links(&shown(&mut model, SMALL))[..3], ["link0", "link1", "link10"], "by name");
    // Scrolling stops where the last page is full.
    press(&mut model, &[KeyCode::End]);
    let lines = shown(&mut model, SMALL);
    assert_eq!(links(&lines).last(), Some(&"link9"), "{lines:#?}");
    let full = links(&lines).len();
    press(&mut model, &[KeyCode::PageUp]);
    assert_eq!(links(&shown(&mut model, SMALL)).len(), full);
    press(&mut model, &[KeyCode::Home, KeyCode::Down]);
    assert_eq!(links(&shown(&mut model, SMALL))[0], "link1");
    // Panes.
    press(&mut model, &[KeyCode::Tab]);
    assert_eq!(model.focus, Pane::Nodes);
    let lines = shown(&mut model, SMALL);
    assert!(lines.iter().any(|line| line.starts_with("a ") && line.contains("25 %")), "{lines:#?}");
    press(&mut model, &[KeyCode::BackTab, KeyCode::Left]);
    assert_eq!(model.focus, Pane::Verdict, "round from the first to the last");
    // Help.
    typed(&mut model, "?");
    let lines = shown(&mut model, SMALL);
    assert!(lines.iter().any(|line| line.contains("sort the other way round")), "{lines:#?}");
    press(&mut model, &[KeyCode::Esc]);
    assert!(!model.is_helping);
    for (code, modifiers) in [
        (KeyCode::Char('q'), KeyModifiers::NONE),
        (KeyCode::Esc, KeyModifiers::NONE),
        (KeyCode::Char('c'), KeyModifiers::CONTROL),
    ] {
        assert_eq!(model.press(KeyEvent::new(code, modifiers)), Asked::Leave);
    }
}

#[test]
fn the_filter_shows_names_as_they_are_typed() {
    let mut model = Lab::of(30).page();
    model.log.add(&event(1, warning("LINK12 is slow")));
    model.log.add(&event(2, warning("the sky is blue")));
    typed(&mut model, "/link");
    assert_eq!(links(&shown(&mut model, LARGE)).len(), 30);
    typed(&mut model, "1");
    assert_eq!(links(&shown(&mut model, LARGE)).len(), 11, "link1 and link10 to link19");
    // Letters that are keys elsewhere are letters here.
    typed(&mut model, "q?s");
    let lines = shown(&mut model, LARGE);
    assert!(links(&lines).is_empty());
    assert!(lines.iter().any(|line| line.contains("none of 30 fits the filter")), "{lines:#?}");
    press(&mut model, &[KeyCode::Backspace; 3]);
    typed(&mut model, "2");
    let lines = shown(&mut model, LARGE);
    assert_eq!(links(&lines), ["link12"]);
    assert!(lines.iter().any(|line| line.contains("LINK12 is slow")), "{lines:#?}");
    assert!(!lines.iter().any(|line| line.contains("the sky is blue")), "{lines:#?}");
    press(&mut model, &[KeyCode::Enter, KeyCode::Char('s'), KeyCode::Esc]);
    assert_eq!(links(&shown(&mut model, LARGE)).len(), 30, "Esc ends it, and does not leave");
}

#[test]
fn every_screen_has_its_page() {
    for number in [0, 1, 3, 200] {
        let mut model = Lab::of(number).page();
        for step in 0..Pane::ALL.len() {
            for size in [(1, 1), (20, 4), (40, 10), SMALL, (132, 43), LARGE, (400, 120)] {
                let lines = shown(&mut model, size);
                assert_eq!(lines.len(), usize::from(size.1), "{number} {step} {size:?}");
            }
            press(&mut model, &[KeyCode::Tab]);
        }
    }
    let mut model = Lab::of(0).page();
    let lines = shown(&mut model, SMALL);
    assert!(lines.iter().any(|line| line.contains("Links: none")), "{lines:#?}");
    let mut model = Model::new("early", None);
    let lines = shown(&mut model, SMALL);
    assert!(lines[0].starts_with("early"), "{lines:#?}");
    assert!(lines.concat().contains("waiting for the engine's answer"), "{lines:#?}");
}

#[test]
fn a_large_screen_has_several_panes_and_a_small_one_keeps_the_figures() {
    let mut model = Lab::of(3).page();
    model.log.add(&event(1, warning("something happened")));
    let lines = shown(&mut model, LARGE).concat();
    for part in ["─ Links", "─ Nodes", "─ Processes", "─ Events", "something happened"] {
        assert!(lines.contains(part), "{part} is not in {lines}");
    }
    let lines = shown(&mut model, SMALL);
    for part in ["load →", "rate →", "load ←", "rate ←", "dropped", "something happened"] {
        assert!(lines.iter().any(|line| line.contains(part)), "{part} is not in {lines:#?}");
    }
    assert!(!lines.concat().contains("─ Nodes"), "{lines:#?}");
}

#[test]
fn names_of_others_are_cut_and_do_nothing_to_the_terminal() {
    let names: [fn(usize) -> String; 3] = [
        |number| format!("link{number}-{}", "long".repeat(40)),
        |number| format!("link{number}-{}", "漢字".repeat(40)),
        |number| format!("link{number}\u{1b}[2J\u{202e}\ntwo"),
    ];
    for names in names {
        let mut model = Lab { links: 3, names }.page();
        for size in [SMALL, LARGE] {
            let lines = shown(&mut model, size);
            let first = lines.iter().find(|line| line.starts_with("link2")).unwrap();
            assert!(first.contains("2.00 kbit/s"), "{first}");
            assert!(!lines.concat().contains(['\u{1b}', '\u{202e}', '\n']), "{lines:#?}");
        }
    }
}

#[test]
fn the_head_has_verdict_bound_and_outcome() {
    let mut model = Lab::of(1).page();
    let lines = shown(&mut model, SMALL);
    assert!(lines[1].starts_with("verdict so far: SUSPECT (links suspect, programs"), "{lines:#?}");
    assert!(lines[2].starts_with("error bound: frames of a--b/forward: p50 0"), "{lines:#?}");
    let outcome = |lines: &[String]| {
        let line = lines.iter().find(|line| line.starts_with("outcome so far: ")).unwrap();
        line["outcome so far: ".len()..].to_owned()
    };
    let failed = "FAILED, first: probe@b code 2; processes: 1 running, 1 ended ";
    assert!(outcome(&lines).starts_with(failed), "{lines:#?}");
    // It was expected to end so.
    let met = json!({
        "number": 0, "time": 0, "event": "expectation", "process": "probe", "node": "b",
        "expected": "exit code 2", "met": true, "found": "",
    });
    model.log.add(&serde_json::from_value(met).unwrap());
    let lines = shown(&mut model, SMALL);
    let passed = "nothing failed; expectations: 1 met, 0 not met; processes: 1 ";
    assert!(outcome(&lines).starts_with(passed), "{lines:#?}");
    let unmet = json!({
        "number": 1, "time": 0, "event": "expectation", "process": "server", "node": "a",
        "expected": "exit code 0", "met": false, "found": "it is code 1",
    });
    model.log.add(&serde_json::from_value(unmet).unwrap());
    let lines = shown(&mut model, SMALL);
    assert!(outcome(&lines).starts_with("FAILED, first: expectation not met"), "{lines:#?}");
}

#[test]
fn nothing_is_known_by_its_colour_alone() {
    let mut model = Lab::of(1000).page();
    let styles = |model: &mut Model| {
        let mut terminal = Terminal::new(TestBackend::new(80, 24)).unwrap();
        terminal.draw(|frame| draw(frame, model)).unwrap();
        let cells = terminal.backend().buffer().content().iter();
        cells.filter(|cell| cell.fg != ratatui::style::Color::Reset).count()
    };
    model.theme = Theme { has_colours: true };
    let lines = shown(&mut model, SMALL);
    assert!(styles(&mut model) > 0);
    model.theme = Theme { has_colours: false };
    assert_eq!(styles(&mut model), 0);
    assert_eq!(shown(&mut model, SMALL), lines);
}

#[test]
fn a_flow_has_the_figures_of_a_summary() {
    let flow = |bytes: u64| {
        json!({
            "name": "video", "from": "a", "to": "b", "protocol": "udp",
            "sent": {"frames": 90, "bytes": 0}, "received": {"frames": 80, "bytes": bytes},
            "duplicated": 0, "reordered": 0, "refused": 0, "errors": 0, "delay": null,
            "jitter_ns": 0.0,
        })
    };
    let mut model = Model::new("lab", None);
    for (at, bytes) in [(4, 1_000_000), (5, 1_250_000)] {
        let mut sample = Lab::of(1).sample(at);
        sample.flows = vec![serde_json::from_value(flow(bytes)).unwrap()];
        model.take(sample);
    }
    model.focus = Pane::Flows;
    let lines = shown(&mut model, SMALL);
    let line = lines.iter().find(|line| line.starts_with("video")).unwrap();
    // In this second, and over all five.
    for part in ["2.00 Mbit/s", "a → b", " 10 "] {
        assert!(line.contains(part), "{part} is not in {line}");
    }
}

#[test]
fn text_fits_its_width() {
    for text in ["", "a", "four", "漢字漢字", "e\u{301}e\u{301}e\u{301}", "👩‍👩‍👧‍👦 family"]
    {
        for width in 0..12 {
            for to_the_right in [false, true] {
                let text = fitted(text, width, to_the_right);
                assert_eq!(width_of(&text), width, "{text:?} at {width}");
            }
        }
        for width in 1..12 {
            let lines = wrapped(&format!("  {text} {text}"), width);
            assert!(lines.iter().all(|line| width_of(line) <= width), "{lines:?} at {width}");
        }
    }
    assert_eq!(wrapped("  one two three", 9), ["  one two", "    three"]);
}
