//! VLAN numbers and sets of them, in their notation: `10`, `[10, 20-29]`, `all`.

use std::fmt;
use std::str::FromStr;

#[cfg(feature = "schema")]
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Deserialize, Deserializer, SeqAccess, Visitor};
use serde::ser::{Serialize, Serializer};

/// Largest VLAN number. 0 and 4095 are reserved (IEEE 802.1Q, table 9-2).
const LAST: u16 = 4094;

/// The number of a VLAN, 1 to 4094.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Vid(u16);

impl Vid {
    /// Returns the VLAN with this number; `None` if the number is not valid.
    pub const fn new(number: u16) -> Option<Self> {
        match number {
            1..=LAST => Some(Self(number)),
            _ => None,
        }
    }

    /// Number of the VLAN.
    pub const fn number(self) -> u16 {
        self.0
    }
}

impl FromStr for Vid {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        text.parse().ok().and_then(Self::new).ok_or_else(|| {
            format!("`{text}` is not a VLAN; write a number from 1 to {LAST}, like `10`")
        })
    }
}

impl fmt::Display for Vid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Serialize for Vid {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u16(self.0)
    }
}

impl<'de> Deserialize<'de> for Vid {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let ranges = deserializer.deserialize_any(RangesVisitor("a VLAN from 1 to 4094"))?;
        match ranges.as_slice() {
            [(first, last)] if first == last => Ok(*first),
            _ => Err(de::Error::custom("one VLAN is wanted here, like `10`, not several")),
        }
    }
}

#[cfg(feature = "schema")]
impl JsonSchema for Vid {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Vlan".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "integer", "minimum": 1, "maximum": LAST })
    }
}

/// A set of VLANs, written as one VLAN, as a range like `20-29`, as a list of these, or as `all`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct VlanSet {
    /// First and last VLAN of each range, ascending, with gaps between the ranges.
    ranges: Vec<(Vid, Vid)>,
}

impl VlanSet {
    /// The set of all VLANs.
    pub fn all() -> Self {
        Self { ranges: vec![(Vid(1), Vid(LAST))] }
    }

    /// Creates the set of these VLANs; `None` if there are none.
    ///
    /// ```
    /// use netloom_link::{Vid, VlanSet};
    ///
    /// let vlans = [1, 2, 3, 7].into_iter().filter_map(Vid::new);
    /// assert_eq!(VlanSet::from_vlans(vlans).unwrap().to_string(), "1-3,7");
    /// ```
    pub fn from_vlans(vlans: impl IntoIterator<Item = Vid>) -> Option<Self> {
        let ranges: Vec<_> = vlans.into_iter().map(|vlan| (vlan, vlan)).collect();
        (!ranges.is_empty()).then(|| Self::of(ranges))
    }

    /// Whether the set contains every VLAN.
    pub fn is_all(&self) -> bool {
        *self == Self::all()
    }

    /// Returns the VLANs in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = Vid> + '_ {
        self.ranges.iter().flat_map(|(first, last)| (first.0..=last.0).map(Vid))
    }

    /// Creates the union of ranges, which may overlap.
    fn of(mut ranges: Vec<(Vid, Vid)>) -> Self {
        ranges.sort_unstable();
        let mut joined: Vec<(Vid, Vid)> = Vec::with_capacity(ranges.len());
        for (first, last) in ranges {
            match joined.last_mut() {
                Some(before) if first.0 <= before.1.0 + 1 => before.1 = before.1.max(last),
                _ => joined.push((first, last)),
            }
        }
        Self { ranges: joined }
    }

    /// Whether the set contains `vlan`.
    pub fn contains(&self, vlan: Vid) -> bool {
        let after = self.ranges.partition_point(|(first, _)| *first <= vlan);
        after > 0 && vlan <= self.ranges[after - 1].1
    }

    /// Whether the set and `other` have no VLAN in common.
    pub fn is_disjoint(&self, other: &Self) -> bool {
        let apart = |one: &(Vid, Vid), two: &(Vid, Vid)| one.1 < two.0 || two.1 < one.0;
        self.ranges.iter().all(|one| other.ranges.iter().all(|two| apart(one, two)))
    }
}

impl fmt::Display for VlanSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Self::all() {
            return f.write_str("all");
        }
        for (index, (first, last)) in self.ranges.iter().enumerate() {
            let comma = if index > 0 { "," } else { "" };
            match first == last {
                true => write!(f, "{comma}{first}")?,
                false => write!(f, "{comma}{first}-{last}")?,
            }
        }
        Ok(())
    }
}

