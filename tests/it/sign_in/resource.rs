//! The resource of a token (RFC 8707): the whole service, or only its MCP endpoint. (T-15)

use itinerary_tests::browser::Browser;
use itinerary_tests::{World, api_test};
use reqwest::Method;

use super::{App, expect_alive, expect_ended, expect_refusal, tokens};

#[api_test]
async fn only_the_service_and_its_mcp_endpoint_can_be_named(world: World) {
    let app = App::public(&world).await;
    let browser = Browser::signed_up(&world, "ana").await;
    let base = &world.base_url;
    for other in [
        "https://other.example".to_owned(),
        format!("{base}/v1"),
        format!("{base}/mcp/"),
        format!("{base}/MCP"),
        format!("{base}/mcp#fragment"),
        format!("{base}/mcp?x=1"),
        format!("{base}.evil.example"),
        "mcp".to_owned(),
    ] {
        let page = browser.visit(&app.authorise_with(&[("resource", &other)])).await;
        assert_eq!((page.response.status.as_u16(), page.left_for.as_ref()), (400, None), "{other}");
        page.assert_says("<code>invalid_target</code>");
        let program = world.call(Method::GET, &app.authorise_with(&[("resource", &other)]));
        expect_refusal(&program.header("Accept", "*/*").send().await, 400, "invalid_target");
        let code = app.code(&browser).await;
        expect_refusal(&app.redemption(&code, &[("resource", &other)]).send().await, 400, "invalid_target");
        let tokens = tokens(&app.redeem(&code).await);
        let refused = app.renewal(&tokens.refresh_token, &[("resource", &other)]).send().await;
        expect_refusal(&refused, 400, "invalid_target");
        app.renewed(&tokens.refresh_token).await;
    }
}

#[api_test]
async fn a_token_for_the_service_is_good_everywhere(world: World) {
    let app = App::public(&world).await;
    let browser = Browser::signed_up(&world, "ana").await;
    for resource in [String::new(), world.base_url.clone(), format!("{}/", world.base_url)] {
        let code = app.code_with(&browser, &[("resource", &resource)]).await;
        let first = tokens(&app.redemption(&code, &[("resource", &resource)]).send().await);
        expect_alive(&world, &first.access_token).await;
        let second = tokens(&app.renewal(&first.refresh_token, &[("resource", &resource)]).send().await);
        expect_alive(&world, &second.access_token).await;
    }
}

#[api_test]
async fn a_token_for_the_mcp_endpoint_is_good_nowhere_else(world: World) {
    let app = App::public(&world).await;
    let browser = Browser::signed_up(&world, "ana").await;
    let mcp = format!("{}/mcp", world.base_url);
    let code = app.code_with(&browser, &[("resource", &mcp)]).await;
    let wider = app.redemption(&code, &[("resource", &world.base_url)]).send().await;
    expect_refusal(&wider, 400, "invalid_target");
    let first = tokens(&app.redemption(&code, &[("resource", &mcp)]).send().await);
    expect_ended(&world, &first.access_token).await;
    // Without the parameter, the approved resource stays.
    let second = app.renewed(&first.refresh_token).await;
    expect_ended(&world, &second.access_token).await;
    let wider = app.renewal(&second.refresh_token, &[("resource", &world.base_url)]).send().await;
    expect_refusal(&wider, 400, "invalid_target");
}

#[api_test]
async fn a_single_token_may_be_narrowed_to_the_mcp_endpoint(world: World) {
    let app = App::public(&world).await;
    let browser = Browser::signed_up(&world, "ana").await;
    let mcp = format!("{}/mcp", world.base_url);
    let first = app.connect(&browser).await;
    let narrow = tokens(&app.renewal(&first.refresh_token, &[("resource", &mcp)]).send().await);
    expect_ended(&world, &narrow.access_token).await;
    expect_alive(&world, &first.access_token).await;
    let wide = app.renewed(&narrow.refresh_token).await;
    expect_alive(&world, &wide.access_token).await;
}
