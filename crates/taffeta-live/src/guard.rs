//! Who may talk to the server: pages that this machine opened with the address it printed.

use std::time::Instant;

use axum::http::{HeaderMap, StatusCode, header};

/// Messages a second of one page, and how many it may send at once.
const RATE: f64 = 240.0;
const BURST: f64 = 480.0;

/// The largest message of a page \[bytes\].
pub const LARGEST: usize = 32 << 10;

/// Pages at once.
pub const PAGES: usize = 16;

/// A secret in the address: whoever does not know it sees nothing.
#[derive(Clone, Debug)]
pub struct Token(String);

impl Token {
    pub fn new() -> Result<Self, String> {
        let mut bytes = [0u8; 16];
        getrandom::fill(&mut bytes).map_err(|error| format!("no random numbers: {error}"))?;
        Ok(Self(bytes.iter().map(|byte| format!("{byte:02x}")).collect()))
    }

    pub fn text(&self) -> &str {
        &self.0
    }

    /// Whether it is this one, in a time that tells nothing of where it differs.
    pub fn is(&self, other: &str) -> bool {
        let differing = self.0.bytes().zip(other.bytes()).fold(0, |sum, (a, b)| sum | (a ^ b));
        self.0.len() == other.len() && differing == 0
    }
}

/// Refuses what does not come from a page of this server: a name that points here from elsewhere
/// (DNS rebinding), or another site's page.
pub fn check(headers: &HeaderMap, port: u16, socket: bool) -> Result<(), StatusCode> {
    let ours = [format!("127.0.0.1:{port}"), format!("localhost:{port}")];
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
    let host = text(header::HOST).unwrap_or_default();
    if !ours.iter().any(|name| name == host) {
        return Err(StatusCode::FORBIDDEN);
    }
    let origin_is_ours = match text(header::ORIGIN) {
        Some(origin) => ours.iter().any(|name| origin == format!("http://{name}")),
        // Browsers name the origin of every socket.
        None => !socket && !headers.contains_key(header::ORIGIN),
    };
    if origin_is_ours { Ok(()) } else { Err(StatusCode::FORBIDDEN) }
}

/// Counts the messages of a page.
#[derive(Debug)]
pub struct Allowance {
    left: f64,
    seen: Instant,
}

impl Allowance {
    pub fn new(now: Instant) -> Self {
        Self { left: BURST, seen: now }
    }

    /// Whether one more message is within it.
    pub fn take(&mut self, now: Instant) -> bool {
        let gained = now.saturating_duration_since(self.seen).as_secs_f64() * RATE;
        self.left = (self.left + gained).min(BURST) - 1.0;
        self.seen = now;
        self.left >= 0.0
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use axum::http::HeaderValue;

    use super::*;

    fn headers(host: &str, origin: Option<&str>) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(header::HOST, HeaderValue::from_str(host).unwrap());
        if let Some(origin) = origin {
            headers.insert(header::ORIGIN, HeaderValue::from_str(origin).unwrap());
        }
        headers
    }

    #[test]
    fn only_pages_of_this_server_pass() {
        let passes = |host, origin, socket| check(&headers(host, origin), 7000, socket).is_ok();
        assert!(passes("127.0.0.1:7000", None, false));
        assert!(passes("localhost:7000", Some("http://localhost:7000"), true));
        assert!(passes("127.0.0.1:7000", Some("http://127.0.0.1:7000"), true));
        assert!(!passes("127.0.0.1:7000", None, true), "a socket without an origin");
        for host in ["evil.example:7000", "127.0.0.1:7001", "127.0.0.1", ""] {
            assert!(!passes(host, None, false), "{host}");
        }
        for origin in ["http://evil.example", "https://127.0.0.1:7000", "null", "http://localhost"]
        {
            assert!(!passes("127.0.0.1:7000", Some(origin), true), "{origin}");
            assert!(!passes("127.0.0.1:7000", Some(origin), false), "{origin}");
        }
    }

    #[test]
    fn tokens_differ_and_only_the_same_is_the_same() {
        let (one, other) = (Token::new().unwrap(), Token::new().unwrap());
        assert_eq!(one.text().len(), 32);
        assert!(one.is(one.text()) && !one.is(other.text()));
        assert!(!one.is("") && !one.is(&one.text()[..31]) && !one.is(&format!("{}0", one.text())));
    }

    #[test]
    fn a_flood_is_noticed_and_a_pause_forgiven() {
        let now = Instant::now();
        let mut allowance = Allowance::new(now);
        let passed = (0..1000).filter(|_| allowance.take(now)).count();
        assert_eq!(passed, BURST as usize);
        let mut later = Allowance::new(now);
        let at = |i: u32| now + Duration::from_secs_f64(f64::from(i) / 100.0);
        assert!((0..2000).all(|i| later.take(at(i))), "100 a second");
    }
}
