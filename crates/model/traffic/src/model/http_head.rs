//! Heads of HTTP messages, as clients and servers of `http` write and parse them. Messages of other
//! software are parsed as well. Not here: which objects are requested, and when (`http`).

use std::io::{self, BufRead, Read};

/// The head of a message (RFC 9112), as far as clients and servers here need it.
#[derive(Debug, Default)]
pub struct HttpHead {
    /// The first line.
    pub first: String,
    /// Length of the head in bytes.
    pub bytes: u64,
    /// Length of the body, if the head gives it.
    pub length: Option<u64>,
    /// Whether the connection closes after this message.
    pub closes: bool,
    /// Number of the client, if it is one of ours.
    pub client: Option<u16>,
}

impl HttpHead {
    /// The whole response to a request for something that no server has.
    pub const NOT_FOUND: &str =
        "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
    /// Length of the longest head that is read, in bytes.
    pub const MOST: u64 = 64 << 10;

    /// Reads the next head. Returns `None` at the end of the connection.
    ///
    /// # Errors
    /// If the head ends within a line, or is too long.
    pub fn read(connection: &mut impl BufRead) -> io::Result<Option<Self>> {
        let mut head = Self::default();
        let mut limited = connection.take(Self::MOST);
        loop {
            let mut line = String::new();
            let bytes = limited.read_line(&mut line)? as u64;
            head.bytes += bytes;
            match line.trim_end() {
                _ if bytes == 0 && head.bytes == 0 => return Ok(None),
                _ if !line.ends_with('\n') => return Err(io::Error::other("it is no HTTP")),
                "" if head.first.is_empty() => {}
                "" => return Ok(Some(head)),
                first if head.first.is_empty() => {
                    head.closes = first.ends_with("HTTP/1.0");
                    head.first = first.into();
                }
                field => head.field(field),
            }
        }
    }

    fn field(&mut self, line: &str) {
        let Some((name, value)) = line.split_once(':') else { return };
        let value = value.trim();
        match name.to_ascii_lowercase().as_str() {
            "content-length" => self.length = value.parse().ok(),
            "connection" => self.closes = value.eq_ignore_ascii_case("close"),
            "user-agent" => {
                self.client = value.strip_prefix("netloom/").and_then(|number| number.parse().ok());
            }
            _ => {}
        }
    }

    /// Returns the number of bytes that a request asks for: `GET /1000` asks for 1000.
    pub fn asks_for(&self) -> Option<u64> {
        let target = self.first.strip_prefix("GET /")?;
        target.split_once(' ')?.0.parse().ok()
    }
}

#[cfg(test)]
mod tests {
    use netloom_units::{Duration, Size};

    use super::*;
    use crate::Exchange;

    #[test]
    fn heads_are_read_as_they_are_written() {
        let exchange = Exchange { think: Duration::ZERO, response: Size::from_bytes(1234) };
        for persistent in [true, false] {
            let text = exchange.request(7, persistent);
            let head = HttpHead::read(&mut text.as_bytes()).unwrap().unwrap();
            assert_eq!((head.asks_for(), head.client), (Some(1234), Some(7)));
            assert_eq!(head.closes, !persistent);
            let text = exchange.response_head(persistent);
            let head = HttpHead::read(&mut text.as_bytes()).unwrap().unwrap();
            assert_eq!((head.length, head.bytes), (Some(1234), text.len() as u64));
            let (request, response) = exchange.lengths(persistent);
            assert_eq!(request, exchange.request(65535, persistent).len() as u64);
            assert_eq!(response, text.len() as u64 + 1234);
        }
        assert!(HttpHead::read(&mut &b"GET /1"[..]).is_err());
        assert!(HttpHead::read(&mut &b""[..]).unwrap().is_none());
    }
}
