//! Machines that `ssh` leads to, as an ordinary user: three `sshd`s in network namespaces.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::Path;
use std::process::{Child, Command, Output};

use super::common::{Lab, NETLOOM, eventually, kill, takes_root, text};

const SSHD: &str = "/usr/sbin/sshd";
/// The user, whom only these machines know.
const USER: &str = "nl-ann";
const ID: u32 = 61_234;

/// Two hosts and a router, each on a machine of its own.
const SCENARIO: &str = "\
topology:
  nodes:
    a: { machine: m1 }
    r: { kind: router, machine: m2 }
    b: { machine: m3 }
  links:
    - { endpoints: [a, r], delay: 200ms }
    - { endpoints: [r, b], delay: 200ms }
processes:
  - { name: ping, node: a, command: ping -c 2 b }
expect: [{ process: ping, exit: 0 }]
";

/// What a machine does: its own `/run`, which has the binary, its own users, and `sshd`.
const MACHINE: &str = "set -e
mount -t tmpfs none /run
mkdir /run/sshd
touch /run/nl
mount --bind $NETLOOM /run/nl
mknod -m 666 /run/tun c 10 200
mount --bind /run/tun /dev/net/tun
for file in passwd group shadow; do mount --bind $DIRECTORY/$file /etc/$file; done
exec /usr/sbin/sshd -D -e -f $DIRECTORY/sshd_config";

/// Three machines and that of the lead, on one switch.
struct Cluster {
    name: String,
    daemons: Vec<Child>,
}

fn sh(line: &str) {
    let output = Command::new("sh").args(["-ec", line]).output().unwrap();
    assert!(output.status.success(), "{line}: {}", text(&output.stderr));
}

impl Cluster {
    fn new(lab: &Lab) -> Self {
        let (name, at) = (lab.name.clone(), lab.directory.display().to_string());
        let mut cluster = Self { name: name.clone(), daemons: Vec::new() };
        files(lab);
        sh(&format!(
            "ip netns add {name}-0; ip -n {name}-0 link add cable type bridge; \
             ip -n {name}-0 address add 10.9.0.254/24 dev cable; ip -n {name}-0 link set cable up"
        ));
        for number in 1..=3 {
            let machine = format!("{name}-{number}");
            sh(&format!(
                "ip netns add {machine}; \
                 ip -n {name}-0 link add p{number} type veth peer name cable netns {machine}; \
                 ip -n {name}-0 link set p{number} master cable up; \
                 ip -n {machine} address add 10.9.0.{number}/24 dev cable; \
                 ip -n {machine} link set cable up; ip -n {machine} link set lo up"
            ));
            let mut daemon = Command::new("ip");
            daemon.args(["netns", "exec", &machine, "sh", "-c", MACHINE]);
            daemon.env("NETLOOM", NETLOOM).env("DIRECTORY", &at);
            let log = fs::File::create(lab.path(&format!("sshd{number}"))).unwrap();
            cluster.daemons.push(daemon.stderr(log).spawn().unwrap());
        }
        eventually("the machines listen", || {
            (1..=3).all(|number| {
                let log = fs::read_to_string(lab.path(&format!("sshd{number}")));
                log.is_ok_and(|log| log.contains("Server listening"))
            })
        });
        cluster
    }

    fn run(&self, lab: &Lab, list: &str, results: &str) -> Output {
        let mut command = Command::new("ip");
        command.args(["netns", "exec", &format!("{}-0", self.name), NETLOOM, "run"]);
        command.args(["--machines", list, "-o", results]);
        command.env("NETLOOM_PROFILE", lab.profile()).current_dir(&lab.directory);
        command.output().unwrap()
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        for daemon in &mut self.daemons {
            kill(i32::try_from(daemon.id()).unwrap(), nix::sys::signal::Signal::SIGTERM);
            let _ = daemon.wait();
        }
        for number in 0..=3 {
            let machine = format!("{}-{number}", self.name);
            let _ = Command::new("ip").args(["netns", "del", &machine]).status();
        }
    }
}

