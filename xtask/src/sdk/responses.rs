//! How a builder reads the response: progenitor's code with one arm for all documented errors, and with the SDK's error.

use quote::{ToTokens, quote};
use syn::{Arm, Block, Expr, ExprMatch, ImplItemFn, Pat, ReturnType, Stmt, Type, parse_quote};

use super::inputs::{arguments, inside};

/// What an operation returns.
pub(super) struct Results {
    pub(super) value: Type,
    pub(super) error: Type,
}

/// The types in progenitor's `fn send(self) -> Result<ResponseValue<T>, Error<E>>`.
pub(super) fn results(send: &ImplItemFn) -> Results {
    let ReturnType::Type(_, output) = &send.sig.output else { panic!("sending returns a result") };
    let results = arguments(output, "Result").collect::<Vec<_>>();
    let [value, error] = results[..] else { panic!("a result has two types") };
    let value = inside(value, "ResponseValue").expect("a response has a value").clone();
    let error = inside(error, "Error").expect("an error has a body").clone();
    Results { value, error }
}

/// Converts the error of the block's last expression, which reads the response.
pub(super) fn convert(mut block: Block, value: &Type, error: &Type) -> Block {
    let Some(Stmt::Expr(Expr::Match(response), None)) = block.stmts.pop() else {
        panic!("sending ends with a match of the status")
    };
    let response = join_arms(response);
    block.stmts.push(parse_quote! {
        let answer: Result<ResponseValue<#value>, Error<#error>> = #response;
    });
    block.stmts.push(Stmt::Expr(parse_quote!(Ok(answer?)), None));
    block
}

/// Joins the arms that have the same body.
fn join_arms(mut response: ExprMatch) -> ExprMatch {
    let mut joined: Vec<Arm> = Vec::new();
    for arm in response.arms {
        let body = arm.body.to_token_stream().to_string();
        let same = joined.iter_mut().find(|other| other.body.to_token_stream().to_string() == body);
        match same.filter(|_| !matches!(arm.pat, Pat::Wild(_))) {
            Some(other) => {
                let (first, second) = (&other.pat, &arm.pat);
                let pattern = quote!(#first | #second);
                let alternatives: Arm = parse_quote!(#pattern => ());
                other.pat = alternatives.pat;
            }
            None => joined.push(arm),
        }
    }
    response.arms = joined;
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arms_with_the_same_body_are_one() {
        let response = parse_quote! {
            match status {
                200u16 => read(response),
                401u16 => { Err(response) }
                404u16 => { Err(response) }
                429u16 => { Err(response) }
                _ => Err(unexpected(response)),
            }
        };
        let expected: ExprMatch = parse_quote! {
            match status {
                200u16 => read(response),
                401u16 | 404u16 | 429u16 => { Err(response) }
                _ => Err(unexpected(response)),
            }
        };
        assert_eq!(join_arms(response).to_token_stream().to_string(), expected.to_token_stream().to_string());
    }
}
