//! Which nodes run on which machine.
