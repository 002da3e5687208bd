//! The public API of the SDK as text, so that a change of it is seen in review: `client-sdk/public-api.txt`.
//!
//! It is read from the sources. A `pub` item of the SDK is reachable from outside, because the lint `unreachable_pub` rejects
//! others. Bodies, private items and documentation are left out; of impls of traits, only the first line remains.

use std::collections::BTreeSet;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use quote::ToTokens;
use syn::{Attribute, Fields, File, FnArg, ImplItem, Item, TraitItem, Type, Visibility, parse_quote};

use crate::generated::root;

/// Where the text is.
pub(crate) const FILE: &str = "client-sdk/public-api.txt";

const FIRST_LINES: &str = "\
// The public API of itinerary-sdk, written by `cargo xtask public-api`. Do not edit.
";

/// The text.
pub(crate) fn text() -> Result<String, Box<dyn Error>> {
    let folder = root().join("client-sdk/src");
    let mut files = Vec::new();
    for path in sources(&folder)? {
        let file = syn::parse_file(&fs::read_to_string(&path)?)?;
        files.push((path.strip_prefix(&folder)?.display().to_string(), file));
    }
    Ok(render(files))
}

fn render(mut files: Vec<(String, File)>) -> String {
    files.sort_by(|one, other| one.0.cmp(&other.0));
    let types = files.iter().flat_map(|(_, file)| public_types(&file.items)).collect();
    let mut text = FIRST_LINES.to_owned();
    for (name, mut file) in files {
        file.attrs.clear();
        file.items = reduce_all(file.items, &types);
        if !file.items.is_empty() {
            text.extend(["\n// ", &name, "\n", &prettyplease::unparse(&file)]);
        }
    }
    text
}

/// The source files below a folder, without tests.
fn sources(folder: &Path) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            paths.extend(sources(&path)?);
        } else if path.extension().is_some_and(|extension| extension == "rs") && !path.ends_with("tests.rs") {
            paths.push(path);
        }
    }
    Ok(paths)
}

/// The names of public types, including those in modules.
fn public_types(items: &[Item]) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for item in items {
        match item {
            Item::Struct(item) if is_public(&item.vis) => drop(names.insert(item.ident.to_string())),
            Item::Enum(item) if is_public(&item.vis) => drop(names.insert(item.ident.to_string())),
            Item::Mod(item) => {
                names.extend(item.content.iter().flat_map(|(_, items)| public_types(items)));
            }
            _ => {}
        }
    }
    names
}

fn reduce_all(items: Vec<Item>, types: &BTreeSet<String>) -> Vec<Item> {
    items.into_iter().filter_map(|item| reduce(item, types)).collect()
}

/// The public part of an item; `None` if it has none.
fn reduce(item: Item, types: &BTreeSet<String>) -> Option<Item> {
    match item {
        Item::Struct(mut item) if is_public(&item.vis) => {
            keep(&mut item.attrs);
            reduce_fields(&mut item.fields);
            Some(Item::Struct(item))
        }
        Item::Enum(mut item) if is_public(&item.vis) => {
            keep(&mut item.attrs);
            for variant in &mut item.variants {
                keep(&mut variant.attrs);
                variant.fields.iter_mut().for_each(|field| keep(&mut field.attrs));
            }
            Some(Item::Enum(item))
        }
        Item::Trait(mut item) if is_public(&item.vis) => {
            keep(&mut item.attrs);
            for method in &mut item.items {
                if let TraitItem::Fn(method) = method {
                    keep(&mut method.attrs);
                    // A default body is part of the API: implementors may leave the method out.
                    method.default = method.default.take().map(|_| parse_quote!({}));
                } else if let TraitItem::Type(method) = method {
                    keep(&mut method.attrs);
                }
            }
            Some(Item::Trait(item))
        }
        Item::Fn(mut item) if is_public(&item.vis) => {
            keep(&mut item.attrs);
            item.block = parse_quote!({});
            Some(Item::Fn(item))
        }
        Item::Type(mut item) if is_public(&item.vis) => {
            keep(&mut item.attrs);
            Some(Item::Type(item))
        }
        Item::Const(mut item) if is_public(&item.vis) => {
            keep(&mut item.attrs);
            Some(Item::Const(item))
        }
        Item::Use(mut item) if is_public(&item.vis) => {
            keep(&mut item.attrs);
            Some(Item::Use(item))
        }
        Item::Mod(mut item) => {
            keep(&mut item.attrs);
            match item.content.take() {
                // The file has a section of its own.
                None => is_public(&item.vis).then_some(Item::Mod(item)),
                Some((brace, items)) => {
                    let items = reduce_all(items, types);
                    let is_tested =
                        item.attrs.iter().any(|attribute| attribute.to_token_stream().to_string().contains("test"));
                    item.content = Some((brace, items));
                    (is_public(&item.vis) && !is_tested).then_some(Item::Mod(item))
                }
            }
        }
        Item::Impl(mut item) => {
            keep(&mut item.attrs);
            if !types.contains(&name(&item.self_ty)?) {
                return None;
            }
            let is_trait = item.trait_.is_some();
            item.items.retain_mut(|part| match part {
                ImplItem::Fn(method) if !is_trait && is_public(&method.vis) => {
                    keep(&mut method.attrs);
                    method.block = parse_quote!({});
                    // `mut self` is the body's own business.
                    if let Some(FnArg::Receiver(receiver)) = method.sig.inputs.first_mut()
                        && receiver.reference.is_none()
                    {
                        receiver.mutability = None;
                    }
                    true
                }
                ImplItem::Type(_) => true,
                _ => false,
            });
            (is_trait || !item.items.is_empty()).then_some(Item::Impl(item))
        }
        // What a macro of the SDK's own makes is not visible here, so its arguments stand for it.
        Item::Macro(mut item) if item.ident.is_none() => {
            item.attrs.clear();
            item.mac.tokens = without_attributes(item.mac.tokens);
            Some(Item::Macro(item))
        }
        _ => None,
    }
}

