use serde_json::json;

use super::super::rust::tests::assert_contains;
use super::*;

/// What progenitor generates, shortened.
fn file() -> File {
    parse_quote! {
        mod types {
            pub struct StopMove { pub position: Option<i32> }
            pub struct OptimiseRequest { pub dry_run: Option<bool> }
        }
        impl Client {
    #[doc = "Move a stop\n\nMoves it.\n\nArguments:\n- `day_id`: The day.\n- `limit`: The largest number.\n- `body`\n```ignore\nclient.stop_move()\n```"]
    pub fn stop_move(&self) -> builder::StopMove<'_> { builder::StopMove::new(self) }
            pub fn day_optimise(&self) -> builder::DayOptimise<'_> { builder::DayOptimise::new(self) }
        }
        mod builder {
            #[derive(Debug, Clone)]
            pub struct StopMove<'a> {
                client: &'a super::Client,
                id: Result<::uuid::Uuid, String>,
                day_id: Result<::std::string::String, String>,
                limit: Result<Option<i32>, String>,
                since: Result<Option<::chrono::DateTime<::chrono::FixedOffset>>, String>,
                regions: Result<Option<::std::string::String>, String>,
                if_match: Result<::std::string::String, String>,
                body: Result<types::builder::StopMove, String>,
            }
            impl<'a> StopMove<'a> {
                pub fn new(client: &'a super::Client) -> Self { todo!() }
                pub fn id<V>(mut self, value: V) -> Self { todo!() }
                /// Sends it.
                pub async fn send(self) -> Result<ResponseValue<types::Itinerary>, Error<types::ErrorEnvelope>> {
                    let Self { client, id, day_id, limit, since, regions, if_match, body } = self;
                    let id = id.map_err(Error::InvalidRequest)?;
                    let body = body
                        .and_then(|v| types::StopMove::try_from(v).map_err(|e| e.to_string()))
                        .map_err(Error::InvalidRequest)?;
                    let response = client.exec(request, &info).await?;
                    match response.status().as_u16() {
                        200u16 => ResponseValue::from_response(response).await,
                        _ => Err(Error::UnexpectedResponse(response)),
                    }
                }
            }
            pub struct DayOptimise<'a> {
                client: &'a super::Client,
                body: Result<types::builder::OptimiseRequest, String>,
            }
            impl<'a> DayOptimise<'a> {
                pub async fn send(self) -> Result<ResponseValue<types::Optimisation>, Error<types::ErrorEnvelope>> {
                    match response.status().as_u16() {
                        _ => Err(Error::UnexpectedResponse(response)),
                    }
                }
            }
        }
    }
}

fn reshaped() -> (String, Vec<String>) {
    let facts = [
        ("StopMove", Facts { has_etag: true, may_lack_body: false, access: "Needs a token.".to_owned() }),
        ("DayOptimise", Facts { may_lack_body: true, ..Facts::default() }),
    ];
    let mut file = file();
    let facts = facts.map(|(name, facts)| (name.to_owned(), facts)).into();
    let mut samples =
        ["stop_move", "document_upload"].map(|name| (name.to_owned(), format!("```no_run\n{name}\n```"))).into();
    let bodies = reshape(&mut file, &facts, &mut samples);
    add_samples(&mut file, samples);
    (prettyplease::unparse(&file), bodies)
}

#[test]
fn required_parameters_are_arguments_and_the_others_setters() {
    let (text, bodies) = reshaped();
    assert_contains(
        &text,
        &[
            "pub fn stop_move( &self, id: ::uuid::Uuid, day_id: impl Into<::std::string::String>, \
             if_match: impl Into<crate::IfMatch>, body: impl Into<types::StopMove>, ) -> builder::StopMoveRequest<'_>",
            "builder::StopMoveRequest::new(self, id, day_id.into(), if_match.into(), body.into())",
            "limit: Option<i32>, since: Option<crate::TimeInput>, regions: Option<crate::Regions>, if_match: \
             crate::IfMatch, body: types::StopMove, }",
            "pub fn since(mut self, since: impl Into<crate::TimeInput>) -> Self",
            "///The largest number. pub fn limit(mut self, limit: i32) -> Self { self.limit = Some(limit); self }",
            "pub fn day_optimise(&self) -> builder::DayOptimiseRequest<'_>",
            "pub struct StopMoveRequest<'a> {",
            "impl<'a> StopMoveRequest<'a> {",
            "pub fn body(mut self, body: impl Into<types::OptimiseRequest>) -> Self",
        ],
    );
    assert!(!text.contains("pub fn id") && !text.contains("types::builder") && !text.contains("InvalidRequest"));
    assert_eq!(bodies, ["OptimiseRequest", "StopMove"]);
}

#[test]
fn an_operations_description_has_its_arguments_and_its_sample() {
    let (text, _) = reshaped();
    assert_contains(
        &text,
        &[
            "Moves it. Needs a token. - `day_id`: The day. - `if_match`: The version that the write is based on:",
            "pub fn stop_move(",
        ],
    );
    assert_contains(&text, &["```no_run stop_move ```*/ pub fn stop_move("]);
    assert!(!text.contains("ignore"), "progenitor's sample is left out");
    // Samples of other operations are kept apart, so that they are compiled.
    assert_contains(&text, &["#[cfg(doctest)] /** ```no_run document_upload ```*/ struct DocumentUpload;"]);
}

#[test]
fn sending_returns_a_version_where_there_is_one_and_a_dry_run_none() {
    let (text, _) = reshaped();
    assert_contains(
        &text,
        &[
            "pub async fn send( self, ) -> Result< crate::Versioned<types::Itinerary>, crate::Error<types::ErrorEnvelope>, >",
            "pub async fn send( self, ) -> Result<types::Optimisation, crate::Error<types::ErrorEnvelope>>",
            "self.body.dry_run = Some(true);",
            "let answer: Result< ResponseValue<types::Itinerary>, Error<types::ErrorEnvelope>, > = match",
        ],
    );
    assert_eq!(text.matches("fn send_dry_run").count(), 1, "a stop has no dry run");
}

#[test]
fn the_document_says_which_responses_have_a_version() {
    let mut document = json!({ "paths": { "/a": {
        "get": { "operationId": "day_list", "responses": { "200": { "headers": { "ETag": {} } } } },
        "post": {
            "operationId": "day_optimise", "requestBody": {},
            "responses": { "200": {}, "409": { "headers": { "ETag": {} } } },
        },
        "put": { "operationId": "day_set", "requestBody": { "required": true }, "responses": {} },
    } } });
    let access = || "Needs no access token.".to_owned();
    let expected = [
        ("DayList", Facts { has_etag: true, may_lack_body: false, access: access() }),
        ("DayOptimise", Facts { has_etag: false, may_lack_body: true, access: access() }),
        ("DaySet", Facts { access: access(), ..Facts::default() }),
    ];
    assert_eq!(facts(&mut document), expected.map(|(name, facts)| (name.to_owned(), facts)).into());
}
