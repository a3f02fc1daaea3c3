//! Frames between machines: records and datagrams, replay window, counts.
