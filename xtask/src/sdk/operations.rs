//! The shape of operations: `client.stop_remove(id, day, stop, etag).send()`. Required parameters are arguments of the
//! client's method, so that a forgotten one does not compile; optional ones are setters.
//!
//! progenitor's methods take no arguments, and its builders notice a missing or invalid value when they send. This replaces
//! both, and keeps how progenitor makes a request and reads the response.

use std::collections::BTreeMap;

use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};
use serde_json::Value;
use syn::{Block, File, Ident, ImplItem, ImplItemFn, Item, ItemImpl, ItemStruct, Stmt, Type, parse_quote};

use super::access;
use super::derived::operations;
use super::inputs::inside;
use super::responses::{self, Results};
use super::rust::{document, documentation, module, needs_conversion};

/// What the document says about an operation, beyond what progenitor's code does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Facts {
    /// Whether a success has an `ETag`.
    pub(super) has_etag: bool,
    /// Whether the request may have no body.
    pub(super) may_lack_body: bool,
    /// Paragraphs about the scope that a token needs, and about the errors.
    pub(super) access: String,
}

/// The argument for `If-Match`, which is a version in the SDK.
const VERSION: &str = "The version that the write is based on: by reference, what was read or written last, such as the \
    itinerary or one of its lists; or the text of an `ETag`; or `IfMatch::any()`. If the itinerary has another version, the \
    request fails with [`ITINERARY_MODIFIED`](crate::code::ITINERARY_MODIFIED).";

