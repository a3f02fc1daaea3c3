//! The kernel's types, as far as our programs need them. The kernel describes some 150,000, and
//! aya compares names with all of them for each type that a program uses: two small sets of types
//! take a tenth of the time of all.
//!
//! The format is the kernel's `Documentation/bpf/btf.rst`: a header, the types one after the other
//! (their numbers are their places, from 1 on), and the strings that they name.

use std::collections::{BTreeMap, HashSet};
use std::fs;

use aya::{Btf, Endianness};

use super::why::Why;

/// Where the kernel describes its types.
const VMLINUX: &str = "/sys/kernel/btf/vmlinux";

/// Kinds of types.
const INT: u32 = 1;
const POINTER: u32 = 2;
const ARRAY: u32 = 3;
const STRUCT: u32 = 4;
const UNION: u32 = 5;
const ENUM: u32 = 6;
const TYPEDEF: u32 = 8;
const CONST: u32 = 10;
const FUNCTION: u32 = 12;
const FUNCTION_PROTOTYPE: u32 = 13;
const VARIABLE: u32 = 14;
const SECTION: u32 = 15;
const DECLARATION_TAG: u32 = 17;
const TYPE_TAG: u32 = 18;
const ENUM64: u32 = 19;

/// Types that programs are loaded with.
pub struct KernelTypes {
    /// The records whose fields programs read.
    pub fields: Btf,
    /// The types by whose numbers the kernel knows what programs attach to.
    pub attachments: Btf,
}

impl KernelTypes {
    /// Reads the types of the running kernel that `objects` need.
    pub fn of_this_machine(objects: &[&[u8]]) -> Result<Self, Why> {
        Self::parse(&fs::read(VMLINUX)?, objects)
    }

    fn parse(vmlinux: &[u8], objects: &[&[u8]]) -> Result<Self, Why> {
        let types = Types::parse(vmlinux).ok_or_else(|| format!("{VMLINUX} has another format"))?;
        // The names of the types that an object uses are among its strings.
        let strings = objects.iter().flat_map(|object| object.split(|byte| *byte == 0));
        let wanted: HashSet<&[u8]> = strings.map(flavourless).collect();
        let order = Endianness::default();
        Ok(Self {
            fields: Btf::parse(&types.records(&wanted), order)?,
            attachments: Btf::parse(&types.attachments(), order)?,
        })
    }
}

/// A name without the suffix that distinguishes what a type looked like in several kernels.
fn flavourless(name: &[u8]) -> &[u8] {
    name.windows(3).position(|part| part == b"___").map_or(name, |end| &name[..end])
}

/// A described type: its words, three of which every type has.
#[derive(Clone, Copy)]
struct Type<'d>(&'d [[u8; 4]]);

impl Type<'_> {
    fn word(self, at: usize) -> u32 {
        u32::from_ne_bytes(self.0[at])
    }

    fn kind(self) -> u32 {
        self.word(1) >> 24 & 0x1f
    }

    /// Number of words of a type whose first three are these. `None` if the kind is not known.
    fn length(info: u32) -> Option<usize> {
        let members = (info & 0xffff) as usize;
        let more = match info >> 24 & 0x1f {
            INT | VARIABLE | DECLARATION_TAG => 1,
            ARRAY => 3,
            STRUCT | UNION | SECTION | ENUM64 => 3 * members,
            ENUM | FUNCTION_PROTOTYPE => 2 * members,
            POINTER..=TYPE_TAG => 0,
            _ => return None,
        };
        Some(3 + more)
    }

    /// The places of numbers of types that a value of this type consists of.
    fn parts(self) -> Vec<usize> {
        match self.kind() {
            // The second word of each member.
            STRUCT | UNION => (4..self.0.len()).step_by(3).collect(),
            ARRAY => vec![3, 4],
            TYPEDEF..=11 | TYPE_TAG => vec![2],
            _ => vec![],
        }
    }

    /// The places of names.
    fn names(self) -> Vec<usize> {
        let members = match self.kind() {
            STRUCT | UNION | ENUM64 => (3..self.0.len()).step_by(3).collect(),
            ENUM => (3..self.0.len()).step_by(2).collect(),
            _ => vec![],
        };
        [vec![0], members].concat()
    }
}

