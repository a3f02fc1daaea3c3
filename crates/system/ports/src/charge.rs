//! Accounts for the memory of frames. Not here: the limit on it (`pool`).

use std::sync::Arc;
use std::sync::atomic::{AtomicIsize, Ordering};

/// Bytes copied less bytes freed outside the pool: by a link that changes a frame which others
/// share, or by a capture that held a frame last.
#[derive(Debug, Default)]
pub(crate) struct Account(AtomicIsize);

/// The share of one frame's memory in an account.
#[derive(Debug, Default)]
pub(crate) struct Charge {
    account: Option<Arc<Account>>,
    /// Zero while the memory is free, in the pool or in a buffer.
    pub bytes: usize,
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
        Self { account: self.account.clone(), bytes: self.bytes }
    }

    /// Charges `account` from now on.
    #[inline]
    pub fn set(&mut self, account: &Arc<Account>, bytes: usize) {
        if !self.is_on(account) {
            self.account = Some(Arc::clone(account));
        }
        self.bytes = bytes;
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
        if let (Some(account), true) = (&self.account, self.bytes > 0) {
            account.0.fetch_sub(self.bytes.cast_signed(), Ordering::Relaxed);
        }
    }
}
