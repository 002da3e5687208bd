//! W3C Trace Context: reads the headers `traceparent` and `tracestate` of a request, and writes those of the calls that
//! the request causes.

use std::fmt;

use http::{HeaderMap, HeaderName, HeaderValue};

const TRACEPARENT: HeaderName = HeaderName::from_static("traceparent");
const TRACESTATE: HeaderName = HeaderName::from_static("tracestate");

/// A longer `tracestate` is not passed on.
const LONGEST_STATE: usize = 512;

/// The length of `traceparent` in version 00.
const LENGTH: usize = 55;

/// The trace that a request belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    id: u128,
    /// The caller's span; `None` if the trace begins here.
    parent: Option<u64>,
    /// The request itself, as the services know it that it calls.
    span: u64,
    flags: u8,
    state: Option<HeaderValue>,
}

/// An id in lowercase hexadecimal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Id<const DIGITS: usize>(u128);

impl<const DIGITS: usize> fmt::Display for Id<DIGITS> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:0DIGITS$x}", self.0)
    }
}

impl Trace {
    /// The trace of a request with these headers. `None` if `traceparent` is absent or malformed. `span` makes an id for
    /// the request.
    pub fn of(headers: &HeaderMap, span: impl FnOnce() -> [u8; 8]) -> Option<Self> {
        let mut all = headers.get_all(TRACEPARENT).iter();
        let (Some(only), None) = (all.next(), all.next()) else { return None };
        let (trace, parent, flags) = parse(only.as_bytes())?;
        Some(Self { id: trace, parent: Some(parent), span: span_of(span()), flags, state: state(headers) })
    }

    /// A new trace, which is not sampled.
    pub fn begin(random: [u8; 24]) -> Self {
        let (trace, span) = random.split_at(16);
        let id = u128::from_be_bytes(trace.try_into().expect("16 bytes")).max(1);
        Self { id, parent: None, span: span_of(span.try_into().expect("8 bytes")), flags: 0, state: None }
    }

    /// The id of the whole trace.
    pub fn trace_id(&self) -> Id<32> {
        Id(self.id)
    }

    /// The id of the request within the trace.
    pub fn span_id(&self) -> Id<16> {
        Id(self.span.into())
    }

    /// The span of the caller.
    pub fn parent_id(&self) -> Option<Id<16>> {
        self.parent.map(|parent| Id(parent.into()))
    }

    /// The headers of a call that the request causes.
    pub fn headers(&self) -> HeaderMap {
        let parent = format!("00-{}-{}-{:02x}", self.trace_id(), self.span_id(), self.flags);
        let parent = HeaderValue::try_from(parent).expect("digits and hyphens");
        let mut headers = HeaderMap::from_iter([(TRACEPARENT, parent)]);
        headers.extend(self.state.clone().map(|state| (TRACESTATE, state)));
        headers
    }
}

/// A span id, which is not zero.
fn span_of(random: [u8; 8]) -> u64 {
    u64::from_be_bytes(random).max(1)
}

/// Trace id, parent id and flags. Of later versions, only the beginning is known.
fn parse(text: &[u8]) -> Option<(u128, u64, u8)> {
    let (known, rest) = text.split_at_checked(LENGTH)?;
    let [b'-', b'-', b'-'] = [known[2], known[35], known[52]] else { return None };
    let version = hexadecimal(&known[..2])?;
    let is_complete = if version == 0 { rest.is_empty() } else { rest.first().is_none_or(|next| *next == b'-') };
    if version == 0xff || !is_complete {
        return None;
    }
    let trace = hexadecimal(&known[3..35]).filter(|id| *id != 0)?;
    let parent = hexadecimal(&known[36..52]).filter(|id| *id != 0)?;
    let flags = hexadecimal(&known[53..])?;
    // Version 00 defines one flag: sampled. Others must be sent as zero.
    Some((trace, u64::try_from(parent).ok()?, u8::try_from(flags & 1).ok()?))
}

/// Lowercase digits only.
fn hexadecimal(digits: &[u8]) -> Option<u128> {
    digits.iter().try_fold(0, |number, digit| {
        let value = match digit {
            b'0'..=b'9' => digit - b'0',
            b'a'..=b'f' => digit - b'a' + 10,
            _ => return None,
        };
        Some(number << 4 | u128::from(value))
    })
}

