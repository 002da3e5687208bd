//! Adds attributes to the generated code that the generator's settings cannot produce.

use syn::{Field, File, Item, Type, parse_quote};

use super::inputs::inside;

/// Reads null in a patch as null. By default, serde reads null as
/// an absent field, because it is the `None` of the outer `Option`.
pub(super) fn tell_null_from_absent(file: &mut File) {
    each_field(&mut file.items, &mut |field| {
        if is_nullable(&field.ty) {
            field.attrs.push(parse_quote!(#[serde(default, deserialize_with = "crate::nullable::present")]));
        }
    });
}

/// Whether it is `Option<Nullable<…>>`.
fn is_nullable(ty: &Type) -> bool {
    inside(ty, "Option").and_then(|inner| inside(inner, "Nullable")).is_some()
}

/// Visits the fields of the types in the module `types`; those of its builders are not read from JSON.
fn each_field(items: &mut [Item], visit: &mut impl FnMut(&mut Field)) {
    let types = items.iter_mut().filter_map(|item| match item {
        Item::Mod(module) if module.ident == "types" => module.content.as_mut(),
        _ => None,
    });
    for item in types.flat_map(|(_, items)| items) {
        if let Item::Struct(item) = item {
            item.fields.iter_mut().for_each(&mut *visit);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nullable_fields_are_read_by_hand() {
        let mut file: File = parse_quote! {
            mod types {
                struct LegPatch { note: Option<::itinerary_sdk::Nullable<String>>, mode: Option<String> }
                mod builder { struct LegPatch { note: Option<Nullable<String>> } }
            }
        };
        tell_null_from_absent(&mut file);
        let expected: File = parse_quote! {
            mod types {
                struct LegPatch {
                    #[serde(default, deserialize_with = "crate::nullable::present")]
                    note: Option<::itinerary_sdk::Nullable<String>>,
                    mode: Option<String>
                }
                mod builder { struct LegPatch { note: Option<Nullable<String>> } }
            }
        };
        assert_eq!(prettyplease::unparse(&file), prettyplease::unparse(&expected));
    }
}
