//! Helpers that read and write Rust syntax.

use quote::ToTokens;
use syn::{Attribute, Expr, ExprLit, File, Item, Lit, Meta, Type, parse_quote};

/// The items of a module of the generated file.
pub(super) fn module<'a>(file: &'a mut File, name: &str) -> &'a mut Vec<Item> {
    let content = file.items.iter_mut().find_map(|item| match item {
        Item::Mod(module) if module.ident == name => module.content.as_mut(),
        _ => None,
    });
    let (_, items) = content.unwrap_or_else(|| panic!("the generated code has a module {name}"));
    items
}

/// The text of doc comments.
pub(super) fn documentation(attributes: &[Attribute]) -> String {
    let lines = attributes.iter().filter_map(|attribute| match &attribute.meta {
        Meta::NameValue(meta) if meta.path.is_ident("doc") => match &meta.value {
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.value()),
            _ => None,
        },
        _ => None,
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// A doc comment.
pub(super) fn document(text: &str) -> Attribute {
    parse_quote!(#[doc = #text])
}

/// Whether callers have values of other types that convert into this one. For the others, a plain argument also says what a
/// literal or `parse()` results in.
pub(super) fn needs_conversion(ty: &Type) -> bool {
    let text = ty.to_token_stream().to_string().replace(' ', "");
    !matches!(text.as_str(), "::uuid::Uuid" | "::chrono::naive::NaiveDate" | "bool" | "i32" | "i64" | "u64" | "f64")
}

#[cfg(test)]
pub(super) mod tests {
    /// The text without white space and trailing commas, so that tests do not depend on line breaks.
    pub(crate) fn compact(text: &str) -> String {
        let text: String = text.split_whitespace().collect();
        text.replace(",)", ")").replace(",>", ">").replace(",}", "}")
    }

    /// Checks that the text contains each of these, compared by [`compact`].
    pub(crate) fn assert_contains(text: &str, expected: &[&str]) {
        let text = compact(text);
        for expected in expected {
            assert!(text.contains(&compact(expected)), "{expected} is not in {text}");
        }
    }
}
