//! Requests of the user that a command ends: Ctrl-C, `kill`, a terminal that closes, Ctrl-\.

use anyhow::{Context, Result};
use tokio::signal::unix::{Signal, SignalKind, signal};

/// SIGINT, SIGTERM, SIGHUP and SIGQUIT, which do not end this program while this value lives.
pub struct Interrupts([(i32, Signal); 4]);

impl Interrupts {
    /// Watches for the signals from now on.
    pub fn watch() -> Result<Self> {
        let watch = |kind: SignalKind| -> Result<(i32, Signal)> {
            Ok((kind.as_raw_value(), signal(kind).context("cannot watch for signals")?))
        };
        Ok(Self([
            watch(SignalKind::interrupt())?,
            watch(SignalKind::terminate())?,
            watch(SignalKind::hangup())?,
            watch(SignalKind::quit())?,
        ]))
    }

    /// Waits for the next signal. Returns its number.
    pub async fn next(&mut self) -> i32 {
        let [(a, interrupt), (b, terminate), (c, hangup), (d, quit)] = &mut self.0;
        tokio::select! {
            _ = interrupt.recv() => *a,
            _ = terminate.recv() => *b,
            _ = hangup.recv() => *c,
            _ = quit.recv() => *d,
        }
    }

    /// Lets the next signal end this program at once, whatever it is doing then. Something of the
    /// experiment `name` may be left.
    pub fn end_at_next(self, name: &str) {
        let name = name.to_owned();
        // This thread's runtime may be busy.
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            let Ok(runtime) = runtime else { return };
            let number = runtime.block_on(async {
                match Self::watch() {
                    Ok(mut again) => again.next().await,
                    Err(_) => std::future::pending().await,
                }
            });
            eprintln!("interrupted twice: `netloom cleanup {name}` removes what is left");
            std::process::exit(128 + number);
        });
    }
}
