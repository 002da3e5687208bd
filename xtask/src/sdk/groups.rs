//! The operations grouped by tag: `client.itineraries().create(trip)` forwards to `client.itinerary_create(trip)`. Made from
//! the methods of the generated client and from the tags of the document.

use std::collections::BTreeMap;
use std::error::Error;

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use serde_json::Value;
use syn::{File, FnArg, Ident, ImplItem, ImplItemFn, Item, Pat, ReturnType, Type, parse_quote};

use super::inputs::inside;
use super::rust::{document as doc, documentation};

/// Where the groups are.
pub(crate) const FILE: &str = "client-sdk/src/groups.rs";

/// Tags that have a group for each of these nouns instead of one of their own name.
const NOUNS: [(&str, &[&str]); 4] = [
    ("Days", &["days", "stops"]),
    ("Operations", &["health"]),
    ("Sharing", &["members", "links", "invitations"]),
    ("Sign-in", &["oauth"]),
];

/// One group, made from one tag or a part of it.
struct Group {
    tag: String,
    description: String,
    methods: Vec<(String, ImplItemFn)>,
}

/// The text of the groups.
pub(crate) fn text() -> Result<String, Box<dyn Error>> {
    let document = super::published()?;
    let file = super::client()?;
    Ok(format!(
        "{}//! The operations grouped by tag: `client.itineraries().create(trip)` is `client.itinerary_create(trip)`.\n\n{}",
        super::FIRST_LINES,
        prettyplease::unparse(&render(&groups(&document, &file)))
    ))
}

/// The groups by name, with their methods in the order of the client's.
fn groups(document: &Value, file: &File) -> BTreeMap<String, Group> {
    let tags = tags(document);
    let mut groups = BTreeMap::new();
    for method in methods(file) {
        let operation = method.sig.ident.to_string();
        let Some(tag) = tags.get(&operation) else { continue };
        let name = group_name(tag, &operation);
        let short = short_name(&name, &operation);
        let group = groups.entry(name).or_insert_with(|| Group {
            tag: tag.clone(),
            description: description(document, tag),
            methods: Vec::new(),
        });
        group.methods.push((short, method.clone()));
    }
    groups
}

/// The client's methods, also of other blocks than the first.
fn methods(file: &File) -> impl Iterator<Item = &ImplItemFn> {
    let blocks = file.items.iter().filter_map(|item| match item {
        Item::Impl(item) if item.trait_.is_none() => Some(item),
        _ => None,
    });
    blocks.flat_map(|block| &block.items).filter_map(|item| match item {
        ImplItem::Fn(method) => Some(method),
        _ => None,
    })
}

/// The tag of each operation.
fn tags(document: &Value) -> BTreeMap<String, String> {
    let paths = document["paths"].as_object().into_iter().flatten();
    let operations = paths.flat_map(|(_, operations)| operations.as_object().into_iter().flatten());
    let tags = operations.filter_map(|(_, operation)| {
        Some((operation["operationId"].as_str()?.to_owned(), operation["tags"][0].as_str()?.to_owned()))
    });
    tags.collect()
}

fn description(document: &Value, tag: &str) -> String {
    let tags = document["tags"].as_array().into_iter().flatten();
    let text = tags.filter(|entry| entry["name"] == tag).find_map(|entry| entry["description"].as_str());
    text.unwrap_or_default().to_owned()
}

/// The name of the method that returns the group: the tag, or the noun.
fn group_name(tag: &str, operation: &str) -> String {
    let nouns = NOUNS.iter().find(|(split, _)| *split == tag).map(|(_, nouns)| *nouns).unwrap_or_default();
    let noun = nouns.iter().find(|noun| operation.starts_with(&format!("{}_", singular(noun))));
    noun.map_or_else(|| tag.to_lowercase().replace([' ', '-'], "_"), |noun| (*noun).to_owned())
}

/// The operation without the group's noun. The whole name if it begins with another noun, or if the first word of the rest
/// is a keyword, as in `stop_move`.
fn short_name(group: &str, operation: &str) -> String {
    let rest = [group.to_owned(), singular(group)].into_iter().find_map(|noun| {
        let rest = operation.strip_prefix(&noun)?.strip_prefix('_')?;
        let is_name = rest.split('_').next().is_some_and(|word| syn::parse_str::<Ident>(word).is_ok());
        is_name.then(|| rest.to_owned())
    });
    rest.unwrap_or_else(|| operation.to_owned())
}

fn singular(noun: &str) -> String {
    match (noun.strip_suffix("ies"), noun.strip_suffix("sses"), noun.strip_suffix('s')) {
        (Some(stem), ..) => format!("{stem}y"),
        (_, Some(stem), _) => format!("{stem}ss"),
        (.., Some(stem)) => stem.to_owned(),
        _ => noun.to_owned(),
    }
}

/// `wallet_passes` as `WalletPasses`.
fn type_name(group: &str) -> Ident {
    let words = group.split('_').map(|word| word[..1].to_ascii_uppercase() + &word[1..]);
    format_ident!("{}", words.collect::<String>())
}

