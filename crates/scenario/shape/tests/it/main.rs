//! The meaning of claims, their admission, and the wording of refusals.

mod book;
mod netconfig;
mod pace;
mod ports;
mod selectors;
mod shares;
mod support;
