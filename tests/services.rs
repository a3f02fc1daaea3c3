//! Services in nodes, and what nodes have beside their network stacks: files, variables, binds,
//! commands at the start, roots of their own.

mod common;

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use common::{Lab, eventually, skeleton, state, text};
use nix::sys::signal::Signal;

/// Waits for what routing daemons need many seconds for, on a busy machine even more.
fn converges(what: &str, mut condition: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(90);
    while !condition() {
        assert!(Instant::now() < deadline, "waited 90 s in vain: {what}");
        std::thread::sleep(Duration::from_millis(200));
    }
}

/// Whether users can be changed to here: an ordinary user takes subordinate ids.
fn has_other_users(what: &str) -> bool {
    let has = std::env::var("SUBORDINATE_IDS").as_deref() != Ok("no");
    if !has {
        eprintln!("not tested: {what} takes subordinate ids");
    }
    has
}

/// The state of a service, by `inspect`.
fn service(lab: &Lab, service: &str, node: &str) -> String {
    let inspected = lab.inspect();
    let rows = inspected["services"].as_array().unwrap();
    let row = rows.iter().find(|row| row["service"] == service && row["node"] == node);
    row.unwrap_or_else(|| panic!("no {service} in {node}: {rows:?}"))["state"].to_string()
}

fn reaches(lab: &Lab, from: &str, to: &str) -> bool {
    lab.try_sh(from, &format!("ping -4 -c 1 -W 1 {to}")).0 == 0
}

const TRIANGLE: &str = "topology:
  kinds:
    router: { services: { ospf: { hello: 1, dead: 4 }, ospf6: { hello: 1, dead: 4 } } }
  nodes:
    r1: { kind: router }
    r2: { kind: router }
    r3: { kind: router }
    h1:
    h3: { services: [web] }
  links:
    - { endpoints: [r1, r2] }
    - { endpoints: [r2, r3] }
    - { endpoints: [r1, r3], name: short }
    - { endpoints: [h1, r1] }
    - { endpoints: [h3, r3] }
";

