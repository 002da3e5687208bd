//! Multipart forms, byte by byte, as different clients send them.

/// The boundary.
pub const BOUNDARY: &str = "----TestFormBoundary7MA4YWxkTrZu0gW";

/// A form under construction.
#[derive(Clone, Default)]
#[must_use]
pub struct Form(Vec<u8>);

impl Form {
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a part with these header lines.
    pub fn part(mut self, headers: &str, content: impl AsRef<[u8]>) -> Self {
        self.0.extend_from_slice(format!("--{BOUNDARY}\r\n{headers}\r\n\r\n").as_bytes());
        self.0.extend_from_slice(content.as_ref());
        self.0.extend_from_slice(b"\r\n");
        self
    }

    pub fn text(self, name: &str, value: impl AsRef<[u8]>) -> Self {
        self.part(&format!("Content-Disposition: form-data; name=\"{name}\""), value)
    }

    /// Adds the file, with this spelling of its name parameter.
    pub fn file_as(self, file_name: &str, content: impl AsRef<[u8]>) -> Self {
        let headers = format!(
            "Content-Disposition: form-data; name=\"file\"; {file_name}\r\nContent-Type: application/octet-stream"
        );
        self.part(&headers, content)
    }

    pub fn file(self, content: impl AsRef<[u8]>) -> Self {
        self.file_as("filename=\"pass.age\"", content)
    }

    /// The form without its end.
    pub fn unended(self) -> Vec<u8> {
        self.0
    }

    /// The complete form.
    pub fn end(mut self) -> Vec<u8> {
        self.0.extend_from_slice(format!("--{BOUNDARY}--\r\n").as_bytes());
        self.0
    }
}

pub fn content_type() -> String {
    format!("multipart/form-data; boundary={BOUNDARY}")
}

/// The head of an upload on the wire; `framing` ends it, as in `Content-Length: 3`.
pub fn head(itinerary: &str, token: &str, framing: &str) -> String {
    format!(
        "POST /v1/itineraries/{itinerary}/documents HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n\
         Content-Type: {}\r\n{framing}\r\n\r\n",
        content_type()
    )
}

/// Each piece as one HTTP chunk.
pub fn in_chunks(pieces: &[&[u8]]) -> Vec<u8> {
    let mut framed = Vec::new();
    for piece in pieces {
        framed.extend_from_slice(format!("{:x}\r\n", piece.len()).as_bytes());
        framed.extend_from_slice(piece);
        framed.extend_from_slice(b"\r\n");
    }
    framed
}

/// The end of a body in HTTP chunks.
pub const LAST_CHUNK: &[u8] = b"0\r\n\r\n";
