//! Simulated nodes between real ones.

mod common;

use common::{Lab, eventually};
use serde_json::Value;

/// A client and a server with two simulated routers between them, and simulated hosts beside.
const NETWORK: &str = "topology:
  kinds: { router: { simulated: true } }
  groups: { crowd: { simulated: true } }
  nodes:
    client:
    server: { services: [web] }
    left: { kind: router }
    right: { kind: router }
    from: { group: crowd }
    to: { group: crowd }
  links:
    - { name: near, endpoints: ['client:eth1', left], delay: 1ms }
    - { name: middle, endpoints: [left, right], delay: 5ms }
    - { name: far, endpoints: [right, 'server:eth1'], delay: 1ms }
    - { endpoints: [from, left], delay: 1ms }
    - { endpoints: [right, to], delay: 1ms }
";

fn summary(lab: &Lab) -> Value {
    let file = std::fs::read_to_string(lab.path("results/summary.json")).unwrap();
    serde_json::from_str(&file).unwrap()
}

fn link<'v>(links: &'v Value, name: &str) -> &'v Value {
    links.as_array().unwrap().iter().find(|link| link["name"] == name).unwrap()
}

#[test]
fn real_programs_meet_through_a_simulated_network() {
    let lab = Lab::new(&format!(
        "{NETWORK}traffic:
  - {{ name: crowd, from: from, to: to, udp: {{}}, cbr: {{ rate: 1Mbit/s }}, for: 500ms }}
processes:
  - {{ name: page, node: client, command: curl -4 -sS -m 20 -o /dev/null http://server/ }}
  - {{ name: ping6, node: client, command: ping -6 -n -c 2 -i 0.2 server }}
  - {{ name: ping, node: client, command: ping -4 -n -c 3 -i 0.2 server }}
  - {{ name: host, node: client, command: ping -n -c 3 -i 0.2 to }}
  - {{ name: hop, node: client, command: [sh, -c, '! ping -4 -n -c 1 -t 1 server'] }}
  - {{ name: nobody, node: client, command: [sh, -c, 'curl -4 -sS -m 20 http://to/; test $? = 7'] }}
measure: {{ capture: ['client:eth1'] }}
"
    ));
    lab.ok(&["run", "-o", "results"]);
    assert_eq!(lab.remains(), [""; 0]);
    let summary = summary(&lab);
    assert_eq!((&summary["mode"], &summary["success"]), (&"hybrid".into(), &true.into()));
    let output = |name: &str| {
        let file = format!("results/processes/{name}@client.stdout");
        std::fs::read_to_string(lab.path(&file)).unwrap()
    };
    // Two routers take a hop each; 14 ms are the least that links take there and back.
    let ping = output("ping");
    assert!(ping.contains("ttl=62"), "{ping}");
    let least = ping.split("rtt min/avg/max/mdev = ").nth(1).unwrap().split('/').next().unwrap();
    assert!(least.parse::<f64>().unwrap() >= 14.0, "{ping}");
    assert!(output("hop").contains("Time to live exceeded"), "{}", output("hop"));
    // What the crowd sends is sent, and is in the middle with all else.
    let crowd = &summary["flows"][0];
    assert_eq!((&crowd["name"], &crowd["sent"]), (&"crowd".into(), &crowd["received"]));
    let middle = &link(&summary["links"], "middle")["forward"]["statistics"]["delivered"];
    let crowd = crowd["sent"]["frames"].as_u64().unwrap();
    assert!(crowd > 10 && middle["frames"].as_u64().unwrap() > crowd + 10, "{middle}");
    // The verdict speaks of pipes where real and simulated nodes meet.
    let pipes = summary["verdict"]["bound"]["pipes"].as_array().unwrap();
    let names: Vec<&str> = pipes.iter().map(|pipe| pipe["pipe"].as_str().unwrap()).collect();
    for name in ["near/forward", "near/reverse", "far/forward", "far/reverse"] {
        assert!(names.contains(&name), "{names:?}");
    }
    assert!(lab.path("results/flows.parquet").exists());
    let seen = common::captured(&lab.path("results/captures/client-eth1.pcapng"), 98);
    assert!(seen.len() >= 6, "pings over IPv4 and replies: {seen:?}");
}

/// A real client asks the server of simulated clients, over links that lose packets.
#[test]
fn real_clients_are_served_by_simulated_servers() {
    let get = "curl -4 -sS -m 50 -o";
    let shown = "-w '%{http_code} %{size_download} '";
    let lab = Lab::new(&format!(
        "{}traffic:
  - {{ name: web, from: from, to: to, tcp: {{ port: 8000 }}, for: 2s,
      http: {{ sizes: 10kB, think: 100ms }} }}
  - {{ name: dump, from: from, to: to, tcp: {{ port: 9000 }}, bulk: {{ bytes: 1kB }} }}
processes:
  - name: pages
    node: client
    command: >
      {get} page {shown} http://to:8000/300000 http://to:8000/0 http://to:8000/nothing &&
      test $(tr -d '\\0' < page | wc -c) = 0
  - name: upload
    node: client
    command: |
      python3 -c '
      import socket
      to = socket.create_connection((\"to\", 9000))
      to.sendall(bytes(200000))
      to.shutdown(socket.SHUT_WR)
      assert to.recv(1) == b\"\", \"it closes when it has all\"'
",
        NETWORK.replace("right], delay: 5ms", "right], delay: 5ms, loss: 1%")
    ));
    lab.ok(&["run", "-o", "results"]);
    assert_eq!(lab.remains(), [""; 0]);
    let pages = lab.path("results/processes/pages@client.stdout");
    assert_eq!(std::fs::read_to_string(pages).unwrap(), "200 300000 200 0 404 0 ");
    let flows = summary(&lab)["flows"].clone();
    let bytes = |flow: usize, what: &str| flows[flow][what]["bytes"].as_u64().unwrap();
    assert!(bytes(0, "sent") > 300_000, "what a server sends counts: {flows}");
    assert_eq!(bytes(1, "received"), 1000 + 200_000, "{flows}");
}

#[test]
fn simulated_links_are_set_like_others() {
    let lab = Lab::deployed(NETWORK);
    let round_trip = || {
        let printed = lab.sh("client", "ping -4 -n -c 3 -i 0.2 server");
        let least = printed.split("mdev = ").nth(1).unwrap().split('/').next().unwrap();
        least.parse::<f64>().unwrap()
    };
    assert!(round_trip() >= 14.0);
    lab.ok(&["set", "middle", "delay=80ms"]);
    assert!(round_trip() >= 164.0);
    lab.ok(&["set", "middle", "delay=5ms"]);

    // A cut link pulls the cable of the real node at it.
    let carrier = || lab.sh("client", "cat /sys/class/net/eth1/carrier");
    assert_eq!(carrier(), "1\n");
    lab.ok(&["set", "near", "state=down"]);
    assert_eq!(carrier(), "0\n");
    lab.ok(&["set", "near", "state=up"]);
    assert_eq!(carrier(), "1\n");
    eventually("the server is reached again", || {
        lab.try_sh("client", "ping -4 -n -c 1 -W 1 server").0 == 0
    });

    let view = lab.inspect();
    let left = view["nodes"].as_array().unwrap().iter().find(|node| node["name"] == "left");
    assert_eq!(left.unwrap()["simulated"], true);
    assert_eq!(left.unwrap()["interfaces"].as_array().unwrap().len(), 3);
    assert_eq!(link(&view["links"], "near")["forward"]["config"]["state"], "up");
    let (code, why) = lab.fails(&["exec", "left", "--", "true"]);
    assert!(code != 0 && why.contains("`left` is simulated"), "{why}");
    lab.ok(&["pingall", "-4"]);
    let (_, why) = lab.fails(&["apply"]);
    assert!(why.contains("cannot be changed to another scenario"), "{why}");
    let (_, why) = lab.fails(&["set", "near", "background=nonsense"]);
    assert!(why.contains("background"), "{why}");
}

/// A request that changes a real link and a simulated one, where the change of the simulated one is
/// impossible, changes neither. One that is possible changes both at one time.
#[test]
fn real_and_simulated_links_change_together_or_not_at_all() {
    let network = NETWORK.replace("    client:\n", "    client:\n    peer:\n");
    let lab = Lab::deployed(&format!(
        "{network}    - {{ name: own, endpoints: ['client:eth2', peer], delay: 1ms }}\n"
    ));
    let delay = |name: &str| {
        let view = lab.inspect();
        link(&view["links"], name)["forward"]["config"]["delay"].as_str().unwrap().to_owned()
    };
    let changes = |of_middle: &str| {
        format!(
            r#"{{"changes":[{{"link":"own","change":{{"delay":"7ms"}}}},
                {{"link":"middle","change":{of_middle}}}]}}"#
        )
    };
    // A share of a rate, on links without one.
    let share = r#"{"background":[{"cbr":{"load":"40%"}}]}"#;
    let answer = lab.request("PATCH", "/v1/links", &changes(share));
    assert!(answer.starts_with("HTTP/1.1 400") && answer.contains("background"), "{answer}");
    assert_eq!((delay("own"), delay("middle")), ("1ms".into(), "5ms".into()));

    let answer = lab.request("PATCH", "/v1/links", &changes(r#"{"delay":"9ms"}"#));
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    assert_eq!((delay("own"), delay("middle")), ("7ms".into(), "9ms".into()));
    // The real part goes first; if it is impossible, the simulated part stays.
    let wrong = changes(r#"{"delay":"3ms"}"#).replace(r#"{"delay":"7ms"}"#, share);
    let answer = lab.request("PATCH", "/v1/links", &wrong);
    assert!(answer.starts_with("HTTP/1.1 400"), "{answer}");
    assert_eq!((delay("own"), delay("middle")), ("7ms".into(), "9ms".into()));
}

/// More than any machine simulates: the run ends in time all the same, and says so.
#[test]
fn a_simulation_that_cannot_keep_up_is_reported_and_ends_with_the_run() {
    let lab = Lab::new(&format!(
        "duration: 1s\n{NETWORK}traffic:
  - {{ name: flood, from: from, to: to, udp: {{}}, cbr: {{ rate: 40Gbit/s }}, size: 60B,
      background: true, start: 500ms }}
processes:
  # Frames come at the moment at which it falls behind.
  - {{ name: ping, node: client, command: ping -4 -n -q -i 0.002 -c 500 server, background: true }}
"
    ));
    let output = lab.netloom(&["run", "-o", "results"]);
    let summary = summary(&lab);
    let ended = summary["ended"].as_u64().unwrap();
    assert!(ended < 20_000_000_000, "{output:?}");
    let busiest = summary["simulation"]["busiest_second"].as_f64().unwrap();
    assert!(busiest > 0.5, "{busiest}");
    let warnings = summary["warnings"].to_string();
    assert!(warnings.contains("the simulated part was busy for"), "{warnings}");
    assert!(warnings.contains("dilation"), "{warnings}");
    assert!(summary["simulation"]["highest_load"].as_f64().unwrap() > 1.0, "{summary}");
    assert_eq!(summary["verdict"]["links"], "invalid", "{}", summary["verdict"]);
    assert_eq!(lab.remains(), [""; 0]);
}

#[test]
fn the_same_scenario_is_simulated_as_a_whole() {
    let lab = Lab::new(&format!(
        "{}traffic:\n  - {{ name: crowd, from: from, to: to, ping: {{ count: 3 }} }}\n",
        NETWORK.replace("server: { services: [web] }", "server:")
    ));
    lab.ok(&["run", "--simulate", "-o", "results"]);
    let summary = summary(&lab);
    assert_eq!(
        (&summary["mode"], &summary["flows"][0]["name"]),
        (&"simulation".into(), &"crowd".into())
    );
}

#[test]
fn what_cannot_be_in_a_hybrid_run_is_said_before_anything_is_made() {
    let lab = Lab::new(&format!(
        "{NETWORK}traffic:
  - {{ name: mixed, from: client, to: to, ping: {{ count: 3 }} }}
timeline:
  - {{ at: 1s, node: left, state: failed }}
measure: {{ capture: ['left:eth1'], frames: [middle] }}
simulation: {{ processes: 2 }}
"
    ));
    let (code, why) = lab.fails(&["run", "-o", "results"]);
    assert!(code != 0, "{why}");
    for part in [
        "traffic `mixed` goes between simulated and real nodes",
        "the simulated part of a hybrid run cannot be divided among 2 processes",
        "`failed` of `left` cannot be",
        "the capture at left:eth1",
        "the frames of link `middle` cannot be logged",
    ] {
        assert!(why.contains(part), "{part}: {why}");
    }
    assert_eq!(lab.remains(), [""; 0]);
}

/// A simulation in which nothing happens has not stood still, for however long it slept.
#[test]
fn an_idle_simulation_is_not_behind() {
    let lab = Lab::new(&format!(
        "{NETWORK}processes:
  - {{ name: ping, node: client, command: ping -4 -n -c 2 -i 4 server }}
"
    ));
    lab.ok(&["run", "-o", "results"]);
    let summary = summary(&lab);
    let stood_still = summary["verdict"]["bound"]["engine"]["share"].as_f64().unwrap();
    assert!(stood_still < 0.5, "{stood_still}");
}
