//! What the host and the writing thread share: the ledger, and the file that takes what the database does not. Neither
//! thread holds the ledger's lock while it uses a file or the database, so the host never waits for either.

use std::fmt;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

use super::ledger::Ledger;
use super::spill::Spill;
use crate::store::owner;

pub struct Shared {
    pub data_dir: Option<PathBuf>,
    pub owner: String,
    pub host: String,
    ledger: Mutex<Ledger>,
    spill: Mutex<Spill>,
}

impl Shared {
    pub fn new(data_dir: Option<PathBuf>) -> Self {
        let (owner, host) = (owner::current(), owner::host());
        let spill = Mutex::new(Spill::new(data_dir.clone(), owner.clone(), host.clone()));
        Self { data_dir, owner, host, ledger: Mutex::default(), spill }
    }

    /// The ledger, for a moment.
    pub fn ledger(&self) -> MutexGuard<'_, Ledger> {
        lock(&self.ledger)
    }

    /// Brings what waits into a file beside the database, and to the disk; whether all of it is there.
    pub fn spill(&self) -> bool {
        let mut spill = match self.spill.try_lock() {
            Ok(spill) => spill,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            // The other thread is about it.
            Err(TryLockError::WouldBlock) => return false,
        };
        let added = spill.add(&self.ledger);
        if let Err(error) = &added {
            tracing::error!(%error, "what waits for the store cannot be spilled");
        }
        added.is_ok()
    }

    /// Brings what waits into that file without waiting for the disk.
    pub fn spill_at_once(&self) {
        // Who has the lock writes what waits.
        if let Ok(mut spill) = self.spill.try_lock()
            && let Err(error) = spill.write(&self.ledger)
        {
            tracing::error!(%error, "what waits for the store cannot be spilled");
        }
    }

    /// Nothing waits any more. For the writing thread alone: it may have to wait for the other that spills, since what
    /// is in the database must not be in the file, too, when it changes again.
    pub fn clear_spill(&self) {
        self.spill.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

impl fmt::Debug for Shared {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Shared").field("data_dir", &self.data_dir).finish_non_exhaustive()
    }
}

pub fn lock(ledger: &Mutex<Ledger>) -> MutexGuard<'_, Ledger> {
    // A poisoned one does not matter: a panic ends the host.
    ledger.lock().unwrap_or_else(PoisonError::into_inner)
}
