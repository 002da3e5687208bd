//! Finds where a JSON object ends, and keeps its bytes. Leaves it to serde whether it is well-formed.

/// A JSON object as far as it has been read.
#[derive(Debug, Default)]
pub(super) struct Object {
    bytes: Vec<u8>,
    depth: usize,
    is_in_string: bool,
    is_escaped: bool,
}

impl Object {
    /// Takes the next byte, the first of which is a brace. Returns whether the object is complete.
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
