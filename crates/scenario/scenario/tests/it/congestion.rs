//! The congestion control of all nodes, and who decides it without one.

use netloom_scenario::{OpenCapture, ReadFile, Unreadable, load_with_files};

const KEY: &str = "net.ipv4.tcp_congestion_control";

/// A machine with this default.
struct Machine(&'static str);

impl ReadFile for Machine {
    fn text(&mut self, _: &str) -> Result<String, Unreadable> {
        Err(Unreadable::because("no files"))
    }

    fn capture(&mut self, _: &str) -> Result<OpenCapture, Unreadable> {
        Err(Unreadable::because("no files"))
    }

    fn congestion_control(&mut self) -> Option<String> {
        Some(self.0.into())
    }
}

fn text(topology: &str, node: &str, tcp: &str, more: &str) -> String {
    format!(
        "name: n\ntopology:\n  {topology}\n  nodes: {{ a: {{ {node} }}, b: , s: {{ kind: switch }} \
         }}\n  links: [{{ endpoints: [a, s] }}, {{ endpoints: [b, s] }}]\ntraffic:\n  \
         - {{ name: t, from: a, to: b, tcp: {tcp}, bulk: {{}}, for: 9s }}\n{more}"
    )
}

fn warnings(machine: &'static str, text: &str) -> usize {
    let loaded = load_with_files(text, &mut Machine(machine));
    loaded.unwrap_or_else(|found| panic!("{}", found.render("n", text))).warnings.iter().count()
}

#[test]
fn one_key_is_the_default_of_all_nodes() {
    let text = text("tcp: reno", &format!("sysctls: {{ {KEY}: bbr }}"), "{}", "");
    let scenario = load_with_files(&text, &mut Machine("bbr")).unwrap().scenario;
    let of = |name: &str| scenario.node(name).unwrap().sysctls.get(KEY).map(String::as_str);
    assert_eq!([of("a"), of("b"), of("s")], [Some("bbr"), Some("reno"), None]);
    let unknown = text.replace("reno", "renoo");
    let error = load_with_files(&unknown, &mut Machine("bbr")).unwrap_err().to_string();
    assert!(error.contains("there is no congestion control `renoo`"), "{error}");
}

#[test]
fn the_machines_default_is_no_silent_choice() {
    let plain = text("tcp: ~", "", "{}", "").replace("tcp: ~", "defaults: {}");
    assert_eq!(warnings("bbr", &plain), 1);
    assert_eq!(warnings("cubic", &plain), 0);
    assert_eq!(warnings("bbr", &text("tcp: cubic", "", "{}", "")), 0);
    let own = "{ congestion_control: reno }";
    assert_eq!(warnings("bbr", &text("defaults: {}", "", own, "")), 0);
    let simulated = "defaults: { node: { simulated: true } }";
    assert_eq!(warnings("bbr", &text(simulated, "", "{}", "")), 0);
    let iperf = "processes:\n  - { name: p, node: a, command: iperf3 -c b }\n";
    assert_eq!(warnings("bbr", &text("defaults: {}", "", own, iperf)), 0);
}
