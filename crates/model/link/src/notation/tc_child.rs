//! The queue discipline of tc below a token bucket, as commands.

/// A queue discipline of tc below the token bucket that limits the rate.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TcChild {
    /// Name and options, like `codel limit 100 target 5ms interval 100ms ecn`.
    pub qdisc: String,
    /// Options of its classes, counted from 1. Empty where tc creates the classes itself.
    pub classes: Vec<String>,
    /// Filters that assign packets to classes. The first that matches decides.
    pub filters: Vec<TcFilter>,
}

/// A filter of tc.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TcFilter {
    /// Protocol: `ip`, `ipv6` or `all`.
    pub protocol: &'static str,
    /// Matches of the u32 classifier, like `match ip dsfield 0xb8 0xfc`.
    pub matches: String,
    /// Number of the class, counted from 1.
    pub class: usize,
}

impl TcChild {
    /// Returns the commands for interface `device`, with the discipline at `place`.
    pub(super) fn commands(&self, device: &str, place: &str) -> Vec<String> {
        let qdisc = format!("tc qdisc add dev {device} {place} handle 3: {}", self.qdisc);
        // tc parses the numbers of classes as hexadecimal.
        let classes = (1..).zip(&self.classes).map(|(class, options)| {
            format!("tc class add dev {device} parent 3: classid 3:{class:x} {options}")
        });
        let filters = (1..).zip(&self.filters).map(|(number, filter)| {
            let TcFilter { protocol, matches, class } = filter;
            format!(
                "tc filter add dev {device} parent 3: protocol {protocol} prio {number} u32 \
                 {matches} flowid 3:{class:x}"
            )
        });
        std::iter::once(qdisc).chain(classes).chain(filters).collect()
    }

    pub(super) fn plain(qdisc: String) -> Self {
        Self { qdisc, ..Self::default() }
    }
}