/// The `tracestate`, unchanged. Several headers are joined, as for any list.
fn state(headers: &HeaderMap) -> Option<HeaderValue> {
    let mut all = headers.get_all(TRACESTATE).iter();
    let first = all.next()?;
    let mut joined = first.as_bytes().to_vec();
    for next in all {
        joined.push(b',');
        joined.extend_from_slice(next.as_bytes());
        if joined.len() > LONGEST_STATE {
            return None;
        }
    }
    let is_fit = joined.len() <= LONGEST_STATE && joined.iter().all(|byte| matches!(byte, b'\t' | b' '..=b'~'));
    HeaderValue::from_bytes(&joined).ok().filter(|_| is_fit && !joined.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(*name, HeaderValue::from_bytes(value.as_bytes()).expect("a header"));
        }
        headers
    }

    fn read(pairs: &[(&'static str, &str)]) -> Option<Trace> {
        Trace::of(&headers(pairs), || [0, 0, 0, 0, 0, 0, 0, 0xab])
    }

    #[test]
    fn a_trace_is_continued_with_a_new_span() {
        let trace = read(&[("traceparent", GOOD), ("tracestate", "a=1"), ("tracestate", "b@c=2 3")]).expect("a trace");
        assert_eq!(trace.trace_id().to_string(), "4bf92f3577b34da6a3ce929d0e0e4736");
        assert_eq!(trace.parent_id().map(|id| id.to_string()).as_deref(), Some("00f067aa0ba902b7"));
        let sent = trace.headers();
        assert_eq!(sent["traceparent"], "00-4bf92f3577b34da6a3ce929d0e0e4736-00000000000000ab-01");
        assert_eq!(sent["tracestate"], "a=1,b@c=2 3");
    }

    #[test]
    fn a_later_version_is_read_as_far_as_it_is_known() {
        for (text, good) in [
            ("01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-ff", true),
            ("cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-what-else", true),
            ("cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01.else", false),
            ("ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", false),
        ] {
            let sent = read(&[("traceparent", text)]).map(|trace| trace.headers()["traceparent"].clone());
            assert_eq!(sent.is_some(), good, "{text}");
            assert!(
                sent.is_none_or(|sent| sent.as_bytes().starts_with(b"00-4bf9") && sent.as_bytes().ends_with(b"-01"))
            );
        }
    }

    #[test]
    fn malformed_headers_are_ignored() {
        let long = format!("{GOOD}-");
        let upper = GOOD.to_uppercase();
        for text in [
            "",
            "00",
            &GOOD[..54],
            &long,
            &upper,
            "0x-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736_00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e473 -00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e473+-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0g",
            "00-4bf92f3577b34da6a3ce929d0e0e47é-00f067aa0ba902b7-01",
        ] {
            assert_eq!(read(&[("traceparent", text)]), None, "{text}");
        }
        assert_eq!(read(&[("traceparent", GOOD), ("traceparent", GOOD)]), None, "which one?");
        assert_eq!(read(&[("tracestate", "a=1")]), None);
        assert_eq!(read(&[]), None);
    }

    #[test]
    fn a_long_or_strange_state_is_dropped() {
        let fits = format!("a={}", "x".repeat(LONGEST_STATE - 2));
        let long = format!("{fits}x");
        for (state, kept) in [(fits.as_str(), true), (&long, false), ("", false), ("a=é", false)] {
            let trace = read(&[("traceparent", GOOD), ("tracestate", state)]).expect("a trace");
            let sent = trace.headers();
            assert_eq!(sent.get("tracestate").map(HeaderValue::as_bytes), kept.then_some(state.as_bytes()));
        }
        let many = [("tracestate", fits.as_str()); 400];
        let trace = read(&[&[("traceparent", GOOD)], &many[..]].concat()).expect("a trace");
        assert!(!trace.headers().contains_key("tracestate"));
    }

    #[test]
    fn a_new_trace_is_not_sampled_and_has_no_zero_ids() {
        assert_eq!(
            Trace::begin([0; 24]).headers()["traceparent"],
            "00-00000000000000000000000000000001-0000000000000001-00"
        );
    }
}
