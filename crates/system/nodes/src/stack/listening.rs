//! TCP ports on which programs of a network namespace listen.

use std::collections::BTreeSet;
use std::fs;
use std::io;

/// Returns the ports on which TCP sockets of the calling thread's network namespace listen.
pub(crate) fn tcp_ports() -> io::Result<BTreeSet<u16>> {
    let v4 = fs::read_to_string("/proc/thread-self/net/tcp")?;
    // Absent where the kernel has no IPv6.
    let v6 = fs::read_to_string("/proc/thread-self/net/tcp6").unwrap_or_default();
    Ok(v4.lines().chain(v6.lines()).filter_map(listening_port).collect())
}

/// Returns the local port of a line of `/proc/net/tcp` whose socket listens (state 0A).
fn listening_port(line: &str) -> Option<u16> {
    let mut fields = line.split_whitespace();
    let (local, state) = (fields.nth(1)?, fields.nth(1)?);
    let (_, port) = local.rsplit_once(':').filter(|_| state == "0A")?;
    u16::from_str_radix(port, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn listening_sockets_are_distinguished_from_others() {
        let lines = [
            "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid",
            "   0: 00000000:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0",
            "   1: 0100007F:1F91 0100007F:D2C4 01 00000000:00000000 00:00000000 00000000     0",
            "   2: 00000000000000000000000000000000:0050 00000000000000000000000000000000:0000 0A",
        ];
        let ports: Vec<u16> = lines.into_iter().filter_map(listening_port).collect();
        assert_eq!(ports, [8080, 80]);
    }
}
