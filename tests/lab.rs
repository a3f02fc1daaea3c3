//! A deployed network as its users see it: nodes, links, commands, changes, captures.

mod common;

use std::collections::BTreeSet;
use std::fs;

use common::{Lab, captured, eventually, text};

#[test]
fn a_link_delays_and_reports() {
    let lab = Lab::pair(", delay: 10ms");
    lab.ok(&["deploy"]);
    let ping = lab.sh("a", "ping -n -c 3 -i 0.05 b");
    assert!(ping.contains("3 received"), "{ping}");
    // A reply before twice the delay cannot be: no statistics needed.
    for time in ping.split("time=").skip(1) {
        let milliseconds: f64 = time.split(' ').next().unwrap().parse().unwrap();
        assert!(milliseconds >= 20.0, "{ping}");
    }
    let view = lab.inspect();
    let link = &view["links"][0];
    assert_eq!(link["name"], "a--b");
    assert_eq!(link["forward"]["config"]["delay"], "10ms");
    assert!(link["forward"]["statistics"]["delivered"]["frames"].as_u64().unwrap() >= 3);
    assert_eq!(view["timing"]["unmodelled_drops"].as_object().unwrap().len(), 0);
    let table = lab.ok(&["inspect"]);
    assert!(table.contains("a:eth1 → b:eth1"), "{table}");
    lab.ok(&["destroy"]);
    assert_eq!(lab.remains(), [""; 0]);
}

/// The CPUs that `status`, a file of a thread, says that it may run on.
fn allowed_cpus(status: &str) -> BTreeSet<usize> {
    let line = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")).unwrap();
    let ranges =
        line.trim().split(',').map(|range| range.split_once('-').unwrap_or((range, range)));
    let number = |text: &str| text.parse::<usize>().unwrap();
    ranges.flat_map(|(first, last)| number(first)..=number(last)).collect()
}

#[test]
fn nodes_keep_off_a_dedicated_cpu() {
    let mut shared = allowed_cpus(&fs::read_to_string("/proc/self/status").unwrap());
    let lab = Lab::deployed(
        "workers: { dedicated_cpus: 1 }\ntopology:\n  nodes: { a: , b: }\n  links:\n    \
         - { endpoints: [a, b], delay: 1ms }\n",
    );
    assert!(lab.sh("a", "ping -n -c 1 -W 2 b").contains("1 received"));
    let worker = &lab.inspect()["timing"]["workers"][0];
    if shared.len() == 1 {
        assert!(worker["dedicated_cpu"].is_null(), "{worker}");
        println!("skipped: this machine has one CPU, which all share");
        return;
    }
    let dedicated = shared.pop_last().unwrap();
    assert_eq!(worker["dedicated_cpu"], dedicated);
    assert_eq!(allowed_cpus(&lab.sh("a", "cat /proc/self/status")), shared);
    let threads = fs::read_dir(format!("/proc/{}/task", lab.engine_pid())).unwrap().flatten();
    for thread in threads.map(|thread| thread.path()) {
        let read = |file: &str| fs::read_to_string(thread.join(file)).unwrap_or_default();
        let (name, status) = (read("comm"), read("status"));
        if name.starts_with("netloom-data") {
            assert_eq!(allowed_cpus(&status), BTreeSet::from([dedicated]), "{name}");
        } else if name.starts_with("netloom-monitor") {
            assert_eq!(allowed_cpus(&status), shared, "{name}");
        }
    }
}

#[test]
fn more_dedicated_cpus_than_there_are_are_reported() {
    let lab = Lab::new(
        "duration: 100ms\nworkers: { dedicated_cpus: 2000 }\ntopology:\n  nodes: { a: }\n",
    );
    let printed = lab.ok(&["run", "-o", "results"]);
    assert!(printed.contains("`dedicated_cpus: 2000` leaves none of the "), "{printed}");
}

