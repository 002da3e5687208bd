//! The attribute `#[api_test]`, which runs an integration test on each database.
//!
//! It only generates functions; what they call is in `itinerary_tests::cases`.

use proc_macro::TokenStream;
use proc_macro2::{Ident, TokenStream as Tokens};
use quote::{ToTokens as _, format_ident, quote};
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Error, Expr, FnArg, ItemFn, Result, Token, Type, parse_macro_input};

/// Runs an async function as a test on SQLite and on PostgreSQL, as the tests `name::sqlite` and `name::postgres`.
///
/// The function takes a `World`, a server with its own database, or a `Database` to start one itself. Arguments of the
/// attribute:
///
/// - `sqlite` or `postgres`: runs on this database only.
/// - `field = value`: a setting of the server (a field of its `Config`). A test that takes a `Database` has none.
#[proc_macro_attribute]
pub fn api_test(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let arguments = parse_macro_input!(arguments as Arguments);
    let function = parse_macro_input!(item as ItemFn);
    expand(&arguments, &function).unwrap_or_else(Error::into_compile_error).into()
}

/// The databases, as test name and variant of `Database`.
const DATABASES: [(&str, &str); 2] = [("sqlite", "Sqlite"), ("postgres", "Postgres")];

/// The arguments of the attribute.
struct Arguments {
    /// The only database, if one is named.
    only: Option<Ident>,
    settings: Vec<(Ident, Expr)>,
}

impl Parse for Arguments {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let mut parsed = Self { only: None, settings: Vec::new() };
        for argument in Punctuated::<Argument, Token![,]>::parse_terminated(input)? {
            match argument {
                Argument { name, value: Some(value) } => parsed.settings.push((name, value)),
                Argument { name, value: None } if DATABASES.iter().any(|(test, _)| name == test) => {
                    if parsed.only.is_some() {
                        return Err(Error::new(name.span(), "without a database, the test runs on both"));
                    }
                    parsed.only = Some(name);
                }
                Argument { name, .. } => {
                    return Err(Error::new(name.span(), "expected `sqlite`, `postgres` or `setting = value`"));
                }
            }
        }
        Ok(parsed)
    }
}

struct Argument {
    name: Ident,
    value: Option<Expr>,
}

impl Parse for Argument {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let name = input.parse()?;
        let value = if input.parse::<Option<Token![=]>>()?.is_some() { Some(input.parse()?) } else { None };
        Ok(Self { name, value })
    }
}

fn expand(arguments: &Arguments, function: &ItemFn) -> Result<Tokens> {
    let name = &function.sig.ident;
    let run = match parameter(function)?.to_token_stream().to_string().as_str() {
        "World" => {
            let configure = if arguments.settings.is_empty() { quote!(|_| ()) } else { configure(&arguments.settings) };
            quote!(on_world(database, #configure, |world| ::std::boxed::Box::pin(super::#name(world))))
        }
        "Database" if arguments.settings.is_empty() => {
            quote!(on_database(database, |database| ::std::boxed::Box::pin(super::#name(database))))
        }
        "Database" => return Err(Error::new(name.span(), "only a test that takes a `World` can have settings")),
        _ => return Err(Error::new(name.span(), "an API test takes a `World` or a `Database`")),
    };
    let is_run = |test: &str| arguments.only.as_ref().is_none_or(|only| only == test);
    let tests = DATABASES.iter().filter(|(test, _)| is_run(test)).map(|(test, database)| {
        let (test, database) = (format_ident!("{test}"), format_ident!("{database}"));
        quote! {
            #[test]
            fn #test() {
                let database = ::itinerary_tests::Database::#database;
                ::itinerary_tests::cases::#run;
            }
        }
    });
    Ok(quote! {
        mod #name {
            #(#tests)*
        }
        #function
    })
}

/// A closure that changes these settings.
fn configure(settings: &[(Ident, Expr)]) -> Tokens {
    let (fields, values): (Vec<_>, Vec<_>) = settings.iter().map(|(field, value)| (field, value)).unzip();
    quote!(|config| { #(config.#fields = #values;)* })
}

/// The type of the only parameter.
fn parameter(function: &ItemFn) -> Result<&Type> {
    let mut inputs = function.sig.inputs.iter();
    match (function.sig.asyncness, inputs.next(), inputs.next()) {
        (Some(_), Some(FnArg::Typed(parameter)), None) => Ok(&parameter.ty),
        _ => Err(Error::new(function.sig.ident.span(), "an API test is an async function with one parameter")),
    }
}
