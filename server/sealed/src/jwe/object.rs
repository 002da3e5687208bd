//! Finds the end of a JSON object and buffers its bytes. serde checks whether it is well-formed.

/// The state of reading a JSON object.
#[derive(Debug, Default)]
pub(super) struct Object {
    bytes: Vec<u8>,
    depth: usize,
    is_in_string: bool,
    is_escaped: bool,
}

impl Object {
    /// Adds the next byte; the first one is a brace. Returns whether the object is complete.
    pub(super) fn push(&mut self, byte: u8) -> bool {
        self.bytes.push(byte);
        if self.is_in_string {
            let is_end = byte == b'"' && !self.is_escaped;
            self.is_escaped = byte == b'\\' && !self.is_escaped;
            self.is_in_string = !is_end;
            return false;
        }
        match byte {
            b'"' => self.is_in_string = true,
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
        self.depth == 0
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}
