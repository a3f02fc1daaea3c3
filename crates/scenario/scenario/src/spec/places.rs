//! Places of nodes and links in the lists of a scenario, by name.

use std::collections::HashMap;
use std::sync::OnceLock;

/// The places, each list counted on first use. A list may change afterwards: a place is only a hint
/// where to look first. Two of them are always equal, and a copy knows nothing yet, so that they do
/// not distinguish scenarios.
#[derive(Debug, Default)]
pub struct Places {
    nodes: OnceLock<HashMap<String, usize>>,
    links: OnceLock<HashMap<String, usize>>,
}

impl Clone for Places {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl PartialEq for Places {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Places {
    /// Returns the first of the nodes with this name.
    pub(super) fn node<'l, T>(
        &self,
        list: &'l [T],
        name: &str,
        name_of: fn(&T) -> &str,
    ) -> Option<&'l T> {
        find(&self.nodes, list, name, name_of)
    }

    /// Returns the first of the links with this name.
    pub(super) fn link<'l, T>(
        &self,
        list: &'l [T],
        name: &str,
        name_of: fn(&T) -> &str,
    ) -> Option<&'l T> {
        find(&self.links, list, name, name_of)
    }
}

fn find<'l, T>(
    places: &OnceLock<HashMap<String, usize>>,
    list: &'l [T],
    name: &str,
    name_of: fn(&T) -> &str,
) -> Option<&'l T> {
    let places = places.get_or_init(|| {
        // Later things of a name do not replace the first one.
        let named = list.iter().enumerate().rev();
        named.map(|(place, one)| (name_of(one).to_owned(), place)).collect()
    });
    let hint = places.get(name).and_then(|place| list.get(*place));
    let has_name = |one: &&T| name_of(one) == name;
    hint.filter(has_name).or_else(|| list.iter().find(has_name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_list_has_is_found_however_it_changed() {
        let (places, mut list) = (Places::default(), vec!["a", "b", "a"]);
        let find = |list: &[&'static str], name: &str| places.node(list, name, |one| one).copied();
        assert_eq!(
            (find(&list, "a"), find(&list, "b"), find(&list, "c")),
            (Some("a"), Some("b"), None)
        );
        assert!(std::ptr::eq(places.node(&list, "a", |one| one).unwrap(), &raw const list[0]));
        list.insert(0, "c");
        assert_eq!((find(&list, "b"), find(&list, "c")), (Some("b"), Some("c")));
        list.clear();
        assert_eq!(find(&list, "a"), None);
    }
}
