//! Packets that a node's network stack dropped because socket buffers were full, from the kernel's
//! counters in the node's namespace.

use std::{fs, io};

/// Number of packets that did not fit in a socket's buffer, since the node was created.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Overruns {
    /// Received datagrams that their program did not read in time (UDP and UDP-Lite, both
    /// families).
    pub udp_receive: u64,
    /// Datagrams that could not be sent.
    pub udp_send: u64,
    /// Received segments that their program did not read in time. They are retransmitted.
    pub tcp_receive: u64,
    /// Requested connections that their program did not accept in time.
    pub listen: u64,
}

/// Returns the overruns in the calling thread's network namespace.
pub(crate) fn overruns() -> io::Result<Overruns> {
    let read = |file| fs::read_to_string(format!("/proc/thread-self/net/{file}"));
    let (snmp, netstat) = (read("snmp")?, read("netstat")?);
    // Does not exist without IPv6.
    let snmp6 = read("snmp6").unwrap_or_default();
    Ok(parse(&snmp, &snmp6, &netstat))
}

fn parse(snmp: &str, snmp6: &str, netstat: &str) -> Overruns {
    let udp = |counter: &str| {
        let of = |table| in_columns(snmp, table, counter);
        let of6 = |table: &str| in_lines(snmp6, &format!("{table}{counter}"));
        of("Udp:") + of("UdpLite:") + of6("Udp6") + of6("UdpLite6")
    };
    let tcp = |counter| in_columns(netstat, "TcpExt:", counter);
    Overruns {
        udp_receive: udp("RcvbufErrors"),
        udp_send: udp("SndbufErrors"),
        tcp_receive: tcp("RcvPruned") + tcp("TCPRcvQDrop"),
        listen: tcp("ListenOverflows"),
    }
}

/// Returns a counter of a table whose first line has the names and whose second has the values, or
/// 0 if there is none.
fn in_columns(text: &str, table: &str, counter: &str) -> u64 {
    let mut lines = text.lines().filter(|line| line.split(' ').next() == Some(table));
    let (Some(names), Some(values)) = (lines.next(), lines.next()) else { return 0 };
    let mut pairs = names.split(' ').zip(values.split(' '));
    let found = pairs.find(|(name, _)| *name == counter);
    found.and_then(|(_, value)| value.parse().ok()).unwrap_or(0)
}

/// Returns a counter that has a line of its own.
fn in_lines(text: &str, counter: &str) -> u64 {
    let mut lines = text.lines().map(str::split_whitespace);
    let found = lines.find_map(|mut words| (words.next()? == counter).then(|| words.next())?);
    found.and_then(|value| value.parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_families_and_tables_count() {
        let snmp = "Ip: Forwarding DefaultTTL\nIp: 1 64\n\
            Udp: InDatagrams NoPorts InErrors OutDatagrams RcvbufErrors SndbufErrors\n\
            Udp: 9 8 7 6 5 4\n\
            UdpLite: InDatagrams RcvbufErrors SndbufErrors\nUdpLite: 0 10 20\n";
        let snmp6 = "Ip6InReceives 3\nUdp6RcvbufErrors          \t100\nUdp6SndbufErrors 200\n\
            UdpLite6RcvbufErrors 1000\n";
        let netstat = "TcpExt: SyncookiesSent RcvPruned ListenOverflows TCPRcvQDrop\n\
            TcpExt: 1 2 3 40\nIpExt: InNoRoutes\nIpExt: 77\n";
        let expected = Overruns { udp_receive: 1115, udp_send: 224, tcp_receive: 42, listen: 3 };
        assert_eq!(parse(snmp, snmp6, netstat), expected);
        assert_eq!(parse(snmp, "", "").tcp_receive, 0);
        assert_eq!(parse("", "", ""), Overruns::default());
    }

    #[test]
    fn this_kernel_has_the_counters() {
        let read = |file| fs::read_to_string(format!("/proc/thread-self/net/{file}")).unwrap();
        let (snmp, netstat) = (read("snmp"), read("netstat"));
        assert!(snmp.contains("RcvbufErrors") && snmp.contains("SndbufErrors"), "{snmp}");
        assert!(
            netstat.contains("TCPRcvQDrop") && netstat.contains("ListenOverflows"),
            "{netstat}"
        );
        overruns().unwrap();
    }
}
