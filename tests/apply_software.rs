//! Contents of nodes change while the network runs: their files and programs, their limits, and the
//! ports that lead into them.

mod common;

use std::fs;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::time::Duration;

use common::*;
use nix::sys::signal::Signal;

const CHAIN: &str = "\
topology:
  nodes:
    a:
    r: {kind: router}
    b: {NODE}
    MORE
  links:
    - endpoints: [\"a:eth1\", \"r:eth1\"]
    - endpoints: [\"r:eth2\", \"b:eth1\"]
";

/// The chain, with these properties of `b`, and something more.
fn chain(b: &str, more: &str) -> String {
    CHAIN.replace("NODE", b).replace("MORE", more)
}

/// A router that reads what its interfaces are from a file that a template makes, and says it at a
/// port.
const TELLER: &str = "\
programs: { python3: { package: python3 } }
options: { port: { kind: number, default: 7000 }, word: { default: plain } }
files:
  /run/teller/index.html:
    content: \"{{ options.word }}{% for i in interfaces %} {{ i.name }}{% endfor %}\"
directories: { /run/teller: {} }
prepare: [[sh, -c, \"test {{ options.word }} != broken\"]]
command: [\"{{ programs.python3 }}\", -m, http.server, -d, /run/teller, \"{{ options.port }}\"]
ready: { port: \"{{ options.port }}\" }
";

/// Starts a process that stays in a node; whether it is there still.
fn stay(lab: &Lab, node: &str) -> impl Fn() -> bool {
    let pid = lab.sh(node, "sleep 1000 >/dev/null 2>&1 </dev/null & echo $!");
    let lab = (lab.name.clone(), lab.directory.clone(), node.to_owned());
    move || {
        let line = format!("grep -q sleep /proc/{}/comm", pid.trim());
        let node = format!("{}@{}", lab.2, lab.0);
        let mut command = std::process::Command::new(NETLOOM);
        command.args(["exec", &node, "--", "sh", "-c", &line]).current_dir(&lab.1);
        command.output().unwrap().status.success()
    }
}

/// The services that are shown, as `service@node state`.
fn services(lab: &Lab) -> Vec<String> {
    let inspected = lab.inspect();
    let rows = inspected["services"].as_array().cloned().unwrap_or_default();
    let row = |row: &serde_json::Value| {
        let state = match &row["state"] {
            serde_json::Value::Object(state) => state.keys().next().unwrap().clone(),
            state => state.as_str().unwrap().to_owned(),
        };
        let name = |key: &str| row[key].as_str().unwrap().to_owned();
        format!("{}@{} {state}", name("service"), name("node"))
    };
    rows.iter().map(row).collect()
}

fn page(lab: &Lab, from: &str, url: &str) -> String {
    lab.sh(from, &format!("curl -s --max-time 10 http://{url}"))
}

#[test]
fn nodes_that_come_see_and_run_what_the_scenario_says() {
    let lab = Lab::deployed(&chain("", ""));
    let stays = stay(&lab, "a");
    fs::create_dir(lab.path("given")).unwrap();
    fs::write(lab.path("given/there"), "given").unwrap();
    fs::write(lab.path("teller.yaml"), TELLER).unwrap();
    skeleton(&lab.path("image"));
    let more = "\
    c:
      services: {teller: {template: teller.yaml, port: 7001}, web: {port: 8080}}
      files: {/run/www/index.html: {content: mine}, /etc/netloom-test: {content: test}}
      env: {WORD: said}
      binds: {given: /opt/given}
      startup: [\"echo $WORD >/etc/netloom-started\"]
    d: {root: image, binds: {/usr: /usr}}";
    let wider = chain("", more.trim_start())
        + "    - endpoints: [\"r:eth3\", \"c:eth1\"]\n    - endpoints: [\"r:eth4\", \"d:eth1\"]\n";
    rewrite(&lab, &wider);
    let plan = planned(&lab);
    assert_eq!(plan[..2], ["+ node c: host, services teller, web", "+ node d: host"]);
    assert_eq!(services(&lab), [""; 0], "a dry run starts nothing");
    lab.ok(&["apply"]);
    assert_eq!(services(&lab), ["teller@c ready", "web@c ready"]);
    assert_eq!(page(&lab, "a", "c:8080/"), "mine");
    assert_eq!(page(&lab, "a", "c:7001/"), "plain eth1");
    let seen =
        lab.sh("c", "echo $WORD; cat /etc/netloom-test /etc/netloom-started /opt/given/there");
    assert_eq!(seen, "said\ntestsaid\ngiven");
    assert_eq!(lab.sh("d", "cat /etc/motd"), "another root\n");
    assert_eq!(planned(&lab), [""; 0], "it is there");
    rewrite(&lab, &chain("", ""));
    lab.ok(&["apply"]);
    assert_eq!(services(&lab), [""; 0]);
    assert!(stays());
    // The name is free, and its logs are new.
    rewrite(&lab, &wider.replace("port: 7001", "port: 7002"));
    lab.ok(&["apply"]);
    assert_eq!(page(&lab, "a", "c:7002/"), "plain eth1");
    kill(lab.engine_pid(), Signal::SIGKILL);
    eventually("the engine is gone", || {
        text(&lab.netloom(&["inspect", "--all"]).stdout).contains("engine has died")
    });
    lab.ok(&["cleanup", &lab.name]);
    assert_eq!(lab.remains(), [""; 0]);
}

#[test]
fn what_does_not_start_is_reported_and_leaves_the_network_as_it_was() {
    let lab = Lab::deployed(&chain("services: [web]", ""));
    let stays = stay(&lab, "r");
    fs::write(
        lab.path("mine.yaml"),
        "command: [sh, -c, \"echo {{ node.name }} cannot; exit 3\"]\nready: { port: \"9\" }\n",
    )
    .unwrap();
    let with = |c: &str| {
        chain("services: [web]", &format!("c: {{{c}}}"))
            + "    - {endpoints: [\"r:eth3\", \"c:eth1\"], delay: 3ms}\n"
    };
    let before = (lab.sh("r", "ip -o address; ip route | sort"), services(&lab));
    for (c, parts) in [
        (
            "services: {mine: {template: mine.yaml}}",
            vec!["service `mine` of node `c`", "code 3 before it was ready", "\n  c cannot"],
        ),
        ("startup: [\"echo the reason; exit 7\"]", vec!["node `c`", "code 7", "\n  the reason"]),
    ] {
        rewrite(&lab, &with(c));
        let (code, error) = lab.fails(&["apply"]);
        for part in parts.into_iter().chain(["nothing has changed"]) {
            assert!(code == 1 && error.contains(part), "{error} does not say {part}");
        }
        assert_eq!((lab.sh("r", "ip -o address; ip route | sort"), services(&lab)), before);
        assert_eq!(lab.inspect()["links"].as_array().unwrap().len(), 2);
    }
    // A missing program is reported before anything is made, also by a dry run.
    fs::write(lab.path("mine.yaml"), "programs: {no-such-daemon: {package: none}}\ncommand: [x]\n")
        .unwrap();
    rewrite(&lab, &with("services: {mine: {template: mine.yaml}}"));
    let (_, error) = lab.fails(&["apply", "--dry-run"]);
    assert!(error.contains("program `no-such-daemon`"), "{error}");
    rewrite(&lab, &with("binds: {nowhere: /opt/x}"));
    let (_, error) = lab.fails(&["apply"]);
    assert!(error.contains("nowhere") && error.contains("cannot be reached"), "{error}");
    assert!(stays());
    assert_eq!(page(&lab, "a", "b/").matches("This is b.").count(), 1);
    rewrite(&lab, &with("services: [web]"));
    lab.ok(&["apply"]);
    assert_eq!(page(&lab, "a", "c/").matches("This is c.").count(), 1);
    lab.ok(&["destroy"]);
    assert_eq!(lab.remains(), [""; 0]);
}

#[test]
fn a_node_with_other_software_is_made_anew_and_returns_if_that_fails() {
    let lab = Lab::deployed(&chain("services: [web], env: {WORD: one}", ""));
    let (stays, goes) = (stay(&lab, "r"), stay(&lab, "b"));
    rewrite(
        &lab,
        &chain("services: [web], env: {WORD: two}, files: {/etc/netloom-test: {content: x}}", ""),
    );
    let plan = planned(&lab);
    let line = "! node b: its `files` and `env` changed, which ends all that runs in it";
    assert!(plan.iter().any(|step| step == line), "{plan:?}");
    lab.ok(&["apply"]);
    assert_eq!(lab.sh("b", "echo $WORD; cat /etc/netloom-test"), "two\nx");
    assert_eq!((stays(), goes(), services(&lab)), (true, false, vec!["web@b ready".to_owned()]));
    assert!(page(&lab, "a", "b/").contains("This is b."));
    let back = stay(&lab, "b");
    // It does not start with what it is to be: it is made as it was, and so are its services.
    rewrite(
        &lab,
        &chain("services: [web], env: {WORD: three}, startup: [\"echo no; exit 4\"]", ""),
    );
    let (_, error) = lab.fails(&["apply"]);
    assert!(error.contains("code 4") && error.contains("nothing has changed"), "{error}");
    assert_eq!((back(), services(&lab)), (false, vec!["web@b ready".to_owned()]));
    assert_eq!(lab.sh("b", "echo $WORD; cat /etc/netloom-test"), "two\nx");
    assert!(page(&lab, "a", "b/").contains("This is b."));
    // A node without anything gets something, and loses it.
    rewrite(&lab, &chain("", ""));
    assert!(planned(&lab).iter().any(|step| step.contains("`env` and `services` changed")));
    lab.ok(&["apply"]);
    assert_eq!((lab.sh("b", "echo $WORD"), services(&lab)), ("\n".to_owned(), vec![]));
    reach(&lab);
    lab.ok(&["destroy"]);
    assert_eq!(lab.remains(), [""; 0]);
}

fn reach(lab: &Lab) {
    lab.sh("a", "ping -4 -n -c 3 -i 0.2 -W 2 b");
}

#[test]
fn services_follow_the_network_without_their_node_being_made_anew() {
    let router = |options: &str, more: &str, links: &str| {
        let services = format!("services: {{web: , teller: {{template: teller.yaml{options}}}}}");
        chain("", more).replace("{kind: router}", &format!("{{kind: router, {services}}}")) + links
    };
    let link = "    - endpoints: [\"r:eth3\", \"c:eth1\"]\n";
    let lab = Lab::new(&router("", "", ""));
    fs::write(lab.path("teller.yaml"), TELLER).unwrap();
    lab.ok(&["deploy"]);
    assert_eq!(page(&lab, "a", "r:7000/"), "plain eth1 eth2");
    let stays = stay(&lab, "r");
    let pid = |name: &str| {
        let inspected = lab.inspect();
        let mut rows = inspected["services"].as_array().unwrap().iter();
        let row = rows.find(|row| row["service"] == name).unwrap();
        row["state"]["ready"]["pid"].as_u64().unwrap_or_else(|| panic!("{row}"))
    };
    let (web, teller) = (pid("web"), pid("teller"));
    rewrite(&lab, &router("", "c:", link));
    let plan = planned(&lab);
    let line = "~ services of r: teller started again with other configuration";
    assert!(plan.iter().any(|step| step == line), "{plan:?}");
    lab.ok(&["apply"]);
    assert_eq!(page(&lab, "c", "r:7000/"), "plain eth1 eth2 eth3");
    assert!(
        stays() && pid("web") == web && pid("teller") != teller,
        "only what has changed is started again"
    );
    rewrite(&lab, &router(", port: 7003, word: other", "c:", link));
    lab.ok(&["apply"]);
    assert_eq!(page(&lab, "c", "r:7003/"), "other eth1 eth2 eth3");
    assert_eq!(lab.try_sh("r", "curl -s --max-time 5 http://r:7000/").0, 7, "nobody listens there");
    fs::write(lab.path("teller.yaml"), TELLER.to_owned() + "description: another\n").unwrap();
    let plan = planned(&lab);
    assert!(plan[0].starts_with("! node r: its `services` changed"), "another template: {plan:?}");
    fs::write(lab.path("teller.yaml"), TELLER).unwrap();
    // It does not come up, and the one before is started again.
    rewrite(&lab, &router(", port: 7004, word: broken", "c:", link));
    let (_, error) = lab.fails(&["apply"]);
    assert!(
        error.contains("`teller` of node `r`") && error.contains("nothing has changed"),
        "{error}"
    );
    assert_eq!(page(&lab, "c", "r:7003/"), "other eth1 eth2 eth3");
    assert!(stays() && pid("web") == web);
    assert_eq!(services(&lab), ["teller@r ready", "web@r ready"]);
    lab.ok(&["destroy"]);
    assert_eq!(lab.remains(), [""; 0]);
}

/// The value in a file of a node's control group of version 1 or 2, whichever there is.
fn limit(lab: &Lab, place: &str, [one, two]: [&str; 2]) -> String {
    let controller = one.split('.').next().unwrap();
    let places = [
        PathBuf::from("/sys/fs/cgroup")
            .join(controller)
            .join("netloom")
            .join(&lab.name)
            .join(place)
            .join(one),
        PathBuf::from("/sys/fs/cgroup/netloom").join(&lab.name).join(place).join(two),
    ];
    let found = places.iter().find_map(|path| fs::read_to_string(path).ok());
    found.unwrap_or_else(|| panic!("none of {places:?}")).trim().to_owned()
}

const PIDS: [&str; 2] = ["pids.max", "pids.max"];
const MEMORY: [&str; 2] = ["memory.limit_in_bytes", "memory.max"];
const HOG: &str =
    "import time; held = b'x' * (60 << 20); print('held', flush=True); time.sleep(1000)";

#[test]
fn limits_change_under_running_processes() {
    let name = "limits_change_under_running_processes";
    if !takes_root(name, "the machine's control groups are root's") {
        return;
    }
    let lab = Lab::deployed(&chain("", ""));
    fs::write(lab.path("hog.py"), HOG).unwrap();
    let stays = stay(&lab, "b");
    // Nothing was limited so far: what runs is brought under the limit.
    rewrite(&lab, &chain("limits: {pids: 5}", ""));
    assert_eq!(planned(&lab), ["~ limits of b: none -> pids 5"]);
    lab.ok(&["apply"]);
    assert_eq!(limit(&lab, "b", PIDS), "6");
    let (_, words) = lab.try_sh("b", "for i in $(seq 8); do sleep 3 & done; wait");
    assert!(words.contains("ork"), "a fork that fails: {words}");
    rewrite(
        &lab,
        &chain("limits: {pids: 50, memory: 200MiB}", "")
            .replace("topology:", "topology:\n  total_limits: {pids: 300}"),
    );
    let plan = planned(&lab);
    assert_eq!(
        plan,
        [
            "~ limits of all nodes together: none -> pids 300",
            "~ limits of b: pids 5 -> memory 200MiB, pids 50"
        ]
    );
    lab.ok(&["apply"]);
    assert_eq!((limit(&lab, "b", PIDS).as_str(), limit(&lab, "", PIDS).as_str()), ("51", "303"));
    lab.sh("b", "python3 hog.py >/tmp/hog 2>&1 </dev/null & true");
    eventually("it has its memory", || lab.sh("b", "cat /tmp/hog").contains("held"));
    // Less than is in use, after other changes.
    let less =
        chain("limits: {pids: 40, memory: 20MiB}, sysctls: {net.ipv4.ip_default_ttl: 33}", "");
    rewrite(&lab, &less);
    let (code, error) = lab.fails(&["apply"]);
    let parts = ["node `b`", "more memory than that is in use", "nothing has changed"];
    assert!(code == 1 && parts.iter().all(|part| error.contains(part)), "{error}");
    assert_eq!((limit(&lab, "b", PIDS).as_str(), limit(&lab, "", PIDS).as_str()), ("51", "303"));
    assert_eq!(limit(&lab, "b", MEMORY), (200 << 20).to_string());
    // What is not said any more is the kernel's default.
    rewrite(&lab, &chain("limits: {memory: 200MiB}", ""));
    lab.ok(&["apply"]);
    assert_eq!((limit(&lab, "b", PIDS).as_str(), limit(&lab, "", PIDS).as_str()), ("max", "max"));
    assert!(stays());
    let inspected = lab.inspect();
    let nodes = inspected["nodes"].as_array().unwrap();
    let b = nodes.iter().find(|node| node["name"] == "b").unwrap();
    assert_eq!(b["limits"]["memory"], "200MiB", "{b}");
    kill(lab.engine_pid(), Signal::SIGKILL);
    eventually("the engine is gone", || {
        text(&lab.netloom(&["inspect", "--all"]).stdout).contains("engine has died")
    });
    lab.ok(&["cleanup", &lab.name]);
    assert_eq!((lab.remains(), cgroups(&lab)), (vec![], vec![]));
}

/// Folders of the experiment in any hierarchy of control groups.
fn cgroups(lab: &Lab) -> Vec<PathBuf> {
    let hierarchies = fs::read_dir("/sys/fs/cgroup").unwrap().flatten().map(|entry| entry.path());
    let all = hierarchies.chain([PathBuf::from("/sys/fs/cgroup")]);
    all.map(|path| path.join("netloom").join(&lab.name)).filter(|path| path.exists()).collect()
}

#[test]
fn nodes_come_with_limits_and_groups_that_share_some() {
    let name = "nodes_come_with_limits_and_groups_that_share_some";
    let lab = Lab::deployed(&chain("", ""));
    let group =
        "\n  groups: {slow: {members: [b, c], total_limits: {cpu: 0.5}, limits: {cpu: 0.4}}}";
    let wider = chain("", "c: {limits: {pids: 9}}")
        .replace("topology:", &format!("topology:{group}"))
        + "    - endpoints: [\"r:eth3\", \"c:eth1\"]\n";
    rewrite(&lab, &wider);
    if !nix::unistd::geteuid().is_root() {
        for arguments in [&["apply", "--dry-run"][..], &["apply"]] {
            let (_, error) = lab.fails(arguments);
            assert!(error.contains("run NetLoom as root"), "{error}");
        }
        rewrite(&lab, &chain("", ""));
        assert_eq!(planned(&lab), [""; 0]);
        takes_root(name, "the machine's control groups are root's");
        return;
    }
    let goes = stay(&lab, "b");
    assert!(
        planned(&lab).contains(
            &"! node b: it shares the limits of the group `slow` now, \
        which ends all that runs in it"
                .to_owned()
        )
    );
    lab.ok(&["apply"]);
    const QUOTA: [&str; 2] = ["cpu.cfs_quota_us", "cpu.max"];
    let quota = |place: &str| limit(&lab, place, QUOTA).split(' ').next().unwrap().to_owned();
    assert_eq!(
        (quota("slow.group"), quota("slow.group/c"), quota("slow.group/b")),
        ("50000".into(), "40000".into(), "40000".into())
    );
    assert_eq!((limit(&lab, "slow.group/c", PIDS).as_str(), goes()), ("10", false));
    reach(&lab);
    let stays = stay(&lab, "c");
    // Less than its nodes have, and then more.
    for (total, of_node) in [("0.3", "30000"), ("0.8", "40000")] {
        rewrite(&lab, &wider.replace("{cpu: 0.5}", &format!("{{cpu: {total}}}")));
        assert_eq!(planned(&lab).len(), 1);
        lab.ok(&["apply"]);
        assert_eq!(quota("slow.group/c"), of_node);
    }
    assert!(stays());
    rewrite(&lab, &chain("", ""));
    lab.ok(&["apply"]);
    assert!(cgroups(&lab).iter().all(|path| !path.join("slow.group").exists()));
    lab.ok(&["destroy"]);
    assert_eq!((lab.remains(), cgroups(&lab)), (vec![], vec![]));
}

/// A port of the machine that nobody has now.
fn free_port() -> u16 {
    TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap().port()
}

/// Asks a web server, over a connection of its own.
fn asked(port: u16) -> Option<String> {
    let mut stream = TcpStream::connect(SocketAddr::from((Ipv4Addr::LOCALHOST, port))).ok()?;
    stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    stream.write_all(b"GET / HTTP/1.0\r\n\r\n").ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    Some(answer)
}

#[test]
fn published_ports_come_go_and_move_and_others_are_not_touched() {
    let [stays, comes] = [free_port(), free_port()];
    let says = |port: u16, node: &str| {
        asked(port).is_some_and(|page| page.contains(&format!("This is {node}.")))
    };
    let web = |publish: &str| format!("services: [web], publish: [{publish}]");
    let lab = Lab::deployed(&chain(&web(&format!("'{stays}:80'")), ""));
    let mut open = TcpStream::connect(SocketAddr::from((Ipv4Addr::LOCALHOST, stays))).unwrap();
    let more = |publish: &str| {
        let c = format!("c: {{{}}}", web(publish));
        chain(&web(&format!("'{stays}:80'")), &c) + "    - endpoints: [\"r:eth3\", \"c:eth1\"]\n"
    };
    // The port is in use. This is reported before anything is made.
    let taken = TcpListener::bind((Ipv4Addr::LOCALHOST, comes)).unwrap();
    rewrite(&lab, &more(&format!("'{comes}:80'")));
    let (code, error) = lab.fails(&["apply"]);
    assert!(
        code == 1
            && error.contains(&format!("127.0.0.1:{comes}/tcp"))
            && error.contains("node `c`"),
        "{error}"
    );
    assert!(
        lab.fails(&["exec", &format!("c@{}", lab.name), "--", "true"]).1.contains("no node `c`")
    );
    drop(taken);
    assert!(planned(&lab).contains(&format!("+ port {comes}:80/tcp: of node c")));
    lab.ok(&["apply"]);
    assert!(says(stays, "b") && says(comes, "c"));
    // To another node.
    let moved = chain(&web(&format!("'{stays}:80', '{comes}:80'")), "c: {services: [web]}")
        + "    - endpoints: [\"r:eth3\", \"c:eth1\"]\n";
    rewrite(&lab, &moved);
    lab.ok(&["apply"]);
    assert!(says(comes, "b"));
    // What is open has not noticed.
    open.write_all(b"GET / HTTP/1.0\r\n\r\n").unwrap();
    let mut answer = String::new();
    open.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    open.read_to_string(&mut answer).unwrap();
    assert!(answer.contains("This is b."), "{answer}");
    // A node that is made anew is found again; a port that goes is closed.
    rewrite(&lab, &chain(&format!("env: {{A: b}}, {}", web(&format!("'{stays}:80'"))), ""));
    lab.ok(&["apply"]);
    assert!(says(stays, "b"));
    eventually("it is closed", || asked(comes).is_none());
    lab.ok(&["destroy"]);
    assert_eq!(lab.remains(), [""; 0]);
    assert!(asked(stays).is_none());
}

#[test]
fn a_node_of_all_kinds_of_links_is_made_anew_with_all_addresses_and_routes() {
    let lab = Lab::deployed(
        "topology:
  nodes:
    a: {interfaces: {eth1: {ipv4: 10.1.0.1/24}, eth1.10: {ipv4: 10.2.0.1/24}}}
    r:
      kind: router
      env: {WORD: one}
      sysctls: {net.ipv4.conf.eth2.proxy_arp: 1}
      interfaces: {eth1.10: {ipv4: 10.2.0.2/24}}
      routes: [{to: 10.99.0.0/16, via: 10.2.0.1}]
    b:
    sw: {kind: switch}
  links:
    - {endpoints: [\"a:eth1\", \"r:eth1\"], delay: 1ms}
    - {endpoints: [\"r:eth2\", \"b:eth1\"], direct: true}
    - {endpoints: [\"r:eth3\", \"sw:p1\"]}
    - {endpoints: [\"b:eth2\", \"sw:p2\"]}
",
    );
    let stack = |node: &str| {
        let line = "(ip -o address | sed 's/ *valid_lft.*//; s/^[0-9]*: //'; ip -4 route; \
            ip -6 route) | sort; \
                    sysctl net.ipv4.conf.all.forwarding; \
                    sysctl -a 2>/dev/null | grep -F .proxy_arp";
        lab.sh(node, line)
    };
    let all = || ["a", "r", "b"].map(stack);
    let before = all();
    assert!(before[1].contains("10.99.0.0/16 via 10.2.0.1"), "{}", before[1]);
    let file = fs::read_to_string(lab.path("netloom.yaml")).unwrap();
    let other = file.replace("WORD: one", "WORD: two");
    fs::write(lab.path("netloom.yaml"), &other).unwrap();
    lab.ok(&["apply"]);
    assert_eq!(all(), before);
    fs::write(
        lab.path("netloom.yaml"),
        file.replace("{WORD: one}", "{}\n      startup: [\"exit 3\"]"),
    )
    .unwrap();
    let (_, error) = lab.fails(&["apply"]);
    assert!(error.contains("code 3") && error.contains("nothing has changed, but"), "{error}");
    assert_eq!(all(), before);
    assert_eq!(lab.sh("r", "echo $WORD"), "two\n");
    lab.sh("a", "ping -4 -c 1 -W 2 b && ping -c 1 -W 2 10.2.0.2");
    lab.ok(&["destroy"]);
    assert_eq!(lab.remains(), [""; 0]);
}
