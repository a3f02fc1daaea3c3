//! An experiment over several machines: starts members, one verdict, one result.