/// All types, and their strings.
struct Types<'d> {
    /// Places of words; the first one is that of type 1.
    types: Vec<Type<'d>>,
    strings: &'d [u8],
}

impl<'d> Types<'d> {
    /// `None` if that are no types, or types of a kind that came later.
    fn parse(data: &'d [u8]) -> Option<Self> {
        let (header, _) = data.as_chunks::<4>();
        let word = |at: usize| Some(u32::from_ne_bytes(*header.get(at)?) as usize);
        let (start, types, strings) = (word(1)?, (word(2)?, word(3)?), (word(4)?, word(5)?));
        let part = |(from, length): (usize, usize)| data.get(start + from..)?.get(..length);
        let (mut rest, _) = part(types)?.as_chunks::<4>();
        let mut types = Vec::new();
        while !rest.is_empty() {
            let length = Type::length(u32::from_ne_bytes(*rest.get(1)?))?;
            types.push(Type(rest.get(..length)?));
            rest = &rest[length..];
        }
        Some(Self { types, strings: part(strings)? })
    }

    fn name(&self, at: u32) -> &'d [u8] {
        let rest = self.strings.get(at as usize..).unwrap_or_default();
        rest.split(|byte| *byte == 0).next().unwrap_or_default()
    }

    /// The types with these names, and those that their fields consist of. What pointers point at
    /// is left out.
    fn records(&self, wanted: &HashSet<&[u8]>) -> Vec<u8> {
        let is_wanted = |one: &Type<'_>| {
            let is_named =
                !matches!(one.kind(), FUNCTION | FUNCTION_PROTOTYPE | VARIABLE | SECTION);
            is_named && one.word(0) != 0 && wanted.contains(flavourless(self.name(one.word(0))))
        };
        let numbered = (1u32..).zip(&self.types);
        let mut open: Vec<u32> =
            numbered.filter_map(|(number, one)| is_wanted(one).then_some(number)).collect();
        // The old number of each type, and its new one.
        let mut kept: BTreeMap<u32, u32> = BTreeMap::new();
        while let Some(number) = open.pop() {
            let Some(one) = self.types.get(number.wrapping_sub(1) as usize) else { continue };
            if kept.insert(number, 0).is_none() {
                open.extend(one.parts().into_iter().map(|at| one.word(at)));
            }
        }
        (1..).zip(kept.values_mut()).for_each(|(new, number)| *number = new);
        let mut out = Written::default();
        for number in kept.keys() {
            let one = self.types[*number as usize - 1];
            let mut words: Vec<u32> = (0..one.0.len()).map(|at| one.word(at)).collect();
            one.names().into_iter().for_each(|at| words[at] = out.string(self.name(words[at])));
            let parts = one.parts();
            // A type that is left out is `void`: a pointer's.
            let renumbered = |old: u32| kept.get(&old).copied().unwrap_or_default();
            parts.into_iter().for_each(|at| words[at] = renumbered(words[at]));
            if one.kind() == POINTER {
                words[2] = 0;
            }
            out.words.extend(words);
        }
        out.finish()
    }

    /// The types of tracepoints and iterators, under their own numbers. All others are `const
    /// void`.
    fn attachments(&self) -> Vec<u8> {
        let is_one = |one: &Type<'_>| {
            let prefix: &[u8] = match one.kind() {
                TYPEDEF => b"btf_trace_",
                FUNCTION => b"bpf_iter_",
                _ => return false,
            };
            self.name(one.word(0)).starts_with(prefix)
        };
        let last = self.types.iter().rposition(is_one).map_or(0, |last| last + 1);
        let mut out = Written::default();
        for one in &self.types[..last] {
            let words = match is_one(one) {
                true => [out.string(self.name(one.word(0))), one.word(1), 0],
                false => [0, CONST << 24, 0],
            };
            out.words.extend(words);
        }
        out.finish()
    }
}

/// Types that are being written.
struct Written {
    words: Vec<u32>,
    strings: Vec<u8>,
}

impl Default for Written {
    fn default() -> Self {
        // The first string is the empty one.
        Self { words: Vec::new(), strings: vec![0] }
    }
}

impl Written {
    fn string(&mut self, name: &[u8]) -> u32 {
        if name.is_empty() {
            return 0;
        }
        let at = self.strings.len() as u32;
        self.strings.extend(name);
        self.strings.push(0);
        at
    }