fn is_public(visibility: &Visibility) -> bool {
    matches!(visibility, Visibility::Public(_))
}

/// Keeps the attributes that callers notice.
fn keep(attributes: &mut Vec<Attribute>) {
    let noticed = ["derive", "non_exhaustive", "cfg", "must_use", "deprecated"];
    attributes.retain(|attribute| noticed.iter().any(|name| attribute.path().is_ident(name)));
}

fn reduce_fields(fields: &mut Fields) {
    match fields {
        Fields::Named(fields) => {
            let public = std::mem::take(&mut fields.named).into_iter().filter(|field| is_public(&field.vis));
            fields.named = public.collect();
            fields.named.iter_mut().for_each(|field| keep(&mut field.attrs));
        }
        Fields::Unnamed(fields) => {
            for field in &mut fields.unnamed {
                keep(&mut field.attrs);
                if !is_public(&field.vis) {
                    field.ty = parse_quote!(_);
                }
            }
        }
        Fields::Unit => {}
    }
}

/// The last word of a type's path.
fn name(of: &Type) -> Option<String> {
    match of {
        Type::Path(path) => Some(path.path.segments.last()?.ident.to_string()),
        Type::Reference(reference) => name(&reference.elem),
        _ => None,
    }
}

fn without_attributes(tokens: proc_macro2::TokenStream) -> proc_macro2::TokenStream {
    let mut tokens = tokens.into_iter().peekable();
    let mut kept = Vec::new();
    while let Some(token) = tokens.next() {
        let is_hash = matches!(&token, proc_macro2::TokenTree::Punct(mark) if mark.as_char() == '#');
        if is_hash && matches!(tokens.peek(), Some(proc_macro2::TokenTree::Group(_))) {
            tokens.next();
        } else {
            kept.push(token);
        }
    }
    kept.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rendered(code: &str) -> String {
        let file = syn::parse_file(code).expect("Rust");
        render(vec![("a.rs".to_owned(), file)]).replace(FIRST_LINES, "")
    }

    #[test]
    fn private_items_and_docs_are_left_out() {
        let text = rendered(
            "//! Docs.\n\
             use std::fmt;\n\
             /// Docs.\n#[derive(Clone)]\n#[serde(default)]\npub struct Trip { pub title: String, secret: u8 }\n\
             struct Hidden;\n\
             impl Hidden { pub fn f(&self) {} }\n\
             impl fmt::Debug for Hidden { fn fmt(&self) {} }\n\
             impl Trip { pub fn rename(&mut self, to: &str) -> bool { todo!() } fn private(&self) {} }\n\
             impl fmt::Debug for Trip { fn fmt(&self) {} }\n\
             #[cfg(test)]\nmod tests { pub fn t() {} }\n",
        );
        let expected = "\n// a.rs\n\
             #[derive(Clone)]\npub struct Trip {\n    pub title: String,\n}\n\
             impl Trip {\n    pub fn rename(&mut self, to: &str) -> bool {}\n}\n\
             impl fmt::Debug for Trip {}\n";
        assert_eq!(text, expected);
    }

    #[test]
    fn only_public_api_changes_change_the_text() {
        let code = "pub trait Store { type T; fn load(&self) -> u8; fn lock(&self) {} }\n\
                    #[non_exhaustive]\npub enum Why { A(u8), B }\n\
                    pub mod inner { pub const X: u8 = 1; }\n\
                    pub struct Id(u8);\n\
                    codes! { /// Docs.\n ONE = \"one\"; }\n";
        let changes = [
            ("fn lock(&self) {}", "fn lock(&self);"),
            ("-> u8; fn", "-> u16; fn"),
            ("#[non_exhaustive]\n", ""),
            (", B }", " }"),
            ("X: u8 = 1", "X: u8 = 2"),
            ("pub mod inner", "mod inner"),
            ("Id(u8)", "Id(pub u8)"),
            ("\"one\"", "\"two\""),
        ];
        for (from, to) in changes {
            assert!(code.contains(from) && rendered(code) != rendered(&code.replacen(from, to, 1)), "{from}");
        }
        for (from, to) in
            [("Id(u8)", "Id(u16)"), ("fn lock(&self) {}", "fn lock(&self) { drop(1) }"), ("Docs.", "More.")]
        {
            assert!(code.contains(from) && rendered(code) == rendered(&code.replacen(from, to, 1)), "{from}");
        }
    }
}