fn render(groups: &BTreeMap<String, Group>) -> File {
    let entries = groups.iter().map(|(name, group)| {
        let (ident, ty) = (format_ident!("{name}"), type_name(name));
        let docs = doc(&format!(" The operations of [`{ty}`]. {}", group.description));
        quote! {
            #docs
            pub fn #ident(&self) -> #ty<'_> { #ty { client: self } }
        }
    });
    let types = groups.iter().map(|(name, group)| render_group(name, group));
    parse_quote! {
        use crate::generated::{Client, builder, types};
        impl Client { #(#entries)* }
        #(#types)*
    }
}

fn render_group(name: &str, group: &Group) -> TokenStream {
    let ty = type_name(name);
    let docs = doc(&format!(
        " The operations with the tag {}, returned by [`Client::{name}`]. {}",
        group.tag, group.description
    ));
    let methods = group.methods.iter().map(|(short, method)| forward(short, method));
    quote! {
        #docs
        #[derive(Clone, Copy, Debug)]
        pub struct #ty<'a> { pub(crate) client: &'a Client }
        impl<'a> #ty<'a> { #(#methods)* }
    }
}

/// A method that forwards to the client's.
fn forward(short: &str, method: &ImplItemFn) -> ImplItemFn {
    let (short, flat) = (format_ident!("{short}"), &method.sig.ident);
    let docs = doc(&format!(" {}\n\n Same as [`Client::{flat}`].", documentation(&method.attrs).trim()));
    let inputs: Vec<_> = method.sig.inputs.iter().filter(|input| matches!(input, FnArg::Typed(_))).collect();
    let arguments = inputs.iter().filter_map(|input| match input {
        FnArg::Typed(typed) => match &*typed.pat {
            Pat::Ident(name) => Some(name.ident.clone()),
            _ => None,
        },
        FnArg::Receiver(_) => None,
    });
    let output = borrowed(&method.sig.output);
    parse_quote! {
        #docs
        pub fn #short(self, #(#inputs),*) -> #output { self.client.#flat(#(#arguments),*) }
    }
}

/// The builder that a method returns, borrowing from the client instead of the group.
fn borrowed(output: &ReturnType) -> Type {
    let ReturnType::Type(_, output) = output else { panic!("an operation returns a builder") };
    assert!(inside(output, "Result").is_none(), "an operation returns a builder");
    let Type::Path(path) = &**output else { panic!("an operation returns a builder") };
    let name = &path.path.segments.last().expect("a path has segments").ident;
    parse_quote!(builder::#name<'a>)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::rust::tests::assert_contains;
    use super::*;

    #[test]
    fn a_group_has_the_operations_of_its_tag_without_its_noun() {
        let operation = |id: &str, tag: &str| json!({ "operationId": id, "tags": [tag] });
        let document = json!({
            "tags": [{ "name": "Days", "description": "The days." }],
            "paths": { "/a": {
                "get": operation("day_list", "Days"), "post": operation("stop_add", "Days"),
                "put": operation("oauth_token", "Sign-in"),
            } },
        });
        let file: File = parse_quote! {
            impl Client {
                #[doc = "Lists them."]
                pub fn day_list(&self, id: Uuid) -> builder::DayListRequest<'_> { todo!() }
                pub fn stop_add(&self, id: Uuid, body: impl Into<types::Stop>) -> builder::StopAddRequest<'_> { todo!() }
                pub fn oauth_token(&self) -> builder::OauthTokenRequest<'_> { todo!() }
                pub fn baseurl(&self) -> &String { todo!() }
            }
        };
        let text = prettyplease::unparse(&render(&groups(&document, &file)));
        assert_contains(
            &text,
            &[
                "pub fn days(&self) -> Days<'_> { Days { client: self } }",
                "/// The operations with the tag Days, returned by [`Client::days`]. The days.",
                "/**Lists them. Same as [`Client::day_list`].*/ \
                 pub fn list(self, id: Uuid) -> builder::DayListRequest<'a> { self.client.day_list(id) }",
                "pub fn add( self, id: Uuid, body: impl Into<types::Stop>, ) -> builder::StopAddRequest<'a>",
                "self.client.stop_add(id, body)",
                "pub struct Oauth<'a>",
                "pub fn token(self) -> builder::OauthTokenRequest<'a>",
            ],
        );
        assert!(!text.contains("baseurl"), "it is no operation");
    }

    #[test]
    fn a_name_that_would_be_ambiguous_stays_whole() {
        for (group, operation, expected) in [
            ("itineraries", "itinerary_create", "create"),
            ("itineraries", "itinerary_places_refresh", "places_refresh"),
            ("wallet_passes", "wallet_pass_list", "list"),
            ("packing", "packing_add", "add"),
            ("stops", "stop_move", "stop_move"),
            ("marks", "marks_view", "view"),
            ("marks", "itinerary_save", "itinerary_save"),
            ("people", "follow_set", "follow_set"),
            ("account", "account_self", "account_self"),
            ("account", "account_self_update", "account_self_update"),
        ] {
            assert_eq!(short_name(group, operation), expected);
        }
    }
}
