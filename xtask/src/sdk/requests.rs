//! The types of requests: `StopInput::new("Belém Tower").start_time("10:00")`. `new` takes the required fields, and each
//! other field has a setter. Both convert their arguments. progenitor's builders of types are removed.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};
use syn::{Field, File, Ident, ImplItem, Item, ItemStruct, Type, parse_quote};

use super::inputs::inside;
use super::rust::{document, documentation, module, needs_conversion};

/// The required fields that `new` takes first, in this order. The document sorts them by name.
pub(crate) const FIRST: [&str; 4] = ["id", "name", "from", "to"];

/// Removes `types::builder`, and the functions that return its builders.
pub(super) fn remove_builders(file: &mut File) {
    let types = module(file, "types");
    types.retain(|item| match item {
        Item::Mod(module) => module.ident != "builder",
        Item::Impl(item) => item.trait_.is_some() || !item.items.iter().all(is_builder),
        _ => true,
    });
}

fn is_builder(item: &ImplItem) -> bool {
    matches!(item, ImplItem::Fn(function) if function.sig.ident == "builder" && function.sig.inputs.is_empty())
}

/// Adds `new` and setters to the types of these bodies, and to the types of their fields.
pub(super) fn add_setters(file: &mut File, bodies: Vec<String>) {
    let types = module(file, "types");
    let structs: BTreeMap<_, _> = types.iter().filter_map(named).collect();
    let (mut pending, mut seen) = (bodies, BTreeSet::new());
    while let Some(name) = pending.pop() {
        if let Some(item) = structs.get(&name)
            && seen.insert(name)
        {
            pending.extend(item.fields.iter().flat_map(|field| names(&field.ty)));
        }
    }
    types.extend(seen.iter().map(|name| methods(&structs[name])));
}

/// A struct with named fields.
fn named(item: &Item) -> Option<(String, ItemStruct)> {
    let Item::Struct(item) = item else { return None };
    matches!(item.fields, syn::Fields::Named(_)).then(|| (item.ident.to_string(), item.clone()))
}

/// All names in a type.
fn names(ty: &Type) -> Vec<String> {
    let words = ty.to_token_stream().to_string();
    words.split(|c: char| !(c.is_alphanumeric() || c == '_')).map(str::to_owned).collect()
}

fn methods(item: &ItemStruct) -> Item {
    let mut required: Vec<_> = item.fields.iter().filter(|field| inside(&field.ty, "Option").is_none()).collect();
    required.sort_by_key(|field| {
        let rank = FIRST.iter().position(|first| name(field) == first);
        (rank.unwrap_or(FIRST.len()), name(field).to_string())
    });
    let new = (!required.is_empty()).then(|| new(item, &required));
    let optional = item.fields.iter().filter_map(|field| Some((field, inside(&field.ty, "Option")?)));
    let setters = optional.map(|(field, ty)| setters(field, ty));
    let ident = &item.ident;
    parse_quote! {
        impl #ident { #new #(#setters)* }
    }
}

fn name(field: &Field) -> &Ident {
    field.ident.as_ref().expect("a field has a name")
}

