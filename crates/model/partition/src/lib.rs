//! Divides a graph into parts with few edges between them.
