//! The engine's data about one node's own kernel.

use super::clock::DilationPage;
use super::interfaces::Interfaces;
use super::losses::Account;
use super::orders::Orders;

/// The engine's data about a node's own kernel.
#[derive(Debug)]
pub(crate) struct OwnKernel {
    pub orders: Orders,
    pub lost: Account,
    pub clock: DilationPage,
    pub interfaces: Interfaces,
}
