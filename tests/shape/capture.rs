//! Captures of claims.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};

use nix::sys::signal::Signal;
use pcap_file::pcapng::{Block, PcapNgReader};

use crate::common::{eventually, kill, takes_root};
use crate::host::{ALICE, BOB, Host, Running, THERE, WHY};

/// The lengths of the frames in a pcapng file, and the name of its first interface.
fn frames(file: &Path) -> (Option<String>, Vec<u32>) {
    let Ok(mut reader) = PcapNgReader::new(File::open(file).unwrap()) else {
        return (None, Vec::new());
    };
    let (mut name, mut lengths) = (None, Vec::new());
    while let Some(Ok(block)) = reader.next_block() {
        match block {
            Block::EnhancedPacket(packet) => lengths.push(packet.original_len),
            Block::InterfaceDescription(interface) if name.is_none() => {
                name = Some(format!("{:?}", interface.options));
            }
            _ => {}
        }
    }
    (name, lengths)
}

#[test]
fn the_frames_of_ones_own_claim_are_captured_and_no_others() {
    if !takes_root("the_frames_of_ones_own_claim_are_captured_and_no_others", WHY) {
        return;
    }
    let host = Host::new("c");
    let _server = host.server(1, None, THERE, 7001);
    host.ok(Some(ALICE), "add web --client tcp/7001 --both rate=10Mbit/s delay=5ms");
    let capture = |what: &str, words: &[&str]| {
        let file = host.directory.join(what);
        let mut command: Command = host.command(0, Some(ALICE), crate::common::NETLOOM);
        command.args(["shape", "--state"]).arg(host.directory.join("state"));
        command.args(["capture", "web", "-w", "-"]).args(words);
        let stdout = File::create(&file).unwrap();
        (Running(command.stdout(stdout).stderr(Stdio::null()).spawn().unwrap()), file)
    };
    let mut captures = [capture("host", &[]), capture("wire", &["--wire", "--drops"])];
    let begun = |file: &Path| fs::metadata(file).is_ok_and(|file| file.len() > 0);
    eventually("the captures begin", || captures.iter().all(|(_, file)| begun(file)));
    // Bob's frames are of the same port, and of nobody's claim.
    host.round_trip(0, Some(BOB), THERE, 7001);
    host.round_trip(0, Some(ALICE), THERE, 7001);
    for (_, file) in &captures {
        // A connection that echoes four times: three frames to begin with, eight with a byte.
        eventually("the connection has been captured", || frames(file).1.len() >= 11);
        let (name, lengths) = frames(file);
        assert!(name.unwrap().contains("web:eth0"), "{lengths:?}");
        let with_a_byte = lengths.iter().filter(|length| **length == 14 + 20 + 32 + 1).count();
        // Some may have been sent again, but not as many as Bob's.
        assert!((8..16).contains(&with_a_byte), "{lengths:?}");
    }
    let said = host.refusal(Some(BOB), "capture web -w -");
    assert!(said.contains("there is no claim \"web\" of yours"), "{said}");
    // It ends with the claim, or by Ctrl-C.
    let (one, _) = &mut captures[0];
    kill(i32::try_from(one.0.id()).unwrap(), Signal::SIGINT);
    assert!(one.0.wait().unwrap().success());
    host.ok(Some(ALICE), "remove web");
    assert!(captures[1].0.0.wait().unwrap().success());
    let verbs: Vec<_> = host.records().iter().map(|record| record["verb"].clone()).collect();
    assert_eq!(verbs.iter().filter(|verb| *verb == "capture").count(), 3, "{verbs:?}");
}
