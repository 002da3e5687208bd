//! Descriptions as HTML: paragraphs and code in backticks. All else is escaped.

/// Escapes text for HTML content and quoted attributes.
pub(crate) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            other => escaped.push(other),
        }
    }
    escaped
}

/// One paragraph without its tags. A backtick without a partner is shown as it is.
pub(crate) fn inline(text: &str) -> String {
    let parts: Vec<&str> = text.split('`').collect();
    let paired = parts.len() - (parts.len() + 1) % 2;
    let mut html = String::with_capacity(text.len() + 16);
    for (n, part) in parts.iter().enumerate() {
        if n >= paired {
            html.push('`');
            html.push_str(&escape(part));
        } else if n % 2 == 1 {
            html.push_str("<code>");
            html.push_str(&escape(part));
            html.push_str("</code>");
        } else {
            html.push_str(&escape(part));
        }
    }
    html
}

/// All paragraphs.
pub(crate) fn paragraphs(text: &str) -> String {
    let paragraphs = text.split("\n\n").map(str::trim).filter(|paragraph| !paragraph.is_empty());
    paragraphs.flat_map(|paragraph| ["<p>".to_owned(), inline(paragraph), "</p>".to_owned()]).collect()
}

/// The first sentence of a description.
pub(crate) fn first_sentence(text: &str) -> &str {
    let paragraph = text.split("\n\n").next().unwrap_or_default();
    paragraph.split_inclusive(". ").next().unwrap_or_default().trim()
}

/// The first sentence as plain text.
pub(crate) fn summary(text: &str) -> String {
    first_sentence(text).replace('`', "")
}

/// The description of a list of values without the paragraph that repeats them.
pub(crate) fn without_values(text: &str) -> String {
    let kept: Vec<&str> = text.split("\n\n").filter(|paragraph| !paragraph.starts_with("Known values:")).collect();
    kept.join("\n\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_escaped_and_code_is_marked() {
        assert_eq!(inline("a `<b>` & \"c\""), "a <code>&lt;b&gt;</code> &amp; &quot;c&quot;");
        assert_eq!(inline("`a` and `b`"), "<code>a</code> and <code>b</code>");
        assert_eq!(inline("one ` only <i>"), "one ` only &lt;i&gt;");
        assert_eq!(inline("`a` and ` only"), "<code>a</code> and ` only");
        assert_eq!(inline(""), "");
        assert_eq!(paragraphs("a\n\nb `c`\n\n"), "<p>a</p><p>b <code>c</code></p>");
    }
}
