//! Metrics that applications in nodes report: stored completely, or refused with a message.

mod common;

use std::fs;
use std::path::PathBuf;
use std::process::Stdio;

use common::{HOG, Lab, eventually, text};
use nix::mount::{MntFlags, MsFlags, mount, umount2};
use serde_json::Value;

/// A small file system; gone when dropped.
struct SmallDisk(PathBuf);

impl SmallDisk {
    fn mount(at: PathBuf, size: &str) -> Self {
        fs::create_dir(&at).unwrap();
        let options = format!("size={size}");
        mount(Some("tmpfs"), &at, Some("tmpfs"), MsFlags::empty(), Some(options.as_str())).unwrap();
        Self(at)
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = umount2(&self.0, MntFlags::MNT_DETACH);
    }
}

/// Reports numbers until twenty were refused, says so by a file, and goes on until twenty were
/// recorded after that; prints which were answered how.
const REPORTER: &str = "\
import json, os, socket, time
answers, value, again = {}, 0, 0
while again < 20:
    body = json.dumps({'name': 'm', 'value': value})
    with socket.socket(socket.AF_UNIX) as s:
        s.connect(os.environ['NETLOOM_METRICS'])
        s.sendall(f'POST /v1/metrics HTTP/1.1\\r\\nhost: n\\r\\nconnection: close\\r\\n'
                  f'content-length: {len(body)}\\r\\n\\r\\n{body}'.encode())
        status = s.recv(4096).split()[1].decode()
    answers.setdefault(status, []).append(value)
    value += 1
    if len(answers.get('507', [])) == 20: open('refused', 'w').close()
    again += status == '204' and os.path.exists('refused')
    time.sleep(0.005)
print(json.dumps(answers))
";

#[test]
fn reports_that_cannot_be_written_are_refused_and_reported() {
    if !common::takes_root("reports_that_cannot_be_written_are_refused_and_reported", "it mounts") {
        return;
    }
    let lab = Lab::new(
        "topology: { nodes: { a: } }
processes: [{ name: reporter, node: a, command: [python3, reporter.py] }]
",
    );
    fs::write(lab.path("reporter.py"), REPORTER).unwrap();
    let _disk = SmallDisk::mount(lab.path("disk"), "2m");
    let run = lab.command(&["run", "-o", "disk/results"]);
    let run = { run }.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let results = lab.path("disk/results");
    let metrics = results.join("metrics.jsonl");
    eventually("reports are recorded", || fs::metadata(&metrics).is_ok_and(|file| file.len() > 0));
    let filler = lab.path("disk/filler");
    assert!(fs::write(&filler, vec![0; 4 << 20]).is_err(), "the disk is not full");
    eventually("reports are refused", || lab.path("refused").exists());
    fs::remove_file(&filler).unwrap();
    let output = run.wait_with_output().unwrap();
    let words = text(&output.stdout) + &text(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{words}");

    let read = |file: &str| fs::read_to_string(results.join(file)).unwrap();
    let answers: Value = serde_json::from_str(&read("processes/reporter@a.stdout")).unwrap();
    let lines = read("metrics.jsonl");
    let value =
        |line| serde_json::from_str::<Value>(line).unwrap()["value"].as_f64().unwrap() as u64;
    let kept: Vec<u64> = lines.lines().map(value).collect();
    assert_eq!(serde_json::json!(kept), answers["204"]);
    let refused = answers["507"].as_array().unwrap().len();
    let summary: Value = serde_json::from_str(&read("summary.json")).unwrap();
    let failure = format!("metrics.jsonl is not complete: {refused} reports could not be written");
    assert!(summary["failures"].to_string().contains(&failure), "{summary}");
    assert!(summary["warnings"].to_string().contains("No space left on device"), "{summary}");
}

#[test]
fn a_node_that_takes_all_connections_takes_its_own() {
    let lab = Lab::new(
        "topology: { nodes: { a: , b: }, links: [{ endpoints: ['a:eth1', 'b:eth1'] }] }\n",
    );
    fs::write(lab.path("hog.py"), HOG).unwrap();
    lab.ok(&["deploy"]);
    lab.sh("a", "python3 hog.py 300 >hogged 2>&1 </dev/null & true");
    let hogged = || fs::read_to_string(lab.path("hogged")).unwrap();
    eventually("the node has connected", || hogged().ends_with('\n'));
    assert_eq!(hogged().trim(), "64");
    let (code, words) = lab.try_sh("a", "netloom-report x 1");
    assert_ne!(code, 0, "{words}");
    lab.sh("b", "netloom-report x 1");
    lab.ok(&["set", "a--b", "delay=2ms"]);
    lab.ok(&["destroy"]);
    assert_eq!(lab.remains(), [""; 0]);
}
