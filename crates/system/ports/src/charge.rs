//! Accounts for the memory of frames. Not here: the limit on it (`pool`).

use std::mem;
use std::sync::Arc;
use std::sync::atomic::{AtomicIsize, Ordering};

use crate::Share;

/// Bytes copied less bytes freed outside the pool: by a link that changes a frame which others
/// share, or by a capture that held a frame last.
#[derive(Debug, Default)]
pub(crate) struct Account(AtomicIsize);

/// The share of one frame's memory in an account.
#[derive(Debug, Default)]
pub(crate) struct Charge {
    account: Option<Arc<Account>>,
    /// Zero while the memory is free, in the pool or in a buffer.
    bytes: usize,
    /// The share that the bytes are part of, if they are part of one.
    share: Option<Share>,
}

impl Account {
    /// Bytes so far.
    #[inline]
    pub fn bytes(&self) -> isize {
        self.0.load(Ordering::Relaxed)
    }
}

impl Charge {
    /// Charges the account for a copy.
    #[inline]
    pub fn again(&self) -> Self {
        if let Some(account) = &self.account {
            account.0.fetch_add(self.bytes.cast_signed(), Ordering::Relaxed);
        }
        let mut charge = Self { account: self.account.clone(), bytes: self.bytes, share: None };
        charge.share_with(self);
        charge
    }

    /// Charges `account` from now on.
    #[inline]
    pub fn set(&mut self, account: &Arc<Account>, bytes: usize) {
        if !self.is_on(account) {
            self.account = Some(Arc::clone(account));
        }
        self.bytes = bytes;
    }

    /// Makes the bytes part of a share that has them already.
    #[inline]
    pub fn set_share(&mut self, share: Option<Share>) {
        self.share = share;
    }

    /// Makes the bytes part of the share of another one.
    #[inline]
    pub fn share_with(&mut self, other: &Self) {
        if let Some(share) = &other.share {
            share.take_anyway(self.bytes);
            self.share = Some(share.clone());
        }
    }

    /// Ends the charge, and returns the bytes.
    #[inline]
    pub fn free(&mut self) -> usize {
        let bytes = mem::take(&mut self.bytes);
        if let Some(share) = self.share.take() {
            share.give_back(bytes);
        }
        bytes
    }

    /// Whether it is charged to `account`.
    #[inline]
    pub fn is_on(&self, account: &Arc<Account>) -> bool {
        self.account.as_ref().is_some_and(|mine| Arc::ptr_eq(mine, account))
    }
}

impl Drop for Charge {
    #[inline]
    fn drop(&mut self) {
        let bytes = self.free();
        if let (Some(account), true) = (&self.account, bytes > 0) {
            account.0.fetch_sub(bytes.cast_signed(), Ordering::Relaxed);
        }
    }
}