/// Changes all operations, and takes their examples from `samples`. Returns the names of the types of their bodies.
pub(super) fn reshape(
    file: &mut File,
    facts: &BTreeMap<String, Facts>,
    samples: &mut BTreeMap<String, String>,
) -> Vec<String> {
    let mut requests = BTreeMap::new();
    let types = structs(module(file, "types"));
    let builders = module(file, "builder");
    for item in builders.iter_mut() {
        if let Item::Struct(item) = item {
            let facts = facts.get(&item.ident.to_string()).cloned().unwrap_or_default();
            let request = Request::new(item, facts, &types);
            item.fields = request.fields();
            item.attrs.push(parse_quote!(#[must_use = "a request is sent by one of its methods"]));
            let name = std::mem::replace(&mut item.ident, request.type_name());
            requests.insert(name.to_string(), request);
        }
    }
    let mut descriptions = BTreeMap::new();
    for item in &mut file.items {
        if let Item::Impl(item) = item
            && item.trait_.is_none()
        {
            item.items.iter_mut().filter_map(function).for_each(|method| {
                let Some(request) = requests.values().find(|request| request.is_made_by(method)) else { return };
                let sample = samples.remove(&method.sig.ident.to_string());
                descriptions.insert(request.name.to_string(), Description::of(method, sample));
                *method = request.method(&descriptions[&request.name.to_string()], method);
            });
        }
    }
    for item in module(file, "builder").iter_mut() {
        if let Item::Impl(item) = item
            && let Type::Path(path) = &*item.self_ty
            && let Some(name) = path.path.segments.last().map(|name| name.ident.to_string())
            && let (Some(request), Some(description)) = (requests.get(&name), descriptions.get(&name))
        {
            request.rewrite(item, description);
        }
    }
    requests.values().filter_map(Request::body_name).collect()
}

/// Adds the samples of operations that are written by hand, or that the SDK does not have, so that they are compiled.
pub(super) fn add_samples(file: &mut File, samples: BTreeMap<String, String>) {
    file.items.extend(samples.into_iter().map(|(operation, sample)| -> Item {
        let (docs, name) = (document(&sample), format_ident!("{}", builder_name(&operation)));
        parse_quote! {
            #[cfg(doctest)]
            #docs
            struct #name;
        }
    }));
}

/// The structs of a module, by name.
fn structs(items: &[Item]) -> BTreeMap<String, ItemStruct> {
    let structs = items.iter().filter_map(|item| match item {
        Item::Struct(item) => Some((item.ident.to_string(), item.clone())),
        _ => None,
    });
    structs.collect()
}

fn function(item: &mut ImplItem) -> Option<&mut ImplItemFn> {
    match item {
        ImplItem::Fn(function) => Some(function),
        _ => None,
    }
}

/// One parameter of an operation, or its body.
struct Parameter {
    name: Ident,
    /// The type of its values.
    ty: Type,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Required,
    Optional,
    /// A body that may be absent: all its fields are optional.
    Defaulted,
}

/// One operation's builder.
struct Request {
    name: Ident,
    parameters: Vec<Parameter>,
    facts: Facts,
    /// Where a dry run is asked for.
    dry_run: Option<TokenStream>,
}

impl Request {
    fn new(builder: &ItemStruct, facts: Facts, types: &BTreeMap<String, ItemStruct>) -> Self {
        let fields = builder.fields.iter().filter(|field| field.ident.as_ref().is_some_and(|name| name != "client"));
        let parameters: Vec<_> = fields
            .map(|field| {
                let name = field.ident.clone().expect("a field has a name");
                parameter(name, inside(&field.ty, "Result").expect("a builder's field is a result"), &facts)
            })
            .collect();
        let name = builder.ident.clone();
        let mut request = Self { name, parameters, facts, dry_run: None };
        request.dry_run = request.dry_run(types);
        request
    }

    fn dry_run(&self, types: &BTreeMap<String, ItemStruct>) -> Option<TokenStream> {
        let body = self.body_name().and_then(|name| types.get(&name));
        let is_dry_run = |name: &Ident| name == "dry_run";
        if self.parameters.iter().any(|parameter| is_dry_run(&parameter.name)) {
            Some(quote!(self.dry_run))
        } else if body.is_some_and(|body| body.fields.iter().any(|field| field.ident.as_ref().is_some_and(is_dry_run)))
        {
            Some(quote!(self.body.dry_run))
        } else {
            None
        }
    }

    /// The type of the body, if the document defines it.
    fn body_name(&self) -> Option<String> {
        let body = self.parameters.iter().find(|parameter| parameter.name == "body")?;
        let Type::Path(path) = &body.ty else { return None };
        let is_ours = path.path.segments.first().is_some_and(|first| first.ident == "types");
        path.path.segments.last().filter(|_| is_ours).map(|name| name.ident.to_string())
    }

    fn required(&self) -> impl Iterator<Item = &Parameter> {
        self.parameters.iter().filter(|parameter| parameter.kind == Kind::Required)
    }

    fn fields(&self) -> syn::Fields {
        let fields = self.parameters.iter().map(|Parameter { name, ty, kind }| match kind {
            Kind::Optional => quote!(#name: Option<#ty>),
            Kind::Required | Kind::Defaulted => quote!(#name: #ty),
        });
        syn::Fields::Named(parse_quote!({ client: &'a super::Client, #(#fields),* }))
    }

    /// The builder's name in the SDK. progenitor's is that of a body: `ItineraryCreate`.
    fn type_name(&self) -> Ident {
        format_ident!("{}Request", self.name)
    }

    /// Whether a method of the client returns this builder.
    fn is_made_by(&self, method: &ImplItemFn) -> bool {
        let output = method.sig.output.to_token_stream().to_string().replace(' ', "");
        output == format!("->builder::{}<'_>", self.name)
    }

    /// The client's method.
    fn method(&self, description: &Description, method: &ImplItemFn) -> ImplItemFn {
        let (builder, name) = (self.type_name(), &method.sig.ident);
        let arguments =
            self.required().map(
                |Parameter { name, ty, .. }| {
                    if needs_conversion(ty) { quote!(#name: impl Into<#ty>) } else { quote!(#name: #ty) }
                },
            );
        let values = self.required().map(
            |Parameter { name, ty, .. }| {
                if needs_conversion(ty) { quote!(#name.into()) } else { quote!(#name) }
            },
        );
        let docs = document(&description.of_operation(self));
        parse_quote! {
            #docs
            pub fn #name(&self, #(#arguments),*) -> builder::#builder<'_> {
                builder::#builder::new(self, #(#values),*)
            }
        }
    }

    /// Replaces the builder's methods.
    fn rewrite(&self, item: &mut ItemImpl, description: &Description) {
        let sent = item.items.iter_mut().filter_map(function).find(|method| method.sig.ident == "send");
        let sent = sent.expect("a builder sends").clone();
        let mut items = vec![ImplItem::Fn(self.constructor())];
        let setters = self.parameters.iter().filter(|parameter| parameter.kind != Kind::Required);
        // `send_dry_run` sets it.
        let setters = setters.filter(|parameter| parameter.name != "dry_run");
        items.extend(setters.map(|parameter| ImplItem::Fn(setter(parameter, description))));
        items.extend(self.sending(&sent).into_iter().map(ImplItem::Fn));
        item.items = items;
        let name = self.type_name();
        item.self_ty = parse_quote!(#name<'a>);
    }

    fn constructor(&self) -> ImplItemFn {
        let arguments = self.required().map(|Parameter { name, ty, .. }| quote!(#name: #ty));
        let values = self.parameters.iter().map(|Parameter { name, kind, .. }| match kind {
            Kind::Required => quote!(#name),
            Kind::Optional => quote!(#name: None),
            Kind::Defaulted => quote!(#name: ::std::default::Default::default()),
        });
        parse_quote! {
            pub(super) fn new(client: &'a super::Client, #(#arguments),*) -> Self {
                Self { client, #(#values),* }
            }
        }
    }

    /// `send`, `send_raw` and `send_dry_run`.
    fn sending(&self, progenitors: &ImplItemFn) -> Vec<ImplItemFn> {
        let Results { value, error } = responses::results(progenitors);
        let (attributes, block) = (&progenitors.attrs, sending_block(&progenitors.block));
        let block = responses::convert(block, &value, &error);
        let mut methods: Vec<ImplItemFn> = Vec::new();
        methods.push(if self.facts.has_etag {
            parse_quote! {
                #(#attributes)*
                ///
                /// Returns the value with its version.
                pub async fn send(self) -> Result<crate::Versioned<#value>, crate::Error<#error>> {
                    self.send_raw().await?.try_into()
                }
            }
        } else {
            parse_quote! {
                #(#attributes)*
                pub async fn send(self) -> Result<#value, crate::Error<#error>> {
                    Ok(self.send_raw().await?.into_inner())
                }
            }
        });
        if let Some(field) = &self.dry_run {
            methods.push(parse_quote! {
                /// Sends the request as a dry run, which stores nothing. The value has no version.
                pub async fn send_dry_run(mut self) -> Result<#value, crate::Error<#error>> {
                    #field = Some(true);
                    Ok(self.send_raw().await?.into_inner())
                }
            });
        }
        methods.push(parse_quote! {
            /// Sends the request like `send`, and returns the value with the response's status and headers.
            pub async fn send_raw(self) -> Result<ResponseValue<#value>, crate::Error<#error>> #block
        });
        methods
    }
}

/// A parameter from the type that progenitor's builder has for it.
fn parameter(name: Ident, ty: &Type, facts: &Facts) -> Parameter {
    if let Some(inner) = inside(ty, "Option") {
        return Parameter { ty: by_hand(&name, inner), name, kind: Kind::Optional };
    }
    let (mut ty, mut kind) = (ty.clone(), Kind::Required);
    if name == "if_match" {
        ty = parse_quote!(crate::IfMatch);
    }
    if name == "body"
        && let Type::Path(path) = &mut ty
        && path.path.segments.iter().any(|segment| segment.ident == "builder")
    {
        let body = &path.path.segments.last().expect("a path has segments").ident;
        ty = parse_quote!(types::#body);
        if facts.may_lack_body {
            kind = Kind::Defaulted;
        }
    }
    Parameter { name, ty, kind }
}

/// The hand-written type of an optional parameter, or progenitor's. Times are taken as text too, as in bodies.
fn by_hand(name: &Ident, ty: &Type) -> Type {
    if inside(ty, "DateTime").is_some() {
        parse_quote!(crate::TimeInput)
    } else if name == "regions" {
        parse_quote!(crate::Regions)
    } else {
        ty.clone()
    }
}

fn setter(Parameter { name, ty, kind }: &Parameter, description: &Description) -> ImplItemFn {
    let docs = document(description.of_parameter(name));
    let argument = if needs_conversion(ty) { quote!(impl Into<#ty>) } else { quote!(#ty) };
    let value = if needs_conversion(ty) { quote!(#name.into()) } else { quote!(#name) };
    let value = if *kind == Kind::Optional { quote!(Some(#value)) } else { value };
    parse_quote! {
        #docs
        pub fn #name(mut self, #name: #argument) -> Self {
            self.#name = #value;
            self
        }
    }
}

/// progenitor's code without its checks for missing and invalid values.
fn sending_block(block: &Block) -> Block {
    let is_check = |statement: &Stmt| {
        let text = statement.to_token_stream().to_string().replace(' ', "");
        text.starts_with("let") && text.contains(".map_err(Error::InvalidRequest)?;")
    };
    let stmts = block.stmts.iter().filter(|statement| !is_check(statement)).cloned().collect();
    Block { brace_token: block.brace_token, stmts }
}

/// The text that progenitor writes about an operation and its parameters.
struct Description {
    operation: String,
    sample: Option<String>,
    parameters: BTreeMap<String, String>,
}

impl Description {
    fn of(method: &ImplItemFn, sample: Option<String>) -> Self {
        let text = documentation(&method.attrs);
        let without_sample = text.split("```").next().unwrap_or_default().trim();
        let (operation, parameters) = without_sample.split_once("\nArguments:\n").unwrap_or((without_sample, ""));
        let parameters = parameters.split("\n- `").filter_map(|line| {
            let (name, text) = line.trim_start_matches("- `").split_once('`')?;
            Some((name.to_owned(), text.trim_start_matches(':').trim().to_owned()))
        });
        Self { operation: operation.trim().to_owned(), sample, parameters: parameters.collect() }
    }

    /// The operation, what it needs and how it fails, its arguments that have a description, and its example.
    fn of_operation(&self, request: &Request) -> String {
        let described = request.required().filter_map(|Parameter { name, .. }| {
            let text = if name == "if_match" { VERSION } else { self.parameters.get(&name.to_string())? };
            (!text.is_empty()).then(|| format!("- `{name}`: {text}"))
        });
        let arguments = described.collect::<Vec<_>>().join("\n");
        let sample = self.sample.as_deref().unwrap_or_default();
        let paragraphs = [&*self.operation, &*request.facts.access, &*arguments, sample];
        paragraphs.into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n\n")
    }

    fn of_parameter(&self, name: &Ident) -> &str {
        let text = self.parameters.get(&name.to_string()).map(String::as_str);
        text.filter(|text| !text.is_empty()).unwrap_or("Sets the body.")
    }
}

/// The builder of an operation: its id in Pascal case.
fn builder_name(operation: &str) -> String {
    operation.split('_').map(|word| word[..1].to_ascii_uppercase() + &word[1..]).collect()
}

/// What the document says about its operations, by the names of their builders.
pub(super) fn facts(document: &mut Value) -> BTreeMap<String, Facts> {
    let shared = document["components"]["responses"].clone();
    let facts = operations(document).filter_map(|operation| {
        let responses = operation["responses"].as_object().into_iter().flatten();
        let mut successes = responses.filter(|(status, _)| status.starts_with('2'));
        let has_etag = successes.any(|(_, response)| response["headers"].get("ETag").is_some());
        let may_lack_body = operation.get("requestBody").is_some_and(|body| body["required"] != true);
        let access = access::describe(operation, &shared);
        Some((builder_name(operation["operationId"].as_str()?), Facts { has_etag, may_lack_body, access }))
    });
    facts.collect()
}

#[cfg(test)]
mod tests;
