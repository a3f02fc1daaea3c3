//! Events that a connection reports to its application.

/// An event that an application may react to. Each is reported once, until it happens again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// The connection is established.
    Connected,
    /// There is data to read, or more than before.
    Readable,
    /// The other end has sent everything: no more data follows what can be read now.
    Finished,
    /// There is room to write again.
    Writable,
    /// Everything written, and the FIN behind it, is acknowledged.
    Delivered,
    /// The connection has ended. TIME-WAIT may follow.
    Closed(CloseReason),
}

/// The reason why a connection ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CloseReason {
    /// Both ends closed.
    Finished,
    /// This end aborted the connection.
    Aborted,
    /// The other end reset the connection.
    Reset,
    /// The other end refused the connection.
    Refused,
    /// The other end did not answer for too long.
    TimedOut,
}

/// The pending events, one bit each: no queue and no allocation.
#[derive(Debug, Default)]
pub(crate) struct Events {
    waiting: u8,
    closed: Option<CloseReason>,
}

const CONNECTED: u8 = 1;
const READABLE: u8 = 2;
const FINISHED: u8 = 4;
const WRITABLE: u8 = 8;
const DELIVERED: u8 = 16;

impl Events {
    pub fn push(&mut self, event: Event) {
        match event {
            Event::Connected => self.waiting |= CONNECTED,
            Event::Readable => self.waiting |= READABLE,
            Event::Finished => self.waiting |= FINISHED,
            Event::Writable => self.waiting |= WRITABLE,
            Event::Delivered => self.waiting |= DELIVERED,
            Event::Closed(reason) => self.closed = Some(reason),
        }
    }

    /// Returns the next event, in the order of the enumeration.
    pub fn poll(&mut self) -> Option<Event> {
        if self.waiting != 0 {
            let bit = self.waiting & self.waiting.wrapping_neg();
            self.waiting &= !bit;
            return Some(match bit {
                CONNECTED => Event::Connected,
                READABLE => Event::Readable,
                FINISHED => Event::Finished,
                WRITABLE => Event::Writable,
                _ => Event::Delivered,
            });
        }
        self.closed.take().map(Event::Closed)
    }
}