/// Writes what the machines and the lead read.
fn files(lab: &Lab) {
    let at = lab.directory.display();
    let write = |name: &str, text: &str| fs::write(lab.path(name), text).unwrap();
    sh(&format!(
        "cd {at}; ssh-keygen -q -t ed25519 -N '' -f host; \
                 ssh-keygen -q -t ed25519 -N '' -f key; cp key.pub authorized"
    ));
    let home = lab.path("home");
    fs::create_dir(&home).unwrap();
    fs::write(home.join(".bashrc"), "echo Welcome; printf 'many words\\n%.0s' 1 2 3\n").unwrap();
    for path in [&home, &home.join(".bashrc")] {
        chown(path, Some(ID), Some(ID)).unwrap();
    }
    fs::set_permissions(&lab.directory, Permissions::from_mode(0o755)).unwrap();
    for (name, line) in [
        ("passwd", format!("{USER}:x:{ID}:{ID}::{}:/bin/bash\n", home.display())),
        ("group", format!("{USER}:x:{ID}:\n")),
        ("shadow", format!("{USER}:*:19000:0:99999:7:::\n")),
    ] {
        write(name, &(fs::read_to_string(Path::new("/etc").join(name)).unwrap() + &line));
    }
    write(
        "sshd_config",
        &format!(
            "HostKey {at}/host\nAuthorizedKeysFile {at}/authorized\nUsePAM no\nStrictModes no\n\
         PidFile none\nMaxStartups 100\n"
        ),
    );
    let key = fs::read_to_string(lab.path("host.pub")).unwrap();
    write("known", &format!("10.9.0.* {key}"));
    write(
        "ssh_config",
        &format!(
            "IdentityFile {at}/key\nUserKnownHostsFile {at}/known\nBatchMode yes\nLogLevel ERROR\n"
        ),
    );
    write(".netloomignore", "home\nsent\nsshd1\nsshd2\nsshd3\nr1\n");
    let machine =
        |number| format!("  m{number}: {{ address: {USER}@10.9.0.{number}, netloom: /run/nl }}\n");
    let machines: String = (1..=3).map(machine).collect();
    // What goes to the machines of the first list is counted.
    for (list, before) in
        [("counted.yaml", format!("tee -a {at}/sent | ")), ("plain.yaml", String::new())]
    {
        let start = format!("{before}ssh -F {at}/ssh_config {{address}} {{netloom}} __member");
        write(list, &format!("start: {{ command: \"{start}\" }}\nmachines:\n{machines}"));
    }
}

#[test]
fn ssh_leads_an_ordinary_user_to_machines_and_nothing_is_sent_twice() {
    if !takes_root("machines that ssh leads to", "they are made by `ip netns`") {
        return;
    }
    if !Path::new(SSHD).exists() {
        return println!("skipped: machines that ssh leads to: there is no {SSHD}");
    }
    let lab = Lab::new(SCENARIO);
    sh(&format!("head -c 200000 /dev/urandom > {}", lab.path("data").display()));
    let cluster = Cluster::new(&lab);
    let mut sent = [0; 2];
    for (number, sent) in sent.iter_mut().enumerate() {
        let _ = fs::remove_file(lab.path("sent"));
        // The same folder both times: results of the first are left out.
        let output = cluster.run(&lab, "counted.yaml", &format!("r{}", number + 1));
        let said = text(&output.stdout) + &text(&output.stderr);
        assert!(output.status.success(), "{said}");
        *sent = fs::metadata(lab.path("sent")).unwrap().len();
    }
    println!("sent over ssh to three machines: {} bytes, then {} bytes", sent[0], sent[1]);
    assert!(sent[0] > 100_000 && sent[1] <= 64 << 10, "{sent:?}");
    let members = fs::read_dir(lab.path("home/.cache/netloom/members")).unwrap().count();
    assert_eq!(members, 0, "results stay on no machine");
    // The machines have other keys now.
    let other = fs::read_to_string(lab.path("key.pub")).unwrap();
    fs::write(lab.path("known"), format!("10.9.0.* {other}")).unwrap();
    let output = cluster.run(&lab, "plain.yaml", "r3");
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("ssh-keygen -R") && said.contains("m3: start"), "{said}");
}
