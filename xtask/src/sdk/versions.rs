//! `send_versioned` beside `send`, in the builders of the operations whose response has an `ETag`.

use std::collections::BTreeSet;

use serde_json::Value;
use syn::{File, ImplItem, ImplItemFn, Item, ReturnType, Type, parse_quote};

use super::derived::operations;
use super::inputs::inside;

/// The names of the builders of these operations.
pub(super) fn versioned_builders(document: &mut Value) -> BTreeSet<String> {
    let has_etag = |operation: &Value| {
        let responses = operation["responses"].as_object().into_iter().flatten();
        responses.filter(|(status, _)| status.starts_with('2')).any(|(_, response)| {
            response["headers"].get("ETag").is_some() && response.pointer("/content/application~1json").is_some()
        })
    };
    let with_etag = operations(document).filter(|operation| has_etag(operation));
    with_etag.filter_map(|operation| operation["operationId"].as_str().map(pascal_case)).collect()
}

fn pascal_case(name: &str) -> String {
    name.split('_').map(|word| word[..1].to_ascii_uppercase() + &word[1..]).collect()
}

/// Adds the method to these builders.
pub(super) fn send_versioned(file: &mut File, builders: &BTreeSet<String>) {
    let module = file.items.iter_mut().find_map(|item| match item {
        Item::Mod(module) if module.ident == "builder" => module.content.as_mut().map(|(_, items)| items),
        _ => None,
    });
    for item in module.into_iter().flatten() {
        let Item::Impl(item) = item else { continue };
        let Type::Path(name) = &*item.self_ty else { continue };
        let is_versioned = name.path.segments.last().is_some_and(|name| builders.contains(&name.ident.to_string()));
        let value = item.items.iter().find_map(value_of_send).filter(|_| is_versioned).cloned();
        if let Some(value) = value {
            item.items.push(parse_quote! {
                /// Sends the request like `send`, and returns the value with its version. Fails if the response has none,
                /// like that of a dry run.
                pub async fn send_versioned(self) -> Result<crate::Versioned<#value>, Error<types::ApiError>> {
                    self.send().await?.try_into()
                }
            });
        }
    }
}

/// `T` of `fn send(self) -> Result<ResponseValue<T>, …>`.
fn value_of_send(item: &ImplItem) -> Option<&Type> {
    let ImplItem::Fn(ImplItemFn { sig, .. }) = item else { return None };
    let ReturnType::Type(_, result) = &sig.output else { return None };
    inside(result, "Result").and_then(|result| inside(result, "ResponseValue")).filter(|_| sig.ident == "send")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_operations_with_an_etag_send_versioned() {
        let json = json!({ "application/json": {} });
        let mut document = json!({ "paths": { "/a": {
            "get": { "operationId": "day_list", "responses": { "200": { "headers": { "ETag": {} }, "content": json } } },
            "post": { "operationId": "mark_set", "responses": { "200": { "headers": {}, "content": json } } },
            "delete": { "operationId": "day_delete", "responses": { "204": { "headers": { "ETag": {} } } } },
        } } });
        let builders = versioned_builders(&mut document);
        assert_eq!(builders, BTreeSet::from(["DayList".to_owned()]));
        let mut file: File = parse_quote! {
            mod builder {
                impl<'a> DayList<'a> {
                    pub async fn send(self) -> Result<ResponseValue<types::DayList>, Error<types::ApiError>> {}
                }
                impl<'a> MarkSet<'a> {
                    pub async fn send(self) -> Result<ResponseValue<types::Marks>, Error<types::ApiError>> {}
                }
            }
        };
        send_versioned(&mut file, &builders);
        let text = prettyplease::unparse(&file);
        assert!(text.contains("crate::Versioned<types::DayList>") && text.matches("fn send_versioned").count() == 1);
    }
}
