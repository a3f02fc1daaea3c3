//! Built-in services, with one template file each.

use super::ServiceTemplate;

/// Names and templates of all built-in services, ordered by name.
const BUILTIN: &[(&str, &str)] = &[
    ("babel", include_str!("templates/babel.yaml")),
    ("babeld", include_str!("templates/babeld.yaml")),
    ("batmand", include_str!("templates/batmand.yaml")),
    ("bfd", include_str!("templates/bfd.yaml")),
    ("bgp", include_str!("templates/bgp.yaml")),
    ("bird", include_str!("templates/bird.yaml")),
    ("dnsmasq", include_str!("templates/dnsmasq.yaml")),
    ("isis", include_str!("templates/isis.yaml")),
    ("ospf", include_str!("templates/ospf.yaml")),
    ("ospf6", include_str!("templates/ospf6.yaml")),
    ("pim", include_str!("templates/pim.yaml")),
    ("rip", include_str!("templates/rip.yaml")),
    ("sshd", include_str!("templates/sshd.yaml")),
    ("static", include_str!("templates/static.yaml")),
    ("vrrp", include_str!("templates/vrrp.yaml")),
    ("web", include_str!("templates/web.yaml")),
    ("zebra", include_str!("templates/zebra.yaml")),
];

/// Returns the names of all built-in services.
pub fn builtin_names() -> impl Iterator<Item = &'static str> + Clone {
    BUILTIN.iter().map(|(name, _)| *name)
}

/// Returns the template of a built-in service.
pub fn builtin(name: &str) -> Option<ServiceTemplate> {
    let (_, text) = BUILTIN.iter().find(|(known, _)| *known == name)?;
    // Invariant: the files are part of this program, and a test parses all of them.
    Some(super::template(text).expect("a template of our own can be read"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_can_be_read_and_need_only_each_other() {
        for name in builtin_names() {
            let template = builtin(name).unwrap();
            assert!(!template.description.is_empty(), "{name} is not described");
            for needed in &template.needs {
                assert!(builtin_names().any(|known| known == needed), "{name} needs {needed}");
            }
        }
    }
}
