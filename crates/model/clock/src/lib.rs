//! What a remote clock shows, from timed exchanges: an interval with a bound.