    fn finish(self) -> Vec<u8> {
        const MAGIC_AND_VERSION: u32 = u32::from_ne_bytes(if cfg!(target_endian = "little") {
            [0x9f, 0xeb, 1, 0]
        } else {
            [0xeb, 0x9f, 1, 0]
        });
        let types = self.words.len() as u32 * 4;
        let header = [MAGIC_AND_VERSION, 24, 0, types, types, self.strings.len() as u32];
        let words = header.into_iter().chain(self.words);
        words.flat_map(u32::to_ne_bytes).chain(self.strings).collect()
    }
}

#[cfg(test)]
mod tests {
    use aya_obj::btf::BtfKind;

    use super::*;

    /// `struct inner { int number; }; struct outer { struct inner in; struct far *far; };`
    /// `struct far { int x; }; typedef … btf_trace_it;`
    fn some() -> Vec<u8> {
        let mut out = Written::default();
        let mut add = |name: &[u8], info: u32, words: &[(u32, &[u8])]| {
            let name = out.string(name);
            out.words.extend([name, info]);
            for (word, text) in words {
                let text = out.string(text);
                out.words.push(if text == 0 { *word } else { text });
            }
        };
        add(b"int", INT << 24, &[(4, b""), (32, b"")]);
        add(b"far", STRUCT << 24 | 1, &[(4, b""), (0, b"x"), (1, b""), (0, b"")]);
        add(b"", POINTER << 24, &[(2, b"")]);
        add(b"inner", STRUCT << 24 | 1, &[(4, b""), (0, b"number"), (1, b""), (0, b"")]);
        let members: &[(u32, &[u8])] =
            &[(16, b""), (0, b"in"), (4, b""), (0, b""), (0, b"far"), (3, b""), (64, b"")];
        add(b"outer", STRUCT << 24 | 2, members);
        add(b"btf_trace_it", TYPEDEF << 24, &[(3, b"")]);
        add(b"more", STRUCT << 24, &[(0, b"")]);
        out.finish()
    }

    #[test]
    fn records_come_with_what_they_consist_of_and_nothing_else() {
        let types = KernelTypes::parse(&some(), &[b"x\0outer___old\0y"]).unwrap();
        let number = |name, kind| types.fields.id_by_type_name_kind(name, kind);
        assert_eq!(number("int", BtfKind::Int).unwrap(), 1);
        assert!(
            number("inner", BtfKind::Struct).unwrap() < number("outer", BtfKind::Struct).unwrap()
        );
        for other in ["far", "more"] {
            assert!(number(other, BtfKind::Struct).is_err(), "{other}");
        }
    }

    #[test]
    fn what_programs_attach_to_keeps_its_number() {
        let types = KernelTypes::parse(&some(), &[]).unwrap().attachments;
        assert_eq!(types.id_by_type_name_kind("btf_trace_it", BtfKind::Typedef).unwrap(), 6);
        assert!(types.id_by_type_name_kind("outer", BtfKind::Struct).is_err());
    }

    #[test]
    fn the_kernels_own_numbers_are_those_of_all_types() {
        let Ok(all) = Btf::from_sys_fs() else {
            return println!("skipped: the kernel does not describe its types");
        };
        let types = KernelTypes::of_this_machine(&[b"task_struct\0"]).unwrap();
        for (name, kind) in
            [("btf_trace_sched_switch", BtfKind::Typedef), ("bpf_iter_task", BtfKind::Func)]
        {
            let number = |types: &Btf| types.id_by_type_name_kind(name, kind).ok();
            assert_eq!(number(&types.attachments), number(&all), "{name}");
        }
        assert!(types.fields.id_by_type_name_kind("task_struct", BtfKind::Struct).is_ok());
    }

    #[test]
    fn damaged_types_are_refused() {
        let whole = some();
        for length in 0..whole.len() {
            assert!(KernelTypes::parse(&whole[..length], &[b"outer"]).is_err(), "{length} bytes");
        }
        let mut unknown = whole;
        // The kind of the first type.
        unknown[24 + 7] = 31;
        assert!(KernelTypes::parse(&unknown, &[b"outer"]).is_err());
    }
}