/// The function that takes the required fields.
fn new(item: &ItemStruct, required: &[&Field]) -> TokenStream {
    let arguments = required.iter().map(|field| {
        let (name, ty) = (name(field), argument(&field.ty));
        quote!(#name: #ty)
    });
    let values = item.fields.iter().map(|field| {
        let name = name(field);
        if inside(&field.ty, "Option").is_some() {
            quote!(#name: ::std::option::Option::None)
        } else {
            let value = converted(&field.ty, name);
            quote!(#name: #value)
        }
    });
    let docs = document("Takes the required fields.");
    quote! {
        #docs
        pub fn new(#(#arguments),*) -> Self {
            Self { #(#values),* }
        }
    }
}

/// The setter of an optional field; for a field of a patch that can be null, also the method that sets null.
fn setters(field: &Field, ty: &Type) -> TokenStream {
    let name = name(field);
    let docs = document(&documentation(&field.attrs));
    let nullable = inside(ty, "Nullable");
    let inner = nullable.unwrap_or(ty);
    let (argument, value) = (argument(inner), converted(inner, name));
    let value = if nullable.is_some() { quote!(::itinerary_sdk::Nullable::Value(#value)) } else { value };
    let clear = nullable.is_some().then(|| {
        let clear = format_ident!("clear_{}", name.to_string().trim_start_matches("r#"));
        let docs = document(&format!("Sets `{name}` to null, which clears the field."));
        quote! {
            #docs
            #[must_use]
            pub fn #clear(mut self) -> Self {
                self.#name = ::std::option::Option::Some(::itinerary_sdk::Nullable::Null);
                self
            }
        }
    });
    quote! {
        #docs
        #[must_use]
        pub fn #name(mut self, #name: #argument) -> Self {
            self.#name = ::std::option::Option::Some(#value);
            self
        }
        #clear
    }
}

/// The type of an argument for a field.
fn argument(ty: &Type) -> TokenStream {
    match inside(ty, "Vec") {
        Some(item) if needs_conversion(item) => quote!(impl ::std::iter::IntoIterator<Item = impl Into<#item>>),
        Some(item) => quote!(impl ::std::iter::IntoIterator<Item = #item>),
        None if needs_conversion(ty) => quote!(impl Into<#ty>),
        None => quote!(#ty),
    }
}

/// The value of a field from such an argument.
fn converted(ty: &Type, name: &Ident) -> TokenStream {
    match inside(ty, "Vec") {
        Some(item) if needs_conversion(item) => quote!(#name.into_iter().map(Into::into).collect()),
        Some(_) => quote!(#name.into_iter().collect()),
        None if needs_conversion(ty) => quote!(#name.into()),
        None => quote!(#name),
    }
}

#[cfg(test)]
mod tests {
    use super::super::rust::tests::assert_contains;
    use super::*;

    fn file() -> File {
        parse_quote! {
            mod types {
                pub struct StopInput {
                    /// The start time.
                    pub start_time: ::std::option::Option<::std::string::String>,
                    pub place: PlaceInput,
                    pub name: ::std::string::String,
                    pub tags: ::std::option::Option<::std::vec::Vec<::std::string::String>>,
                }
                impl StopInput { pub fn builder() -> builder::StopInput { Default::default() } }
                pub struct PlaceInput { pub height: ::std::option::Option<i32> }
                pub struct StopPatch { pub name: ::std::option::Option<::itinerary_sdk::Nullable<::std::string::String>> }
                pub struct Stop { pub name: ::std::string::String }
                pub mod builder { pub struct StopInput { } }
            }
        }
    }

    #[test]
    fn types_have_no_builders() {
        let mut file = file();
        remove_builders(&mut file);
        let text = prettyplease::unparse(&file);
        assert!(!text.contains("builder") && text.contains("pub struct StopInput"), "{text}");
    }

    #[test]
    fn required_fields_are_arguments_and_the_others_setters() {
        let mut file = file();
        add_setters(&mut file, vec!["StopInput".to_owned()]);
        let text = prettyplease::unparse(&file);
        let expected = [
            "pub fn new( name: impl Into<::std::string::String>, place: impl Into<PlaceInput>, ) -> Self",
            "Self { start_time: ::std::option::Option::None, place: place.into(), name: name.into(), tags:",
            "///The start time.\n#[must_use] pub fn start_time(",
            "mut self, start_time: impl Into<::std::string::String>, ) -> Self",
            "tags: impl ::std::iter::IntoIterator< Item = impl Into<::std::string::String>, >",
            "pub fn height(mut self, height: i32) -> Self",
        ];
        assert_contains(&text, &expected);
        assert!(!text.contains("impl Stop {") && !text.contains("impl StopPatch {"), "no request contains them");
    }

    #[test]
    fn a_nullable_field_is_set_or_cleared() {
        let mut file = file();
        add_setters(&mut file, vec!["StopPatch".to_owned()]);
        let text = prettyplease::unparse(&file);
        let expected = [
            "Some(::itinerary_sdk::Nullable::Value(name.into()))",
            "pub fn clear_name(mut self)",
            "Some(::itinerary_sdk::Nullable::Null)",
        ];
        assert_contains(&text, &expected);
        assert!(!text.contains("fn new("), "it has no required fields");
    }
}
