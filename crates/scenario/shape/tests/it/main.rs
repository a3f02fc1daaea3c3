//! What claims mean, who gets them, and what is said to those who do not.

mod book;
mod netconfig;
mod ports;
mod selectors;
mod support;