impl Serialize for VlanSet {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for VlanSet {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let expected = "`all`, a VLAN like `10`, a range like `20-29`, or a list of them";
        deserializer.deserialize_any(RangesVisitor(expected)).map(Self::of)
    }
}

#[cfg(feature = "schema")]
impl JsonSchema for VlanSet {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Vlans".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let one = json_schema!({
            "type": ["integer", "string"],
            "minimum": 1,
            "maximum": LAST,
            "pattern": "^(all|[0-9]+(-[0-9]+)?( *, *[0-9]+(-[0-9]+)?)*)$",
        });
        json_schema!({
            "description": "`all`, a VLAN, a range like `20-29`, or a list of them.",
            "anyOf": [one, { "type": "array", "items": one, "minItems": 1 }],
            "examples": ["all", 10, [10, "20-29"]],
        })
    }
}

/// Parses the ranges of a text like `10,20-29`.
fn ranges(text: &str) -> Result<Vec<(Vid, Vid)>, String> {
    if text == "all" {
        return Ok(VlanSet::all().ranges);
    }
    let range = |text: &str| {
        // A text that begins with `-` is a negative number, not a range.
        let parts = text.split_once('-').filter(|(first, _)| !first.is_empty());
        let (first, last) = parts.unwrap_or((text, text));
        let (first, last): (Vid, Vid) = (first.trim().parse()?, last.trim().parse()?);
        if first > last {
            return Err(format!("the range `{text}` runs backwards; write `{last}-{first}`"));
        }
        Ok((first, last))
    };
    text.split(',').map(|part| range(part.trim())).collect()
}

/// Deserializes VLANs in any notation. Contains the description of the expected text.
struct RangesVisitor(&'static str);

/// The ranges of one element of a list.
struct Element(Vec<(Vid, Vid)>);

impl<'de> Deserialize<'de> for Element {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let expected = "a VLAN like `10`, or a range like `20-29`";
        deserializer.deserialize_any(RangesVisitor(expected)).map(Self)
    }
}

impl<'de> Visitor<'de> for RangesVisitor {
    type Value = Vec<(Vid, Vid)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
    netloom_units::visit_numbers_as_text!();
    fn visit_str<E: de::Error>(self, text: &str) -> Result<Self::Value, E> {
        ranges(text).map_err(E::custom)
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let mut all = Vec::new();
        while let Some(Element(ranges)) = list.next_element()? {
            all.extend(ranges);
        }
        if all.is_empty() {
            return Err(de::Error::custom("a list of VLANs has at least one"));
        }
        Ok(all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<String, String> {
        serde_json::from_str::<VlanSet>(text)
            .map(|set| set.to_string())
            .map_err(|error| error.to_string())
    }

    #[test]
    fn sets_are_read_in_every_form_and_written_in_one() {
        for (text, written) in [
            ("10", "10"),
            (r#""all""#, "all"),
            (r#""1-4094""#, "all"),
            (r#"[30, "10-19", 20, 12]"#, "10-20,30"),
            (r#""30, 10-19,21""#, "10-19,21,30"),
        ] {
            assert_eq!(read(text).as_deref(), Ok(written));
            assert_eq!(read(&format!("\"{written}\"")).as_deref(), Ok(written));
        }
    }

    #[test]
    fn a_set_contains_the_vlans_of_its_ranges() {
        let set: VlanSet = serde_json::from_str(r#"[5, "10-19", 4094]"#).unwrap();
        let members: Vec<u16> = (1..=LAST).filter(|number| set.contains(Vid(*number))).collect();
        assert_eq!(members, [&[5][..], &(10..=19).collect::<Vec<_>>(), &[4094]].concat());
        assert!(!set.is_disjoint(&VlanSet::all()));
        assert!(set.is_disjoint(&serde_json::from_str(r#"["1-4", "20-30"]"#).unwrap()));
    }

    #[test]
    fn errors_say_what_to_write_instead() {
        for (text, part) in [
            ("0", "1 to 4094"),
            ("4095", "1 to 4094"),
            ("-5", "`-5` is not a VLAN"),
            ("1.5", "`1.5` is not a VLAN"),
            (r#""20-10""#, "`10-20`"),
            (r#""ten""#, "1 to 4094"),
            ("[]", "at least one"),
            ("true", "`20-29`"),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
        assert!(serde_json::from_str::<Vid>(r#""10-20""#).unwrap_err().to_string().contains("one"));
    }
}
