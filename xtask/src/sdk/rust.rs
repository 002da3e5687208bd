//! Helpers that read and write Rust syntax.

use quote::ToTokens;
use syn::{Attribute, Expr, ExprLit, File, Item, Lit, Meta, Type, parse_quote};

/// The items of a module of the generated file.
pub(super) fn module<'a>(file: &'a mut File, name: &str) -> &'a mut Vec<Item> {
    let content = file.items.iter_mut().find_map(|item| match item {
        Item::Mod(module) if module.ident == name => module.content.as_mut(),
        _ => None,
    });
    content.map(|(_, items)| items).unwrap_or_else(|| panic!("the generated code has a module {name}"))
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

/// Whether callers have values of other types that convert into this one. Ids do not: passing text as an id should not
/// compile.
pub(super) fn needs_conversion(ty: &Type) -> bool {
    let text = ty.to_token_stream().to_string().replace(' ', "");
    !matches!(text.as_str(), "::uuid::Uuid" | "bool" | "i32" | "i64" | "u64" | "f64")
}
