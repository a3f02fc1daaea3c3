//! nodes
