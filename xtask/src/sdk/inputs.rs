//! Conversions from response types to request types, such as `From<Stop> for StopInput`, so that a value that was read can
//! be changed and sent back. Generated from the fields of the generated types.

use std::collections::BTreeMap;

use quote::quote;
use syn::{Expr, FieldValue, File, GenericArgument, Item, ItemStruct, PathArguments, Type, parse_quote};

/// Adds a conversion for each pair of types.
pub(super) fn convert_responses(file: &mut File) {
    let types = file.items.iter_mut().find_map(|item| match item {
        Item::Mod(module) if module.ident == "types" => module.content.as_mut().map(|(_, items)| items),
        _ => None,
    });
    let Some(types) = types else { return };
    let structs: BTreeMap<_, _> = types.iter().filter_map(named).collect();
    let pairs = structs.iter().filter_map(|(name, input)| Some((structs.get(name.strip_suffix("Input")?)?, input)));
    let conversions: Vec<Item> =
        pairs.flat_map(|(response, input)| [conversion(response, input), by_reference(response, input)]).collect();
    types.extend(conversions);
}

fn named(item: &Item) -> Option<(String, ItemStruct)> {
    let Item::Struct(item) = item else { return None };
    Some((item.ident.to_string(), item.clone()))
}

fn conversion(response: &ItemStruct, input: &ItemStruct) -> Item {
    let (from, to) = (&response.ident, &input.ident);
    let fields = input.fields.iter().map(|field| -> FieldValue {
        let name = field.ident.as_ref().expect("a field has a name");
        let read = response.fields.iter().find(|field| field.ident.as_ref() == Some(name));
        let read = read.unwrap_or_else(|| panic!("{from} has no {name}"));
        let value = convert(&read.ty, &field.ty, parse_quote!(answer.#name));
        parse_quote!(#name: #value)
    });
    parse_quote! {
        impl ::std::convert::From<#from> for #to {
            fn from(answer: #from) -> Self {
                Self { #(#fields),* }
            }
        }
    }
}

/// The same conversion from a reference, for a value that is used afterwards.
fn by_reference(response: &ItemStruct, input: &ItemStruct) -> Item {
    let (from, to) = (&response.ident, &input.ident);
    parse_quote! {
        impl ::std::convert::From<&#from> for #to {
            fn from(answer: &#from) -> Self {
                answer.clone().into()
            }
        }
    }
}

/// `value` of the type `from` as one of the type `to`.
fn convert(from: &Type, to: &Type, value: Expr) -> Expr {
    if quote!(#from).to_string() == quote!(#to).to_string() {
        return value;
    }
    match (inside(from, "Option"), inside(to, "Option"), inside(from, "Vec"), inside(to, "Vec")) {
        (Some(from), Some(to), ..) => {
            let inner = convert(from, to, parse_quote!(value));
            parse_quote!(#value.map(|value| #inner))
        }
        (None, Some(to), ..) => {
            let inner = convert(from, to, value);
            parse_quote!(::std::option::Option::Some(#inner))
        }
        (_, _, Some(_), Some(_)) => parse_quote!(#value.into_iter().map(::std::convert::Into::into).collect()),
        _ => parse_quote!(#value.into()),
    }
}

/// The first generic argument of a type of this name.
pub(super) fn inside<'a>(ty: &'a Type, name: &str) -> Option<&'a Type> {
    arguments(ty, name).next()
}

/// The generic arguments of a type of this name.
pub(super) fn arguments<'a>(ty: &'a Type, name: &str) -> impl Iterator<Item = &'a Type> {
    let last = match ty {
        Type::Path(path) => path.path.segments.last().filter(|segment| segment.ident == name),
        _ => None,
    };
    let arguments = last.and_then(|last| match &last.arguments {
        PathArguments::AngleBracketed(arguments) => Some(&arguments.args),
        _ => None,
    });
    arguments.into_iter().flatten().filter_map(|argument| match argument {
        GenericArgument::Type(ty) => Some(ty),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_response_becomes_a_request_field_by_field() {
        let mut file: File = parse_quote! {
            mod types {
                struct Stop { id: String, note: Option<String> }
                struct StopInput { id: Option<String>, note: Option<String> }
                struct Day { stops: Vec<Stop>, image: Option<Image>, first: Stop }
                struct DayInput { stops: Option<Vec<StopInput>>, image: Option<ImageInput>, first: StopInput }
                struct TokenInput { token: String }
            }
        };
        convert_responses(&mut file);
        let text = prettyplease::unparse(&file);
        for expected in [
            "impl ::std::convert::From<Stop> for StopInput",
            "impl ::std::convert::From<&Stop> for StopInput",
            "answer.clone().into()",
            "id: ::std::option::Option::Some(answer.id)",
            "note: answer.note",
            "impl ::std::convert::From<Day> for DayInput",
            "answer.stops.into_iter().map(::std::convert::Into::into).collect(),",
            "image: answer.image.map(|value| value.into())",
            "first: answer.first.into()",
        ] {
            assert!(text.contains(expected), "{expected} is not in {text}");
        }
        assert!(!text.contains("for TokenInput"));
    }
}
