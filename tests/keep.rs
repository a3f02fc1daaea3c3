//! A run keeps only files that the node's processes could have read. The place of the results is
//! fixed at the beginning.

mod common;

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Stdio;

use common::{Lab, eventually, takes_root, text};

const ONE: &str = "topology: { nodes: { a: } }\n";

/// Every path below `folder`, with its mode.
fn modes(folder: &Path) -> Vec<(String, u32)> {
    let mut found = vec![];
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let mode = entry.metadata().unwrap().permissions().mode() & 0o777;
        found.push((entry.path().display().to_string(), mode));
        if entry.path().is_dir() {
            found.extend(modes(&entry.path()));
        }
    }
    found
}

#[test]
fn links_that_a_nodes_users_make_are_not_followed() {
    if !takes_root("links of other users", "an ordinary user has one user in nodes") {
        return;
    }
    let lab = Lab::new(&format!(
        "{ONE}processes:
  - name: sly
    node: a
    command:
      - setpriv
      - --reuid=65534
      - --regid=65534
      - --clear-groups
      - sh
      - -euc
      - cd /tmp; ln -s /run/netloom/scenario/secret log; ln -s /run/netloom/scenario folder
    keep: [/tmp/log, /tmp/folder/secret]
  - name: root
    node: a
    command: cd /tmp; echo fine >fine; ln -s fine own; mkdir deep; ln -s /tmp deep/up
    keep: [/tmp/own, /tmp/deep/up/fine]
"
    ));
    fs::write(lab.path("secret"), "not for everybody").unwrap();
    fs::set_permissions(lab.path("secret"), fs::Permissions::from_mode(0o600)).unwrap();
    let output = lab.netloom(&["run", "-o", "results"]);
    let said = text(&output.stdout) + &text(&output.stderr);
    assert!(output.status.success(), "{said}");
    let kept = |path: &str| fs::read_to_string(lab.path("results/files/a").join(path)).ok();
    assert_eq!([kept("tmp/log"), kept("tmp/folder/secret")], [None, None]);
    let summary = fs::read_to_string(lab.path("results/summary.json")).unwrap();
    for name in ["log", "folder"] {
        let reason = format!("`{name}` is a link that user 65534 has made");
        assert!(summary.contains(&reason), "{summary}");
    }
    for path in ["tmp/own", "tmp/deep/up/fine"] {
        assert_eq!(kept(path).as_deref(), Some("fine\n"), "{path}");
    }
}

#[test]
fn only_regular_files_are_kept() {
    let lab = Lab::new(&format!(
        "{ONE}processes:
  - name: odd
    node: a
    command: mkfifo /tmp/fifo; ln -s /dev/zero /tmp/zero; mkdir /tmp/folder; echo fine >/tmp/fine
    keep: [/tmp/fifo, /tmp/zero, /tmp/folder, /tmp/fine, /proc/1/net/dev]
"
    ));
    lab.ok(&["run", "-o", "results"]);
    let kept: Vec<String> =
        modes(&lab.path("results/files/a")).into_iter().map(|(path, _)| path).collect();
    let files: Vec<&str> = kept.iter().filter_map(|path| path.split("/files/a/").nth(1)).collect();
    assert_eq!(files.iter().filter(|path| path.starts_with("tmp/")).count(), 1, "{files:?}");
    assert!(files.contains(&"tmp/fine"), "{files:?}");
    let devices = fs::read_to_string(lab.path("results/files/a/proc/1/net/dev")).unwrap();
    assert!(devices.contains("lo:"), "{devices}");
    let summary = fs::read_to_string(lab.path("results/summary.json")).unwrap();
    for kind in ["a pipe", "a device", "a directory"] {
        assert!(summary.contains(&format!("it is {kind}, not a regular file")), "{summary}");
    }
}

#[test]
fn results_are_private_and_go_where_the_run_began() {
    let lab = Lab::new(
        "topology: { nodes: { a: , b: }, links: [{ endpoints: [a, 'b:eth1'] }] }
processes:
  - { name: wait, node: a, command: 'touch /run/netloom/scenario/begun; \
  until test -e /run/netloom/scenario/go; do sleep 0.05; done; echo fine >/tmp/fine', \
  keep: [/tmp/fine] }
measure: { observations: true, capture: ['b:eth1'] }
",
    );
    let run =
        lab.command(&["run", "--frames", "-o", "results"]).stdout(Stdio::piped()).spawn().unwrap();
    eventually("the process runs", || lab.path("begun").exists());
    fs::rename(lab.path("results"), lab.path("moved")).unwrap();
    fs::create_dir(lab.path("elsewhere")).unwrap();
    symlink("elsewhere", lab.path("results")).unwrap();
    fs::write(lab.path("go"), "").unwrap();
    let output = run.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stdout));
    assert_eq!(modes(&lab.path("elsewhere")), []);
    let moved = lab.path("moved");
    for name in ["summary.json", "report.html", "files/a/tmp/fine", "captures/b-eth1.pcapng"] {
        assert!(moved.join(name).exists(), "no {name}");
    }
    assert_eq!(fs::metadata(&moved).unwrap().permissions().mode() & 0o777, 0o700);
    let open: Vec<_> = modes(&moved).into_iter().filter(|(_, mode)| mode & 0o077 != 0).collect();
    assert_eq!(open, [], "open to others");
    assert_eq!(lab.remains(), [""; 0]);
}
