//! Lifetimes, by the world's clock.

use chrono::TimeDelta;
use itinerary_tests::browser::Browser;
use itinerary_tests::{World, api_test};

use super::{App, expect_alive, expect_ended, expect_refusal, tokens};

#[api_test]
async fn a_code_is_good_for_five_minutes(world: World) {
    //
    let app = App::public(&world).await;
    let browser = Browser::signed_up(&world, "ana").await;
    let (in_time, too_late) = (app.code(&browser).await, app.code(&browser).await);
    world.clock.advance(TimeDelta::seconds(299));
    let tokens = tokens(&app.redeem(&in_time).await);
    world.clock.advance(TimeDelta::seconds(2));
    expect_refusal(&app.redeem(&too_late).await, 400, "invalid_grant");
    // Reuse of a code that has expired proves nothing.
    expect_refusal(&app.redeem(&in_time).await, 400, "invalid_grant");
    expect_alive(&world, &tokens.access_token).await;
}

#[api_test]
async fn a_code_ends_with_its_three_hundredth_second(world: World) {
    let app = App::public(&world).await;
    let browser = Browser::signed_up(&world, "ana").await;
    let code = app.code(&browser).await;
    world.clock.advance(TimeDelta::seconds(300));
    expect_refusal(&app.redeem(&code).await, 400, "invalid_grant");
}

#[api_test]
async fn an_access_token_lives_for_an_hour(world: World) {
    // V-05
    let app = App::public(&world).await;
    let browser = Browser::signed_up(&world, "ana").await;
    let first = app.connect(&browser).await;
    world.clock.advance(TimeDelta::seconds(3_599));
    expect_alive(&world, &first.access_token).await;
    let second = app.renewed(&first.refresh_token).await;
    world.clock.advance(TimeDelta::seconds(1));
    expect_ended(&world, &first.access_token).await;
    expect_alive(&world, &second.access_token).await;
    world.clock.advance(TimeDelta::seconds(3_599));
    expect_ended(&world, &second.access_token).await;
}

#[api_test]
async fn a_refresh_token_lives_for_ninety_days_from_its_issue(world: World) {
    // T-14
    let app = App::public(&world).await;
    let browser = Browser::signed_up(&world, "ana").await;
    let first = app.connect(&browser).await;
    let late = app.connect(&browser).await;
    world.clock.advance(TimeDelta::days(90) - TimeDelta::seconds(1));
    let second = app.renewed(&first.refresh_token).await;
    expect_alive(&world, &second.access_token).await;
    world.clock.advance(TimeDelta::seconds(1));
    expect_refusal(&app.renew(&late.refresh_token).await, 400, "invalid_grant");
    world.clock.advance(TimeDelta::days(90) - TimeDelta::seconds(2));
    let third = app.renewed(&second.refresh_token).await;
    world.clock.advance(TimeDelta::days(90));
    expect_refusal(&app.renew(&third.refresh_token).await, 400, "invalid_grant");
}
