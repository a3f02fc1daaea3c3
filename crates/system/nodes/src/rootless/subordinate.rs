//! Subordinate ids: the ids of the machine that an ordinary user may use for the other users of a
//! user namespace, from `/etc/subuid` and `/etc/subgid` (subuid(5), subgid(5)).

use std::fs;

use nix::unistd::{Uid, User};

/// A range of consecutive ids of the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Range {
    first: u32,
    count: u32,
}

/// Returns the subordinate users and groups of a user, or `None` unless the user has both.
pub fn ranges(user: Uid) -> Option<(Vec<Range>, Vec<Range>)> {
    let name = User::from_uid(user).ok().flatten().map(|user| user.name);
    let read = |file| {
        let text = fs::read_to_string(file).unwrap_or_default();
        let ranges = parse(&text, user.as_raw(), name.as_deref());
        (!ranges.is_empty()).then_some(ranges)
    };
    read("/etc/subuid").zip(read("/etc/subgid"))
}

/// Parses the ranges of a user, given by number or by name, from the text of such a file.
fn parse(text: &str, user: u32, name: Option<&str>) -> Vec<Range> {
    let range = |line: &str| {
        let mut fields = line.trim().split(':');
        let owner = fields.next()?;
        let ours = owner.parse() == Ok(user) || name == Some(owner);
        let (first, count) = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
        (ours && count > 0).then_some(Range { first, count })
    };
    text.lines().filter_map(range).collect()
}

/// Returns the arguments of `newuidmap` and `newgidmap`: the user is root, and the subordinate ids
/// follow from 1.
pub fn arguments(own: u32, ranges: &[Range]) -> Vec<String> {
    let mut arguments = vec![0, own, 1];
    let mut next: u32 = 1;
    for range in ranges {
        let count = range.count.min(u32::MAX - next);
        arguments.extend([next, range.first, count]);
        next += count;
    }
    arguments.iter().map(u32::to_string).collect()
}

/// Whether the text of `/proc/<pid>/gid_map` or `uid_map` contains an id.
pub fn maps(text: &str, id: u32) -> bool {
    lines(text).any(|[first, _, count]| id >= first && id - first < count)
}

/// Returns the last id that such a text contains without a gap from 0, or 0 if it contains none.
pub fn last(text: &str) -> u32 {
    let mut next: u32 = 0;
    let mut lines: Vec<_> = lines(text).collect();
    lines.sort_unstable();
    for [first, _, count] in lines {
        if first != next {
            break;
        }
        next = next.saturating_add(count);
    }
    next.saturating_sub(1)
}

/// Parses the lines of such a text: first id inside, first id outside, number of ids.
fn lines(text: &str) -> impl Iterator<Item = [u32; 3]> {
    text.lines().filter_map(|line| {
        let fields: Vec<u32> = line.split_whitespace().filter_map(|f| f.parse().ok()).collect();
        fields.try_into().ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_found_by_name_and_by_number() {
        let text = "eve:1000:5\nann:100000:65536\n1001:300000:10\nann:broken:1\nann:7:0\n";
        let range = |first, count| Range { first, count };
        assert_eq!(parse(text, 1001, Some("ann")), [range(100_000, 65536), range(300_000, 10)]);
        assert_eq!(parse(text, 1001, None), [range(300_000, 10)]);
        assert_eq!(parse(text, 1002, Some("bob")), []);
    }

    #[test]
    fn the_user_is_root_and_subordinate_ids_follow() {
        let ranges = [Range { first: 100_000, count: 65536 }, Range { first: 300_000, count: 10 }];
        let expected = ["0", "1000", "1", "1", "100000", "65536", "65537", "300000", "10"];
        assert_eq!(arguments(1000, &ranges), expected);
    }

    #[test]
    fn an_id_is_known_if_a_line_covers_it() {
        let map = "         0       1000          1\n         1     100000      65536\n";
        assert!(maps(map, 0) && maps(map, 5) && maps(map, 65536));
        assert!(!maps(map, 65537) && !maps("0 1000 1\n", 5) && !maps("", 0));
        assert!(maps("0 0 4294967295\n", 5));
        assert_eq!((last(map), last("0 1000 1\n"), last("")), (65536, 0, 0));
        assert_eq!(last("0 1000 1\n2 5 10\n"), 0);
        assert_eq!(last("0 0 4294967295\n"), u32::MAX - 1);
    }
}
