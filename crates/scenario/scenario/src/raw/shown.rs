//! What the JSON Schema shows of keys that are left out when a scenario is written.

/// Whether the JSON Schema hides the default of a key: never.
pub(super) fn is_shown<T>(_: &T) -> bool {
    false
}
