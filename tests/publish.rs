//! Ports of the machine that lead into nodes.

mod common;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::process::{Command, Stdio};
use std::time::Duration;

use common::{Lab, eventually, kill, takes_root, text};
use nix::sys::signal::Signal;
use serde_json::Value;

/// Answers each line in capitals, over TCP and UDP at once, at the address in its argument.
const SERVER: &str = "\
import socket, sys, threading
family = socket.AF_INET6 if ':' in sys.argv[1] else socket.AF_INET
where = (sys.argv[1], 80)
udp = socket.socket(family, socket.SOCK_DGRAM); udp.bind(where)
def datagrams():
    while True:
        data, client = udp.recvfrom(65535); udp.sendto(data.upper(), client)
threading.Thread(target=datagrams, daemon=True).start()
tcp = socket.socket(family); tcp.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
tcp.bind(where); tcp.listen()
print('listening', flush=True)
def serve(client):
    with client:
        data = b''
        while part := client.recv(65536): data += part
        client.sendall(data.upper())
while True: threading.Thread(target=serve, args=(tcp.accept()[0],), daemon=True).start()
";

/// A port of the machine that nobody has now.
fn free_port() -> u16 {
    TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap().port()
}

fn lab(publish: &str) -> Lab {
    let lab = Lab::new(&format!(
        "topology:\n  nodes: {{ a: {{ publish: {publish} }}, b: }}\n  \
         links: [{{ endpoints: ['a:eth1', 'b:eth1'], delay: 20ms }}]\n"
    ));
    std::fs::write(lab.path("server.py"), SERVER).unwrap();
    lab
}

fn serve(lab: &Lab, address: &str) {
    lab.sh("a", &format!("python3 server.py {address} >/tmp/out 2>&1 </dev/null & true"));
    eventually("the server listens", || lab.sh("a", "cat /tmp/out").contains("listening"));
}

/// Sends data to the end, and reads what comes back.
fn ask(to: SocketAddr, data: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut stream = TcpStream::connect(to)?;
    stream.set_read_timeout(Some(Duration::from_secs(10)))?;
    stream.write_all(data)?;
    stream.shutdown(std::net::Shutdown::Write)?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer)?;
    Ok(answer)
}

fn ask_by_datagram(to: SocketAddr, data: &[u8]) -> Vec<u8> {
    let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    socket.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    socket.send_to(data, to).unwrap();
    let mut answer = [0; 65535];
    let (length, from) = socket.recv_from(&mut answer).unwrap();
    assert_eq!(from, to);
    answer[..length].to_vec()
}

#[test]
fn published_ports_lead_into_the_node() {
    let port = free_port();
    let lab = lab(&format!("['{port}:80', '127.0.0.1:{port}:80/udp']"));
    lab.ok(&["deploy"]);
    let here = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    // Nothing runs there yet: the connection is refused by a reset, after it was taken.
    assert!(ask(here, b"early").is_err());
    serve(&lab, "127.0.0.1");
    assert_eq!(ask(here, b"hello").unwrap(), b"HELLO");
    assert_eq!(ask(SocketAddr::from(([0, 0, 0, 0, 0, 0, 0, 1], port)), b"six").unwrap(), b"SIX");
    let long = vec![b'x'; 3 << 20];
    assert_eq!(ask(here, &long).unwrap(), long.to_ascii_uppercase());
    assert_eq!(ask_by_datagram(here, b"datagram"), b"DATAGRAM");
    std::thread::scope(|scope| {
        for client in 0..20 {
            scope.spawn(move || {
                let words = format!("client {client}");
                assert_eq!(ask(here, words.as_bytes()).unwrap(), words.to_uppercase().as_bytes());
                assert_eq!(
                    ask_by_datagram(here, words.as_bytes()),
                    words.to_uppercase().as_bytes()
                );
            });
        }
    });
    // As if from the node itself: no link carries it.
    let offered = &lab.inspect()["links"][0]["forward"]["statistics"]["offered"];
    assert!(offered["bytes"].as_u64().unwrap() < 100_000, "{offered}");
    let table = lab.ok(&["inspect"]);
    assert!(table.contains(&format!("127.0.0.1:{port}")) && table.contains("80/udp"), "{table}");
    // A connection that is open holds nothing up.
    let open = TcpStream::connect(here).unwrap();
    lab.ok(&["destroy"]);
    drop(open);
    assert_eq!(lab.remains(), [""; 0]);
    assert!(TcpStream::connect(here).is_err());
}