#[test]
fn ipv6_works_at_once() {
    let lab = Lab::deployed(
        "topology:\n  nodes: { a: , b: , r: { kind: router } }\n  links:\n    \
         - { endpoints: [a, r] }\n    - { endpoints: [r, b] }\n",
    );
    // No second try: addresses are usable when `deploy` returns.
    let ping = lab.sh("a", "ping -n -6 -c 1 -W 2 b");
    assert!(ping.contains("1 received"), "{ping}");
    let path = lab.sh("a", "traceroute -6 -q 1 b");
    assert!(path.contains("r"), "{path}");
}

#[test]
fn interfaces_say_that_they_are_up_from_the_start() {
    let lab = Lab::deployed(
        "topology:\n  nodes: { a: , b: }\n  links:\n    \
         - { endpoints: ['a:eth1', 'b:eth1'] }\n    - { endpoints: ['a:eth2', 'b:eth2'], \
         direct: true }\n    \
         - { endpoints: ['a:eth3', 'b:eth3'], state: down }\n",
    );
    let state = |interface: &str| lab.sh("a", &format!("cat /sys/class/net/{interface}/operstate"));
    assert_eq!((state("eth1"), state("eth2")), ("up\n".into(), "up\n".into()));
    eventually("a link that is down is reported", || state("eth3") == "down\n");
    let link = |state: &str| {
        let name = format!("{}@{}", lab.inspect()["links"][0]["name"].as_str().unwrap(), lab.name);
        lab.ok(&["set", &name, &format!("state={state}")]);
    };
    link("down");
    eventually("a link that goes down is reported", || state("eth1") == "down\n");
    link("up");
    eventually("and one that comes to be up", || state("eth1") == "up\n");
}

#[test]
fn exec_returns_the_command_s_own_code_and_streams() {
    let lab = Lab::deployed(ONE_NODE);
    let node = format!("a@{}", lab.name);
    let (code, output) = lab.try_sh("a", "echo out; echo err >&2; exit 7");
    assert_eq!((code, output.as_str()), (7, "out\nerr\n"));
    let code_of = |arguments: &[&str]| lab.netloom(arguments).status.code().unwrap();
    assert_eq!(code_of(&["exec", &node, "--", "true"]), 0);
    assert_eq!(code_of(&["exec", &node, "--", "/no/such/program"]), 127);
    assert_eq!(code_of(&["exec", &node, "--", "/etc/passwd"]), 126);
    assert_eq!(code_of(&["exec", &node, "--", "sh", "-c", "kill -9 $$"]), 137);
    assert_eq!(code_of(&["exec", "nobody", "--", "true"]), 125);

    let mut child = lab
        .command(&["exec", &node, "--", "cat"])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let big: Vec<u8> = (0..1_000_000u32).flat_map(u32::to_le_bytes).collect();
    let mut stdin = child.stdin.take().unwrap();
    let sent = big.clone();
    let writer = std::thread::spawn(move || std::io::Write::write_all(&mut stdin, &sent).unwrap());
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    assert!(output.stdout == big, "4 MB came back as {} bytes", output.stdout.len());
}

#[test]
fn exec_can_have_a_terminal() {
    let lab = Lab::deployed(ONE_NODE);
    let node = format!("a@{}", lab.name);
    let output = lab.netloom(&["exec", &node, "--tty", "--", "sh", "-c", "tty; stty size"]);
    let shown = text(&output.stdout);
    assert!(shown.contains("/dev/pts/") && shown.contains("24 80"), "{shown}");
}

