//! Paths of a node's own kernel, on the machine and in the node.

/// Path of the user-mode kernel.
pub(super) const KERNEL: &str = "/usr/bin/linux.uml";
/// Directory of its modules, with a subdirectory for each version.
pub(super) const MODULES: &str = "/usr/lib/uml/modules";
/// Debian package of both.
pub(super) const PACKAGE: &str = "user-mode-linux";

/// Directory in a node for the files that its kernel needs.
pub(super) const FOLDER: &str = "/run/netloom/kernel";
/// Path of this program in the node.
pub(super) const PROGRAM: &str = "/run/netloom/kernel/netloom";
/// Path under which the kernel runs this program to load modules.
pub const MODPROBE: &str = "/run/netloom/kernel/modprobe";
/// File with the node's configuration.
pub(super) const ORDERS: &str = "/run/netloom/kernel/orders.json";