#[test]
fn who_takes_all_connections_of_a_port_takes_no_more_than_its_share() {
    const FILES: usize = 1500;
    let port = free_port();
    let lab = lab(&format!("['127.0.0.1:{port}:80']"));
    std::fs::write(lab.path("hog.py"), common::HOG).unwrap();
    let deploy = lab.command(&["deploy"]);
    let mut limited = Command::new("sh");
    let line = format!("ulimit -n {FILES}; exec {} deploy", common::NETLOOM);
    limited.args(["-c", &line]).current_dir(&lab.directory);
    limited.envs(deploy.get_envs().filter_map(|(name, value)| Some((name, value?))));
    assert!(limited.status().unwrap().success());
    serve(&lab, "127.0.0.1");
    let mut hog = Command::new("python3");
    hog.args(["hog.py", "1000", &port.to_string()]).current_dir(&lab.directory);
    let mut hog = hog.stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(hog.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let served: usize = line.trim().parse().unwrap();
    // Two open files each; of all, a quarter is a port's.
    assert!((100..FILES / 8).contains(&served), "{served} connections");
    for _ in 0..20 {
        lab.sh("b", "true");
    }
    hog.kill().unwrap();
    hog.wait().unwrap();
    let here = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    eventually("the port serves others", || ask(here, b"next").is_ok_and(|said| said == b"NEXT"));
}

#[test]
fn a_server_that_knows_ipv6_only_is_found() {
    let port = free_port();
    let lab = lab(&format!("['{port}:80', '{port}:80/udp']"));
    lab.ok(&["deploy"]);
    serve(&lab, "::1");
    let here = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    assert_eq!(ask(here, b"hello").unwrap(), b"HELLO");
    assert_eq!(ask_by_datagram(here, b"hello"), b"HELLO");
}

#[test]
fn a_port_that_is_taken_is_named_and_nothing_is_left() {
    let taken = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = taken.local_addr().unwrap().port();
    let lab = lab(&format!("['{port}:80']"));
    let (_, words) = lab.fails(&["deploy"]);
    for part in [&format!("127.0.0.1:{port}/tcp"), "node `a`", "in use", "choose another port"] {
        assert!(words.contains(part), "{words} does not say {part}");
    }
    assert_eq!(lab.remains(), [""; 0]);
    drop(taken);
    lab.ok(&["deploy"]);
    // And the other way round: who lives keeps its port.
    let second = self::lab(&format!("['{port}:80']"));
    assert!(second.fails(&["deploy"]).1.contains("in use"));
}

#[test]
fn a_killed_engine_gives_its_ports_back() {
    let port = free_port();
    let lab = lab(&format!("['{port}:80']"));
    lab.ok(&["deploy"]);
    kill(lab.engine_pid(), Signal::SIGKILL);
    eventually("the engine is gone", || {
        text(&lab.netloom(&["inspect", "--all"]).stdout).contains("engine has died")
    });
    lab.ok(&["deploy"]);
    lab.ok(&["destroy"]);
    assert_eq!(lab.remains(), [""; 0]);
}

/// How late the latest piece of data was, according to the verdict's bound of a pipe, in ms.
fn latest(bound: &Value, pipe: &str) -> Option<f64> {
    let pipes = bound["pipes"].as_array().unwrap();
    let pipe = pipes.iter().find(|found| found["pipe"] == pipe)?;
    let max: netloom_units::Duration = pipe["at_most"]["max"].as_str().unwrap().parse().unwrap();
    Some(max.as_secs_f64() * 1000.0)
}

/// Whether all threads of a process are stopped. Those that ran when it was asked to stop go on
/// until they are interrupted.
fn all_are_stopped(pid: i32) -> bool {
    let threads = std::fs::read_dir(format!("/proc/{pid}/task")).unwrap();
    let mut states = threads.map(|thread| {
        let stat = std::fs::read_to_string(thread.unwrap().path().join("stat")).unwrap();
        stat.rsplit(')').next().unwrap().trim().starts_with('T')
    });
    states.all(|is_stopped| is_stopped)
}

/// Data that waited for an engine that stood still are late, and a pause between data is no wait.
#[test]
fn the_bound_covers_data_that_waited_at_published_ports() {
    let port = free_port();
    let lab = Lab::new(&format!(
        "duration: 8s\ntopology:\n  nodes: {{ a: {{ publish: ['{port}:80', '{port}:80/udp'] }}, \
         b: }}\n  links: [{{ endpoints: [a, b] }}]\nprocesses:\n  - {{ name: server, node: a, \
         command: [python3, {{path}}, 127.0.0.1], ready: {{ output: listening }} }}\n"
    )
    .replace("{path}", "server.py"));
    std::fs::write(lab.path("server.py"), SERVER).unwrap();
    let run = lab.command(&["run", "-o", "results"]);
    let run = { run }.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    let here = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    eventually("the server answers", || ask(here, b"hello").is_ok_and(|said| said == b"HELLO"));
    let datagrams = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    datagrams.connect(here).unwrap();
    let mut answer = [0; 100];
    datagrams.send(b"one").unwrap();
    assert_eq!(datagrams.recv(&mut answer).unwrap(), 3);
    let mut open = TcpStream::connect(here).unwrap();
    open.write_all(b"before ").unwrap();
    std::thread::sleep(Duration::from_millis(700));
    let engine = lab.engine_pid();
    kill(engine, Signal::SIGSTOP);
    eventually("all threads stand still", || all_are_stopped(engine));
    open.write_all(b"during").unwrap();
    datagrams.send(b"two").unwrap();
    std::thread::sleep(Duration::from_millis(300));
    kill(engine, Signal::SIGCONT);
    open.shutdown(std::net::Shutdown::Write).unwrap();
    let mut said = String::new();
    open.read_to_string(&mut said).unwrap();
    assert_eq!(said, "BEFORE DURING");
    assert_eq!(datagrams.recv(&mut answer).unwrap(), 3);
    run.unwrap().wait().unwrap();
    let summary = std::fs::read_to_string(lab.path("results/summary.json")).unwrap();
    let verdict = &serde_json::from_str::<Value>(&summary).unwrap()["verdict"];
    let stop = 300.0..700.0;
    let of_datagrams = latest(&verdict["bound"], "published a:80/udp/forward").unwrap();
    assert!(stop.contains(&of_datagrams), "{of_datagrams} ms");
    assert_ne!(verdict["judgement"], "valid");
    // Without rights to load the kernel's program, it is not known when data came.
    if takes_root(
        "the_bound_covers_data_that_waited_at_published_ports",
        "for TCP, a program of the kernel",
    ) {
        let of_tcp = latest(&verdict["bound"], "published a:80/tcp/forward").unwrap();
        assert!(stop.contains(&of_tcp), "{of_tcp} ms");
    }
}