#[test]
fn links_change_live() {
    let lab = Lab::pair(", delay: 1ms");
    lab.ok(&["deploy"]);
    let link = format!("a--b@{}", lab.name);
    let printed = lab.ok(&["set", &link, "delay=30ms", "rate=5Mbit/s", "queue.limit=20packets"]);
    for line in
        ["delay: 1ms → 30ms", "rate: unlimited → 5Mbit/s", "queue.limit: default → 20packets"]
    {
        assert!(printed.contains(line), "{printed}");
    }
    let forward = lab.inspect()["links"][0]["forward"]["config"].clone();
    assert_eq!(forward["delay"], "30ms");
    assert_eq!(forward["rate"], "5Mbit/s");
    assert_eq!(forward["queue"]["limit"], "20packets");
    let ping = lab.sh("a", "ping -n -c 1 b");
    let time: f64 = ping.split("time=").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
    assert!(time >= 60.0, "{ping}");

    lab.ok(&["set", &link, "state=down", "--direction", "forward"]);
    assert_ne!(lab.try_sh("a", "ping -n -c 1 -W 1 b").0, 0);
    let view = lab.inspect();
    assert_eq!(view["links"][0]["reverse"]["config"]["state"], "up");
    assert!(
        view["links"][0]["forward"]["statistics"]["dropped"]["down"]["frames"].as_u64() > Some(0)
    );
    lab.ok(&["set", &link, "state=up"]);
    lab.sh("a", "ping -n -c 1 -W 2 b");

    let (code, error) = lab.fails(&["set", &link, "delay=5"]);
    assert_eq!(code, 2);
    assert!(error.contains("`5` has no unit"), "{error}");
    let (_, error) = lab.fails(&["set", &format!("a--c@{}", lab.name), "delay=5ms"]);
    assert!(error.contains("did you mean `a--b`?"), "{error}");
}

#[test]
fn statistics_look_back_as_far_as_asked() {
    let lab = Lab::pair(", delay: 2ms");
    lab.ok(&["deploy"]);
    lab.sh("a", "ping -q -c 5 -i 0.01 b");
    let last =
        |time: &str| lab.netloom(&["inspect", &lab.name, "--last", time, "--format", "json"]);
    let statistics = || lab.inspect()["links"][0]["forward"]["statistics"].clone();
    let offered =
        |statistics: &serde_json::Value| statistics["offered"]["frames"].as_u64().unwrap();
    // The kernels of the nodes may send something of their own at any time.
    let before = statistics();
    let answer: serde_json::Value = serde_json::from_slice(&last("60s").stdout).unwrap();
    let recent = &answer["links"][0]["forward"]["statistics"];
    let total = statistics();
    assert_eq!(recent["since"], total["since"]);
    assert!((offered(&before)..=offered(&total)).contains(&offered(recent)), "{recent} {total}");
    assert!(offered(recent) >= 5, "{recent}");
    let table = lab.ok(&["inspect", &lab.name, "--last", "60s"]);
    assert!(table.contains("delay p50") && table.contains("2.00 ms"), "{table}");
    // Whatever went on before: the present second and the one before it begin on whole seconds.
    std::thread::sleep(std::time::Duration::from_millis(2100));
    let answer: serde_json::Value = serde_json::from_slice(&last("1s").stdout).unwrap();
    let recent = &answer["links"][0]["forward"]["statistics"];
    let (since, at) = (recent["since"].as_u64().unwrap(), recent["at"].as_u64().unwrap());
    assert!(since % 1_000_000_000 == 0 && (1_000_000_000..2_000_000_000).contains(&(at - since)));
    assert!(offered(recent) < offered(&total));
    let wrong = last("61s");
    assert_eq!(wrong.status.code(), Some(2));
    assert!(text(&wrong.stderr).contains("from 1s to 1min"), "{}", text(&wrong.stderr));
}

