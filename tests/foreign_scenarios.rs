//! `validate` with a scenario from an untrusted source: it terminates and reveals no secrets.

mod common;

use std::fs;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use common::{Lab, text};
use nix::sys::stat::Mode;

/// Returns the outcome of `netloom validate`, which must terminate on its own: exit code and
/// output.
fn validated(lab: &Lab) -> (i32, String) {
    let mut command = lab.command(&["validate"]);
    let child: Child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let pid = i32::try_from(child.id()).unwrap();
    let guard = std::thread::spawn(move || {
        let deadline = Instant::now() + Duration::from_secs(60);
        while Instant::now() < deadline {
            if nix::sys::signal::kill(nix::unistd::Pid::from_raw(pid), None).is_err() {
                return;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        common::kill(pid, nix::sys::signal::Signal::SIGKILL);
    });
    let output = child.wait_with_output().unwrap();
    guard.join().unwrap();
    let code = output.status.code().expect("it ends by itself");
    (code, text(&output.stdout) + &text(&output.stderr))
}

const LINK: &str =
    "topology: { nodes: { a: , b: }, links: [{ endpoints: [a, b], rate: { trace: FILE } }] }\n";

#[test]
fn files_that_never_end_are_refused() {
    let lab = Lab::new("");
    nix::unistd::mkfifo(&lab.path("pipe"), Mode::S_IRWXU).unwrap();
    let source = "topology: { nodes: { a: { files: { /tmp/x: { source: FILE } } } } }\n";
    let service = "topology: { nodes: { a: { services: { s: { template: FILE } } } } }\n";
    for file in ["pipe", "/dev/zero", "/proc/kmsg", "/proc/self/environ"] {
        for scenario in [LINK, source, service] {
            common::rewrite(&lab, &scenario.replace("FILE", file));
            let (code, said) = validated(&lab);
            assert_eq!(code, 2, "{file}: {said}");
            assert!(
                said.contains("no regular file") || said.contains("Permission denied"),
                "{said}"
            );
        }
    }
}

#[test]
fn errors_in_other_files_do_not_show_what_is_in_them() {
    let lab = Lab::new(&LINK.replace("FILE", "secrets"));
    let secret = "$y$j9T$abcdefghijklmnop";
    fs::write(lab.path("secrets"), format!("root:{secret}:20000:0:99999:7:::\n")).unwrap();
    let (code, said) = validated(&lab);
    assert_eq!(code, 2, "{said}");
    assert!(said.contains("`secrets`, line 1: `root…` is not"), "{said}");
    assert!(!said.contains("$y"), "{said}");
    let overhead = LINK.replace("rate: { trace: FILE }", "mac_overhead: { file: secrets }");
    let template = "topology: { nodes: { a: { services: { s: { template: secrets } } } } }\n";
    for scenario in [overhead.as_str(), template] {
        common::rewrite(&lab, scenario);
        let (code, said) = validated(&lab);
        assert!(code == 2 && !said.contains("$y"), "{said}");
    }
}

#[test]
fn tags_that_mean_nothing_are_errors() {
    let lab = Lab::new("");
    for (tagged, tag) in
        [("!!int 5", "!!int"), ("!!binary aGk=", "!!binary"), ("!!set { a: }", "!!set")]
    {
        common::rewrite(
            &lab,
            &format!(
                "seed: {tagged}\ntopology: {{ nodes: {{ a: , b: }}, links: [{{ endpoints: [a, \
                 b] }}] }}\n"
            ),
        );
        let (code, said) = validated(&lab);
        assert_eq!(code, 2, "{said}");
        assert!(said.contains(&format!("the YAML tag `{tag}` means nothing here")), "{said}");
    }
    // What is read so anyhow may say so.
    common::rewrite(
        &lab,
        "topology: !!map { nodes: { a: , b: }, links: !!seq [{ endpoints: [!!str a, b] }] }\n",
    );
    let (code, said) = validated(&lab);
    assert_eq!(code, 0, "{said}");
}

#[test]
fn many_findings_are_counted_and_not_all_shown() {
    let lab = Lab::new("");
    let nodes = |count| (0..count).map(|i| format!("node{i}: ")).collect::<Vec<_>>().join(", ");
    let links = |count| {
        let link = |i| format!("{{ endpoints: [nodw{i}, node{i}] }}");
        (0..count).map(link).collect::<Vec<_>>().join(", ")
    };
    common::rewrite(
        &lab,
        &format!("topology: {{ nodes: {{ {} }}, links: [{}] }}\n", nodes(1000), links(1000)),
    );
    let (code, said) = validated(&lab);
    assert_eq!(code, 2);
    assert_eq!(said.matches("there is no node `nodw").count(), 50, "{said}");
    assert_eq!(said.matches("did you mean").count(), 50, "{said}");
    assert!(said.contains("and 950 more"), "{said}");
    assert!(said.contains("1000 errors"), "{said}");
    let all = lab.netloom(&["validate", "--format", "json"]);
    assert_eq!(text(&all.stdout).matches("there is no node `nodw").count(), 1000);
    // Warnings do not hide errors.
    common::rewrite(
        &lab,
        &format!("topology: {{ nodes: {{ {} }}, links: [{}] }}\n", nodes(2000), links(1)),
    );
    let (_, said) = validated(&lab);
    assert!(said.contains("there is no node `nodw0`"), "{said}");
    assert!(said.lines().count() < 500, "{} lines", said.lines().count());
}
