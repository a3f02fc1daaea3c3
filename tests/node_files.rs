//! Files that a node has to itself: what a scenario puts where the machine has no folder of that
//! name, and `/etc/hosts` in a network that changes.

mod common;

use std::fs;
use std::path::Path;

use common::{Lab, rewrite};

#[test]
fn files_and_binds_may_be_directly_below_the_root() {
    let lab = Lab::new("");
    let top = format!("/netloom-{}", lab.name);
    rewrite(
        &lab,
        &format!(
            "topology:
  nodes:
    a:
      files: {{ {top}.txt: {{ content: one }}, {top}/deep/file: {{ content: two }} }}
      binds: {{ given: {{ to: {top}.bind, write: true }}, {here}: {{ to: /tmp, write: true }} }}
    b:
  links: [{{ endpoints: [a, b] }}]
",
            here = lab.directory.display()
        ),
    );
    fs::create_dir(lab.path("given")).unwrap();
    lab.ok(&["validate"]);
    lab.ok(&["deploy"]);
    assert_eq!(lab.sh("a", &format!("cat {top}.txt {top}/deep/file")), "onetwo");
    lab.sh("a", &format!("echo new >{top}.bind/made; echo new >/tmp/made"));
    for made in ["given/made", "made"] {
        assert_eq!(fs::read_to_string(lab.path(made)).unwrap(), "new\n", "{made}");
    }
    assert_eq!(lab.sh("b", &format!("ls -d {top}* 2>/dev/null || echo none")), "none\n");
    for path in [format!("{top}.txt"), format!("{top}.bind"), top] {
        assert!(!Path::new(&path).exists(), "{path} on the machine");
    }
}

#[test]
fn new_names_reach_nodes_that_have_changed_their_file() {
    let lab = Lab::new("");
    let with = |rest: &str| {
        let nodes = format!("nodes: {{ a: , b: , c: {rest} }}");
        rewrite(&lab, &format!("topology: {{ {nodes}, links: [{{ endpoints: [a, b] }}] }}\n"));
    };
    with("");
    lab.ok(&["deploy"]);
    lab.sh("a", "echo 192.0.2.1 mine >>/etc/hosts");
    lab.sh("b", "echo 192.0.2.2 alone >/etc/hosts");
    lab.sh("c", "true");
    with(", d: ");
    let grown = fs::read_to_string(lab.path("netloom.yaml")).unwrap();
    let grown = grown.replace("endpoints: [a, b]", "endpoints: [a, b] }, { endpoints: [a, d]");
    fs::write(lab.path("netloom.yaml"), grown).unwrap();
    lab.ok(&["apply"]);
    assert_eq!(lab.sh("a", "getent hosts mine | cut -d' ' -f1"), "192.0.2.1\n");
    for node in ["a", "c", "d"] {
        assert_ne!(lab.try_sh(node, "grep -w d /etc/hosts").1, "", "{node} does not know d");
    }
    assert_eq!(lab.sh("b", "cat /etc/hosts"), "192.0.2.2 alone\n");
    assert_ne!(lab.try_sh("c", "getent hosts mine").0, 0, "c knows what a has written");
}