#[test]
fn links_take_the_words_of_tc_and_values_from_files() {
    let lab = Lab::pair(", netem: delay 5ms 1ms rate 10mbit limit 100");
    std::fs::write(lab.path("late.txt"), "1ms\n3ms\n").unwrap();
    std::fs::write(lab.path("up.trace"), "1\n2\n3\n4\n").unwrap();
    lab.ok(&["deploy"]);
    let link = format!("a--b@{}", lab.name);
    let table = lab.ok(&["inspect"]);
    assert!(table.contains("10Mbit/s, 5ms, jitter uniform ±1ms"), "{table}");
    assert!(table.contains("framing none"), "{table}");
    let tc = lab.ok(&["inspect", "--tc", &link]);
    let commands: Vec<&str> = tc.lines().filter(|line| !line.starts_with('#')).collect();
    let expected = "tc qdisc add dev eth1 root netem delay 5ms 1ms rate 10mbit limit 100";
    assert_eq!(commands, [expected, "", expected]);
    let (code, error) = lab.fails(&["inspect", "--tc", "a--c"]);
    assert!(code == 2 && error.contains("did you mean `a--b`?"), "{error}");

    let printed =
        lab.ok(&["set", &link, "-d", "forward", "rate.trace=up.trace", "jitter.trace=late.txt"]);
    assert!(printed.contains("rate: 10Mbit/s → {trace: up.trace}"), "{printed}");
    let config = lab.inspect()["links"][0]["forward"]["config"].clone();
    assert_eq!(config["rate"]["trace"]["values"].as_array().unwrap().len(), 4);
    assert_eq!(config["jitter"]["pattern"]["file"], "late.txt");
    lab.sh("a", "ping -n -c 3 -i 0.05 -W 2 b");

    let output = lab.netloom(&["set", &link, "bit_errors=flip"]);
    assert!(output.status.success());
    assert!(text(&output.stderr).contains("`bit_errors` has no effect now"), "{output:?}");
    let (code, error) = lab.fails(&["set", &link, "rate.trace=upp.trace"]);
    assert!(code == 2 && error.contains("did you mean `up.trace`?"), "{error}");
    let (code, error) = lab.fails(&["set", &link, "netem=loss 1% 25%"]);
    assert!(code == 2 && error.contains("gemodel"), "{error}");

    // A program that sends a file's name instead of its values.
    let body = r#"{"changes":[{"link":"a--b","change":{"rate":{"trace":"up.trace"}}}]}"#;
    let answer = lab.request("PATCH", "/v1/links", body);
    assert!(answer.starts_with("HTTP/1.1 400"), "{answer}");
    assert!(
        answer.contains("names the file `up.trace`") && answer.contains("send its values"),
        "{answer}"
    );
}