#[test]
fn ospf_is_back_without_help_when_a_router_has_failed() {
    if !has_other_users("FRR") {
        return;
    }
    let lab = Lab::new(
        "topology:\n  kinds: { router: { services: { ospf: { hello: 1, dead: 4 } } } }\n  \
           nodes: { r1: { kind: router }, r2: { kind: router }, h1: , h2: }\n  \
           links: [{ endpoints: [h1, r1] }, { endpoints: [r1, r2] }, { endpoints: [r2, h2] }]\n\
         processes:\n  \
           - { name: converged, node: h1, command: timeout 90 sh -c \
               'until ping -4 -c 1 -W 1 h2; do sleep 0.2; done' }\n  \
           - { name: back, node: h1, start: 16s, command: timeout 90 sh -c \
               'until ping -4 -c 1 -W 1 h2; do sleep 0.2; done' }\n  \
           - { name: neighbours, node: r1, start: { after: back, when: done }, command: \
               vtysh -c 'show ip ospf neighbor' }\n\
         timeline:\n  - { at: 12s, node: r2, state: failed, for: 3s }\n  \
           - { at: 13s, node: h1, run: \"! ping -4 -c 1 -W 1 h2\" }\n",
    );
    lab.ok(&["run", "-o", "results"]);
    let output =
        |of: &str| fs::read_to_string(lab.path(&format!("results/processes/{of}"))).unwrap();
    let neighbours = output("neighbours@r1.stdout");
    assert!(neighbours.contains("Full/-"), "{neighbours}");
    let events = fs::read_to_string(lab.path("results/events.jsonl")).unwrap();
    // Each daemon of `r2` twice.
    let ready = events.lines().filter(|line| line.contains("service_ready"));
    assert_eq!(ready.filter(|line| line.contains(r#""node":"r2""#)).count(), 4, "{events}");
}

#[test]
fn ospf_finds_the_ways_and_others_when_a_link_is_cut() {
    if !has_other_users("FRR") {
        return;
    }
    let lab = Lab::deployed(TRIANGLE);
    for name in ["zebra", "ospf", "ospf6"] {
        assert!(service(&lab, name, "r2").contains("ready"), "{}", service(&lab, name, "r2"));
    }
    converges("h1 reaches h3", || reaches(&lab, "h1", "h3"));
    converges("r1 reaches r3's loopback by IPv6", || {
        lab.try_sh("r1", "ping -6 -c 1 -W 1 r3").0 == 0
    });
    assert!(lab.sh("h1", "curl -s http://h3/").contains("This is h3."));
    let neighbours = lab.sh("r1", "vtysh -c 'show ip ospf neighbor'");
    assert_eq!(neighbours.matches("Full/-").count(), 2, "{neighbours}");
    // Right after the cut there may be no way at all; and routes come later than neighbours, and
    // not all at once.
    let goes_by = |interface: &str| {
        let line = "ip -4 route get $(getent ahostsv4 r3 | cut -d' ' -f1 | head -1)";
        let (code, way) = lab.try_sh("r1", line);
        code == 0 && way.contains(&format!("dev {interface} "))
    };
    converges("the short way", || goes_by("eth2"));
    lab.ok(&["set", &format!("short@{}", lab.name), "state=down"]);
    converges("the way around", || goes_by("eth1") && reaches(&lab, "h1", "h3"));
    lab.ok(&["destroy", &lab.name]);
    assert_eq!(lab.remains(), [""; 0]);
}

#[test]
fn bgp_is_spoken_between_frr_and_bird() {
    if !has_other_users("FRR") {
        return;
    }
    let lab = Lab::deployed(
        "topology:
  defaults: { node: { kind: router } }
  nodes:
    a: { services: { bgp: { as: 65001, networks: [10.99.0.0/16] } }, startup: [ip route add \
    blackhole 10.99.0.0/16] }
    b: { services: { bird: { as: 65002, ospf: false } } }
    c: { services: { bgp: { as: 65003 } } }
  links: [{ endpoints: [a, b] }, { endpoints: [b, c] }]
",
    );
    converges("c learns of a's network through b", || {
        lab.sh("c", "ip route").contains("10.99.0.0/16")
    });
    let path = lab.sh("c", "vtysh -c 'show bgp ipv4 unicast 10.99.0.0/16'");
    assert!(path.contains("65002 65001"), "{path}");
    converges("a reaches c", || reaches(&lab, "a", "c"));
    assert!(lab.sh("b", "birdc -s /run/bird/bird.ctl show protocols").contains("Established"));
}

#[test]
fn names_pages_and_shells_are_served() {
    let ssh = has_other_users("sshd");
    let lab = Lab::new("");
    let key = lab.path("key");
    let made =
        Command::new("ssh-keygen").args(["-q", "-t", "ed25519", "-N", "", "-f"]).arg(&key).status();
    assert!(made.unwrap().success());
    let public = fs::read_to_string(lab.path("key.pub")).unwrap();
    let sshd = match ssh {
        true => format!(", sshd: {{ authorized_keys: [\"{}\"] }}", public.trim()),
        false => String::new(),
    };
    let scenario = format!(
        "name: {}
topology:
  nodes:
    server:
      services: {{ web: {{ port: 8080 }}, \
      dnsmasq: {{ records: [\"www.example,192.0.2.7\"] }}{sshd} }}
      files: {{ /run/www/index.html: {{ content: mine }} }}
      interfaces: {{ eth1: {{ ipv4: 10.77.0.1/24 }} }}
    client:
      interfaces: {{ eth1: {{ ipv4: 10.77.0.9/24 }} }}
  links: [{{ endpoints: [server, client] }}]
",
        lab.name
    );
    fs::write(lab.path("netloom.yaml"), scenario).unwrap();
    lab.ok(&["deploy"]);
    assert_eq!(lab.sh("client", "curl -s http://server:8080/"), "mine");
    assert_eq!(lab.sh("client", "dig +short @10.77.0.1 www.example").trim(), "192.0.2.7");
    assert_eq!(lab.sh("client", "dig +short @10.77.0.1 client").trim(), "10.77.0.9");
    let config = lab.sh("server", "cat /etc/dnsmasq.conf");
    assert!(config.contains("10.77.0.10,10.77.0.254"), "{config}");
    if ssh {
        let copied = "cp key /tmp/key && chmod 600 /tmp/key";
        let options =
            "-o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o IdentitiesOnly=yes";
        let line =
            format!("{copied} && ssh {options} -i /tmp/key root@server hostname 2>/dev/null");
        assert_eq!(lab.sh("client", &line).trim(), "server");
    }
}

#[test]
fn a_node_has_files_variables_binds_and_commands_of_its_own() {
    let lab = Lab::new(
        "topology:
  defaults: { node: { env: { A: all, B: all }, files: { /etc/netloom-test: { content: \
  default } } } }
  groups: { some: { members: [a], files: { /etc/ssl/netloom-test.conf: { source: beside.txt, \
  mode: \"0640\" } } } }
  nodes:
    a:
      env: { B: mine }
      binds: { given: /opt/given, taken: { to: /run/taken, write: true } }
      startup:
        - echo $B >/etc/netloom-started
        - [sh, -c, \"cat /etc/netloom-started >>/run/netloom-order\"]
    b: { files: { /etc/netloom-test: { content: own } } }
  links: [{ endpoints: [a, b] }]
",
    );
    fs::write(lab.path("beside.txt"), "from beside\n").unwrap();
    for folder in ["given", "taken"] {
        fs::create_dir(lab.path(folder)).unwrap();
        fs::write(lab.path(folder).join("there"), folder).unwrap();
    }
    lab.ok(&["deploy"]);
    assert_eq!(lab.sh("a", "echo $A $B"), "all mine\n");
    assert_eq!(lab.sh("b", "echo $A $B"), "all all\n");
    assert_eq!(lab.sh("a", "cat /etc/netloom-test"), "default");
    assert_eq!(lab.sh("b", "cat /etc/netloom-test"), "own");
    let shown =
        lab.sh("a", "cat /etc/ssl/netloom-test.conf; stat -c %a /etc/ssl/netloom-test.conf");
    assert_eq!(shown, "from beside\n640\n");
    assert_eq!(lab.sh("a", "cat /run/netloom-order"), "mine\n");
    assert_eq!(lab.sh("a", "cat /opt/given/there /run/taken/there"), "giventaken");
    assert_ne!(lab.try_sh("a", "touch /opt/given/more").0, 0);
    lab.sh("a", "touch /run/taken/more && test -e /etc/passwd && rm -f /etc/services");
    assert!(lab.path("taken/more").exists() && !lab.path("given/more").exists());
    assert_ne!(lab.try_sh("b", "test -e /etc/netloom-started").0, 0);
    for path in
        ["/etc/netloom-test", "/etc/netloom-started", "/etc/ssl/netloom-test.conf", "/opt/given"]
    {
        assert!(!Path::new(path).exists(), "{path} is on the machine");
    }
    assert!(
        Path::new("/etc/services").exists() == (lab.try_sh("b", "test -e /etc/services").0 == 0)
    );
    lab.ok(&["destroy", &lab.name]);
    assert_eq!(lab.remains(), [""; 0]);
    assert_eq!(fs::read_to_string(lab.path("given/there")).unwrap(), "given");
}

#[test]
fn a_start_that_fails_says_why_and_leaves_nothing() {
    let lab = Lab::new(
        "topology: { nodes: { a: { startup: [\"echo first\", \"echo the reason >&2; \
         exit 7\"] } } }\n",
    );
    let (code, error) = lab.fails(&["deploy"]);
    assert_eq!(code, 1);
    for part in ["node `a`", "echo the reason", "code 7", "\n  the reason"] {
        assert!(error.contains(part), "{error} does not say {part}");
    }
    assert_eq!(lab.remains(), [""; 0]);
}

#[test]
fn a_service_that_does_not_come_up_says_why() {
    let lab =
        Lab::new("topology: { nodes: { a: { services: { mine: { template: mine.yaml } } } } }\n");
    fs::write(
        lab.path("mine.yaml"),
        "command: [sh, -c, \"echo {{ node.name }} cannot; exit 3\"]\nready: { port: \"9\" }\n",
    )
    .unwrap();
    let (_, error) = lab.fails(&["deploy"]);
    for part in ["service `mine` of node `a`", "code 3 before it was ready", "\n  a cannot"] {
        assert!(error.contains(part), "{error} does not say {part}");
    }
    assert_eq!(lab.remains(), [""; 0]);
}

#[test]
fn what_is_missing_is_reported_before_anything_is_made() {
    let lab = Lab::new(
        "topology: { nodes: { a: { services: { mine: { template: mine.yaml } } }, b: } }\n",
    );
    fs::write(
        lab.path("mine.yaml"),
        "programs: { no-such-daemon: { package: no-such-package } }\n\
         command: [\"{{ programs['no-such-daemon'] }}\"]\n",
    )
    .unwrap();
    let (_, error) = lab.fails(&["deploy"]);
    for part in ["`mine` of node `a`", "program `no-such-daemon`", "package `no-such-package`"] {
        assert!(error.contains(part), "{error} does not say {part}");
    }
    fs::write(lab.path("mine.yaml"), "command: [\"{{ nod.name }}\"]\n").unwrap();
    let (_, error) = lab.fails(&["deploy"]);
    assert!(error.contains("`command` cannot be filled in"), "{error}");
    let absent = Lab::new(
        "topology: { nodes: { a: { binds: { nowhere: /opt/x } }, b: { root: nowhere } } }\n",
    );
    let (_, error) = absent.fails(&["deploy"]);
    assert!(error.contains("node `b` has no root"), "{error}");
    assert_eq!([lab.remains(), absent.remains()].concat(), [""; 0]);
}

#[test]
fn a_service_that_dies_or_fails_is_seen() {
    let lab = Lab::new(
        "topology: { nodes: { a: { services: { mine: { template: mine.yaml }, weak: { template: \
         weak.yaml }, web: } } } }\n",
    );
    let template = "command: [sh, -c, \"while ! test -e /run/die; do sleep 0.05; done; exit 9\"]\n";
    fs::write(lab.path("mine.yaml"), template).unwrap();
    let weak = "command: [sh, -c, \"touch /run/fine; exec sleep 1000\"]
ready: { path: /run/fine }
health: { path: /run/fine }
";
    fs::write(lab.path("weak.yaml"), weak).unwrap();
    lab.ok(&["deploy"]);
    assert!(service(&lab, "mine", "a").contains("ready"));
    assert!(service(&lab, "weak", "a").contains("ready"));
    lab.sh("a", "touch /run/die; rm /run/fine");
    converges("its health is seen", || service(&lab, "weak", "a").contains("unhealthy"));
    converges("its end is seen", || service(&lab, "mine", "a").contains("ended with code 9"));
    assert!(lab.ok(&["inspect", &lab.name]).contains("failed: ended with code 9"));
    assert!(service(&lab, "web", "a").contains("ready"));
    let socket = state(&lab.name).join("api.sock");
    let events = Command::new("curl")
        .args(["-s", "--max-time", "2", "--unix-socket"])
        .arg(&socket)
        .arg("http://localhost/v1/events")
        .output();
    let events = text(&events.unwrap().stdout);
    assert!(events.contains("\"service_ended\"") && events.contains("\"code\":9"), "{events}");
}

#[test]
fn a_run_counts_from_when_its_services_are_ready() {
    let lab = Lab::new(
        "topology:
  nodes: { a: { services: { slow: { template: slow.yaml } } } }
processes:
  - { name: look, node: a, command: test -e /run/is-ready }
",
    );
    fs::write(
        lab.path("slow.yaml"),
        "command: [sh, -c, \"echo soon; sleep 1; touch /run/is-ready; exec sleep 1000\"]\n\
         ready: { path: /run/is-ready }\n",
    )
    .unwrap();
    lab.ok(&["run", "-o", "results"]);
    let log = fs::read_to_string(lab.path("results/services/slow@a.log")).unwrap();
    assert_eq!(log, "soon\n");
    assert_eq!(lab.remains(), [""; 0]);
}

#[test]
fn services_run_in_the_scenarios_folder_and_their_logs_are_bounded() {
    let lab = Lab::new(
        "topology:
  nodes:
    a: { services: { chatty: { template: chatty.yaml }, web: }, startup: ['test -e chatty.yaml'] }
",
    );
    let template = "command: [sh, -c, \"pwd; echo first; yes a long line that fills a log soon | \
                    head -c 30000000; echo last; exec sleep 1000\"]
ready: { output: last }
";
    fs::write(lab.path("chatty.yaml"), template).unwrap();
    // Python finds its own modules all the same.
    fs::write(lab.path("socket.py"), "raise SystemExit(9)\n").unwrap();
    lab.ok(&["deploy"]);
    let log = state(&lab.name).join("services/chatty@a.log");
    assert!(fs::metadata(&log).unwrap().len() < 4 << 20, "the log is not bounded");
    let text = fs::read_to_string(&log).unwrap();
    assert!(text.starts_with("/run/netloom/scenario\nfirst\n"), "{}", &text[..100]);
    assert!(text.ends_with("last\n"));
    let said = text.lines().find_map(|line| line.strip_prefix("[netloom: ")).unwrap();
    let cut: usize = said.split(' ').next().unwrap().parse().unwrap();
    let mark = said.len() + "\n[netloom: \n".len();
    let printed = "/run/netloom/scenario\nfirst\nlast\n".len() + 30_000_000;
    assert_eq!(text.len() - mark + cut, printed);
}

#[test]
fn a_killed_engine_leaves_nothing_that_cleanup_does_not_find() {
    let lab = Lab::deployed("topology: { nodes: { a: { services: [web] } } }\n");
    common::kill(lab.engine_pid(), nix::sys::signal::Signal::SIGKILL);
    common::eventually("the engine is dead", || {
        !lab.netloom(&["inspect", &lab.name, "--format", "json"]).status.success()
            || !text(&lab.netloom(&["inspect", &lab.name]).stdout).contains("deployed")
    });
    lab.ok(&["cleanup", &lab.name]);
    assert_eq!(lab.remains(), [""; 0]);
    lab.ok(&["deploy"]);
    assert!(service(&lab, "web", "a").contains("ready"));
}

#[test]
fn a_node_has_a_root_of_its_own_which_is_not_changed() {
    let lab = Lab::new(
        "topology:
  defaults: { node: { binds: { /usr: /usr } } }
  nodes:
    a: { root: image, services: [web], files: { /data/x: { content: hi } } }
    b: { root: image.tar.gz }
    c: { root: oci, env: { WHO: scenario } }
  links: [{ endpoints: [a, b] }]
",
    );
    skeleton(&lab.path("image"));
    let packed = Command::new("sh").args(["-euc", PACK]).current_dir(&lab.directory).status();
    assert!(packed.unwrap().success());
    let cache = lab.path("cache");
    let deployed = lab.command(&["deploy"]).env("XDG_CACHE_HOME", &cache).output().unwrap();
    assert!(deployed.status.success(), "{}", text(&deployed.stderr));
    for node in ["a", "b", "c"] {
        assert_eq!(lab.sh(node, "cat /etc/motd"), "another root\n");
        lab.sh(node, "echo mine >/etc/motd; echo new >/new; rm /etc/passwd");
        assert!(lab.sh(node, "cat /etc/hosts").contains("localhost"));
        assert_ne!(lab.try_sh(node, &format!("test -e {}", env!("CARGO_MANIFEST_DIR"))).0, 0);
    }
    assert_eq!(lab.sh("a", "cat /data/x"), "hi");
    assert_eq!(lab.sh("c", "echo $WHO $OTHER"), "scenario image\n");
    assert!(lab.sh("b", "curl -s http://a/").contains("This is a."));
    assert_eq!(fs::read_to_string(lab.path("image/etc/motd")).unwrap(), "another root\n");
    assert!(!lab.path("image/new").exists() && lab.path("image/etc/passwd").exists());
    assert_eq!(fs::read_dir(cache.join("netloom/roots")).unwrap().count(), 2);
    lab.ok(&["destroy", &lab.name]);
    assert_eq!(lab.remains(), [""; 0]);
    assert!(!Path::new("/new").exists());
}

/// The directory `image` as a tarball, and as an OCI layout with variables.
const PACK: &str = r#"
tar -czf image.tar.gz -C image .
mkdir -p oci/blobs/sha256
blob() {
    digest=$(sha256sum <made | cut -d ' ' -f 1)
    mv made oci/blobs/sha256/$digest
    echo "{\"mediaType\": \"application/vnd.oci.image.$1\", \"digest\": \"sha256:$digest\"}"
}
tar -cf made -C image .
layer=$(blob layer.v1.tar)
echo '{"config": {"Env": ["WHO=image", "OTHER=image"]}}' >made
config=$(blob config.v1+json)
echo "{\"layers\": [$layer], \"config\": $config}" >made
echo "{\"manifests\": [$(blob manifest.v1+json)]}" >oci/index.json
echo '{"imageLayoutVersion": "1.0.0"}' >oci/oci-layout
"#;

#[test]
fn variables_of_a_node_have_no_effect_on_the_machine() {
    let lab = Lab::new("topology:\n  nodes: { a: { env: { WHO: a, ENV } } }\n");
    // The dynamic loader writes what it does into files of that name. The folder is not there in
    // the node.
    let trace = lab.path("trace");
    let variables = format!("LD_DEBUG: libs, LD_DEBUG_OUTPUT: {}", trace.display());
    let file = lab.path("netloom.yaml");
    let scenario = fs::read_to_string(&file).unwrap().replace("ENV", &variables);
    fs::write(&file, scenario).unwrap();
    lab.ok(&["deploy"]);
    let (_, shown) = lab.try_sh("a", "echo $WHO $LD_DEBUG; tr '\\0' '\\n' </proc/1/environ");
    assert!(shown.contains("a libs\n") && !shown.contains("LD_DEBUG="), "{shown}");
    let traces = fs::read_dir(&lab.directory).unwrap().flatten();
    let traces = traces.filter(|it| it.file_name().to_string_lossy().starts_with("trace"));
    assert_eq!(traces.count(), 0, "programs of the machine had the node's variables");
}

#[test]
fn an_image_that_was_unpacked_in_part_is_removed() {
    let lab = Lab::new("topology:\n  nodes: { a: { root: root.tar } }\n");
    let many = "mkdir many; cd many; i=0; while [ $i -lt 300 ]; do mkdir $i; i=$((i+1)); done
                for d in *; do (cd $d; touch $(seq 100)); done; tar -cf ../root.tar .; cd ..; \
                rm -r many";
    let packed = Command::new("sh").args(["-euc", many]).current_dir(&lab.directory).status();
    assert!(packed.unwrap().success());
    let (cache, roots) = (lab.path("cache"), lab.path("cache/netloom/roots"));
    let entries = || fs::read_dir(&roots).into_iter().flatten().count();
    let engine = || {
        let file = common::state(&lab.name).join("engine.pid");
        fs::read_to_string(file).ok()?.parse::<i32>().ok()
    };
    for victim in ["client", "engine"] {
        let mut command = lab.command(&["deploy"]);
        command.env("XDG_CACHE_HOME", &cache).stderr(std::process::Stdio::null());
        let mut client = command.spawn().unwrap();
        eventually("something is unpacked", || entries() > 0);
        match victim {
            "client" => common::kill(i32::try_from(client.id()).unwrap(), Signal::SIGINT),
            _ => common::kill(engine().unwrap(), Signal::SIGKILL),
        }
        client.wait().unwrap();
        let cleanup = lab.command(&["cleanup", &lab.name]).env("XDG_CACHE_HOME", &cache).output();
        assert!(cleanup.unwrap().status.success());
        assert_eq!(entries(), 0, "killed: {victim}");
        assert_eq!(lab.remains(), [""; 0]);
    }
}