#[test]
fn routes_of_a_node_change_by_request_all_or_none_of_them() {
    let lab = Lab::deployed(
        "topology:\n  nodes:\n    a: { interfaces: { eth1: { ipv4: 10.0.0.1/24 } }, \
             routes: [{ to: 10.8.0.0/16, via: 10.0.0.2 }] }\n    \
             b: { interfaces: { eth1: { ipv4: 10.0.0.2/24 } } }\n    s: { kind: switch }\n  \
           links: [{ endpoints: [\"a:eth1\", s] }, { endpoints: [\"b:eth1\", s] }]\n",
    );
    let patch = |node: &str, changes: &str| {
        let body = format!(r#"{{"changes":[{changes}]}}"#);
        lab.request("PATCH", &format!("/v1/nodes/{node}/routes"), &body)
    };
    let routes = || lab.sh("a", "ip -4 route");
    let moved = r#"{"remove":"10.8.0.0/16"},{"add":{"to":"10.9.0.0/16","via":"10.0.0.2"}}"#;
    let answer = patch("a", moved);
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    let answer: serde_json::Value =
        serde_json::from_str(answer.split_once("\r\n\r\n").unwrap().1).unwrap();
    assert_eq!(answer["routes"][0]["was"]["via"], "10.0.0.2", "{answer}");
    assert!(answer["routes"][0]["is"].is_null() && answer["routes"][1]["was"].is_null());
    assert!(routes().contains("10.9.0.0/16") && !routes().contains("10.8.0.0/16"), "{}", routes());

    // The last of them cannot be: the first are taken back.
    let before = routes();
    let refused = r#"{"remove":"10.9.0.0/16"},
        {"add":{"to":"10.7.0.0/16","via":"10.0.0.2"}},{"remove":"10.66.0.0/16"}"#;
    for (node, changes, said) in [
        ("a", refused, "route to 10.66.0.0/16: there is none"),
        ("a", r#"{"add":{"to":"10.9.0.0/16","via":"10.0.0.2"}}"#, "metric already"),
        ("a", r#"{"add":{"to":"10.5.0.1/16","via":"10.0.0.2"}}"#, "write `10.5.0.0/16`"),
        ("a", r#"{"add":{"to":"10.5.0.0/16"}}"#, "neither `via` nor `interface`"),
        ("a", r#"{"add":{"to":"10.5.0.0/16","via":"fe80::1"}}"#, "differ in family"),
        ("a", r#"{"add":{"to":"10.5.0.0/16","via":"10.0.0.2","metrik":5}}"#, "metrik"),
        ("s", r#"{"remove":"10.9.0.0/16"}"#, "no node `s` with a network stack"),
    ] {
        let answer = patch(node, changes);
        assert!(answer.starts_with("HTTP/1.1 400") && answer.contains(said), "{answer}");
        assert_eq!(routes(), before, "{changes}");
    }
}

#[test]
fn carrier_follows_the_link() {
    let lab = Lab::pair("");
    lab.ok(&["deploy"]);
    let carrier = || lab.sh("a", "cat /sys/class/net/eth1/carrier");
    assert_eq!(carrier(), "1\n");
    lab.ok(&["set", &format!("a--b@{}", lab.name), "state=down"]);
    eventually("the carrier is lost", || carrier() == "0\n");
    // The kernel drops these where the engine drops those of a busy machine: they must not count
    // as such.
    lab.try_sh("a", "ping -4 -n -c 5 -i 0.05 -W 1 b");
    let unmodelled = || lab.inspect()["timing"]["unmodelled_drops"].clone();
    assert_eq!(unmodelled().as_object().unwrap().len(), 0, "{}", unmodelled());
    lab.ok(&["set", &format!("a--b@{}", lab.name), "state=up"]);
    eventually("the carrier is back", || carrier() == "1\n");
    assert_eq!(unmodelled().as_object().unwrap().len(), 0, "{}", unmodelled());
}

#[test]
fn what_the_engine_is_too_late_for_is_counted() {
    let lab = Lab::pair("");
    lab.ok(&["deploy"]);
    lab.sh("a", "ping -4 -n -c 1 b");
    let engine = lab.engine_pid();
    // An interface queues 1000 frames. The flood waits in the node for its sign: the engine, which
    // would have to start it, sleeps then.
    let flood = "until [ -e go ]; do sleep 0.01; done; \
                 for i in $(seq 3000); do echo x > /dev/udp/10.0.0.2/9; done && echo > flooded";
    lab.sh("a", &format!("setsid bash -c '{flood}' </dev/null >/dev/null 2>&1 &"));
    common::kill(engine, nix::sys::signal::Signal::SIGSTOP);
    std::fs::write(lab.path("go"), "").unwrap();
    eventually("the node has sent", || lab.path("flooded").exists());
    common::kill(engine, nix::sys::signal::Signal::SIGCONT);
    let timing = lab.inspect()["timing"].clone();
    let lost = timing["unmodelled_drops"]["not_read_in_time"].as_u64();
    assert!(lost >= Some(1000), "{timing}");
    // The stop itself shows, too, in how late the machine woke a sleeper, once that has run again.
    eventually("the sleeper tells how late it woke", || {
        lab.inspect()["timing"]["timer_wakeup"]["max_us"].as_f64() > Some(10_000.0)
    });
}

#[test]
fn a_capture_is_a_pcapng_that_tcpdump_reads() {
    let lab = Lab::pair("");
    lab.ok(&["deploy"]);
    let file = lab.path("out.pcapng");
    let interface = format!("b:eth1@{}", lab.name);
    let mut capture =
        lab.command(&["capture", &interface, "-w", file.to_str().unwrap()]).spawn().unwrap();
    eventually("the capture has begun", || file.metadata().is_ok_and(|data| data.len() > 0));
    lab.sh("a", "ping -4 -n -c 3 -i 0.05 b");
    let read = || {
        let output = std::process::Command::new("tcpdump")
            .args(["-n", "-r", file.to_str().unwrap(), "icmp"])
            .output()
            .unwrap();
        text(&output.stdout)
    };
    eventually("three requests and three replies", || read().lines().count() == 6);
    common::kill(i32::try_from(capture.id()).unwrap(), nix::sys::signal::Signal::SIGINT);
    assert!(capture.wait().unwrap().success());
    let (_, error) = lab.fails(&["capture", &format!("b:eth9@{}", lab.name), "-w", "-"]);
    assert!(error.contains("there is no interface `b:eth9`"), "{error}");
}

#[test]
fn a_capture_can_show_drops_with_their_reasons() {
    let lab = Lab::pair(", forward: { loss: 100% }");
    lab.ok(&["deploy"]);
    let file = lab.path("out.pcapng");
    let interface = format!("a:eth1@{}", lab.name);
    let mut capture = lab
        .command(&["capture", &interface, "--drops", "-w", file.to_str().unwrap()])
        .spawn()
        .unwrap();
    eventually("the capture has begun", || file.metadata().is_ok_and(|data| data.len() > 0));
    // A frame that needs no neighbour to answer: the address is the broadcast one.
    lab.try_sh("a", "ping -4 -n -c 2 -i 0.05 -W 1 -s 1000 -b 255.255.255.255 -I eth1");
    // 1000 bytes and the headers of ICMP, IP and Ethernet.
    let seen = || captured(&file, 1042);
    let dropped = Some("netloom: dropped loss".to_string());
    let expected = [(0, None), (1, dropped.clone()), (0, None), (1, dropped)];
    eventually("two frames, both lost", || seen().len() == 4);
    assert_eq!(seen(), expected);
    common::kill(i32::try_from(capture.id()).unwrap(), nix::sys::signal::Signal::SIGINT);
    assert!(capture.wait().unwrap().success());
}

#[test]
fn a_switch_joins_its_hosts() {
    let lab = Lab::deployed(
        "topology:\n  nodes: { sw: { kind: switch }, a: , b: , c: }\n  links:\n    \
         - { endpoints: [\"a:eth1\", \"sw:p1\"] }\n    \
         - { endpoints: [\"b:eth1\", \"sw:p2\"] }\n    \
         - { endpoints: [\"c:eth1\", \"sw:p3\"] }\n",
    );
    for target in ["b", "c"] {
        lab.sh("a", &format!("ping -n -c 1 -W 2 {target} && ping -n -6 -c 1 -W 2 {target}"));
    }
    // Once learnt, a frame for `b` does not reach `c`.
    let frames = |name: &str| {
        let view = lab.inspect();
        let links = view["links"].as_array().unwrap();
        let link = links.iter().find(|link| link["name"] == name).unwrap();
        link["reverse"]["statistics"]["offered"]["frames"].as_u64().unwrap()
    };
    let (b, c) = (frames("b--sw"), frames("c--sw"));
    lab.sh("a", "ping -n -c 50 -i 0.01 b");
    assert!(frames("b--sw") - b >= 50);
    assert!(frames("c--sw") - c < 10, "unicast was flooded");
    let (code, output) = lab.try_sh("sw", "true");
    assert!(code == 125 && output.contains("is a switch"), "{output}");
}

#[test]
fn the_same_prefix_is_routed_differently_in_two_routers() {
    let lab = Lab::deployed(
        "topology:\n  nodes:\n    \
           r1: { kind: router, routes: [{ to: 198.51.100.0/24, via: 10.9.1.2 }] }\n    \
           r2: { kind: router, routes: [{ to: 198.51.100.0/24, via: 10.9.2.1 }] }\n    \
           left: { kind: router, loopback: { ipv4: 198.51.100.1 } }\n    \
           right: { kind: router, loopback: { ipv4: 198.51.100.2 } }\n  \
         links:\n    \
           - { endpoints: [\"r1:eth1\", \"left:eth1\"] }\n    \
           - { endpoints: [\"r2:eth1\", \"right:eth1\"] }\n"
            .replace(
                "r1: { kind: router,",
                "r1: { kind: router, interfaces: { eth1: { ipv4: 10.9.1.1/30 } },",
            )
            .replace(
                "r2: { kind: router,",
                "r2: { kind: router, interfaces: { eth1: { ipv4: 10.9.2.2/30 } },",
            )
            .as_str(),
    );
    let via = |node: &str| lab.sh(node, "ip route get 198.51.100.77");
    assert!(via("r1").contains("via 10.9.1.2"), "{}", via("r1"));
    assert!(via("r2").contains("via 10.9.2.1"), "{}", via("r2"));
}

#[test]
fn nodes_are_apart() {
    let lab = Lab::pair("");
    lab.ok(&["deploy"]);
    // The same port in two nodes.
    for node in ["a", "b"] {
        lab.sh(node, "iperf3 --server --daemon --bind 127.0.0.1 --port 5999");
    }
    for node in ["a", "b"] {
        lab.sh(node, "iperf3 --client 127.0.0.1 --port 5999 --bytes 1M");
    }
    // Files, processes and names of their own.
    lab.sh("a", "echo secret > /tmp/file; echo secret > /run/file");
    assert_ne!(lab.try_sh("b", "cat /tmp/file").0, 0);
    assert_ne!(lab.try_sh("b", "cat /run/file").0, 0);
    assert_eq!(lab.sh("a", "hostname"), "a\n");
    assert_eq!(lab.sh("a", "cat /proc/1/comm"), "netloom\n");
    assert_eq!(lab.sh("b", "getent hosts a | awk '{print $2}'"), "a\n");
    // A child that is left behind stays in its node, and in nobody else's.
    lab.sh("a", "setsid sleep 987654 </dev/null >/dev/null 2>&1 &");
    eventually("the orphan runs in a", || lab.sh("a", "ps ax").contains("sleep 987654"));
    assert!(!lab.sh("b", "ps ax").contains("sleep 987654"));
    // As iproute2 sees it.
    if !common::has_ip_netns("nodes_are_apart") {
        return;
    }
    let namespace = format!("{}.a", lab.name);
    let output = std::process::Command::new("ip")
        .args(["netns", "exec", &namespace, "ip", "-br", "address", "show", "eth1"])
        .output()
        .unwrap();
    assert!(text(&output.stdout).contains("eth1"), "{}", text(&output.stderr));
}

#[test]
fn a_runaway_command_ends_with_the_experiment() {
    let lab = Lab::deployed(ONE_NODE);
    let node = format!("a@{}", lab.name);
    let line = "trap '' TERM HUP INT; while :; do :; done";
    let mut runaway = lab.command(&["exec", &node, "--", "sh", "-c", line]).spawn().unwrap();
    eventually("it runs", || lab.sh("a", "ps ax").contains("trap"));
    lab.ok(&["destroy"]);
    assert!(!runaway.wait().unwrap().success());
    assert_eq!(lab.remains(), [""; 0]);
}

#[test]
fn a_lost_client_ends_its_command() {
    let lab = Lab::deployed(ONE_NODE);
    let node = format!("a@{}", lab.name);
    let mut client = lab.command(&["exec", &node, "--", "sleep", "987653"]).spawn().unwrap();
    eventually("it runs", || lab.sh("a", "ps ax").contains("sleep 987653"));
    client.kill().unwrap();
    client.wait().unwrap();
    eventually("it has ended", || !lab.sh("a", "ps ax").contains("sleep 987653"));
}

#[test]
fn names_are_taken_once_and_experiments_run_beside_each_other() {
    let (first, second) = (Lab::pair(", delay: 5ms"), Lab::pair(""));
    first.ok(&["deploy"]);
    second.ok(&["deploy"]);
    assert!(first.ok(&["deploy"]).contains("nothing was done"), "it is what it is to be");
    let file = first.path("netloom.yaml");
    let scenario = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, scenario.replace("5ms", "6ms")).unwrap();
    let (code, error) = first.fails(&["deploy"]);
    assert!(code == 1 && error.contains("is already running, and 1 change away"), "{error}");
    for lab in [&first, &second] {
        lab.sh("a", "ping -n -c 1 -W 2 b");
    }
    let other = format!("{}-other", first.name);
    first.ok(&["deploy", "--name", &other]);
    first.ok(&["exec", &format!("a@{other}"), "--", "ping", "-n", "-c", "1", "b"]);
    first.ok(&["destroy", &other]);
    first.ok(&["destroy", &first.name]);
    assert_eq!(first.remains(), [""; 0]);
    second.sh("a", "ping -n -c 1 -W 2 b");
    let listed = first.ok(&["inspect", "--all"]);
    assert!(listed.contains(&second.name) && !listed.contains(&first.name), "{listed}");
}

const ONE_NODE: &str = "topology: { nodes: { a: } }\n";
