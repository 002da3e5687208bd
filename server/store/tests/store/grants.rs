//! Codes, tokens, grants, callers, the pause.

use chrono::{DateTime, TimeDelta, Utc};
use itinerary_model::Plan;
use itinerary_store::{ACCESS_TOKENS, CallerRow, CodeOutcome, ConsentAnswer, GRANTS, NewGrant, Pause, Store};

use crate::engines::{at_once, on_each_engine};
use crate::fixtures::{
    CLIENT, access, at, client, code, grant, hash, id, insert_code, instant_of, key, people, refresh, signed_in, token,
};

/// Redeems a code for grant 7 of account 1, access token 10 (an hour) and refresh token 11 of family 5 (9,000 s).
async fn redeem(store: &Store, code: usize, now: DateTime<Utc>) -> bool {
    let (grant, access, refresh) = (grant(id(7), id(1)), token(10, 3600), refresh(5, 11, 9000));
    store.code_redeem(&hash(code), now, &grant, &access, &refresh).await.expect("answered")
}

/// Redeems a new code for a grant, with an access token of the same number and a family.
async fn give(store: &Store, number: usize, grant: NewGrant) {
    insert_code(store, &code(number)).await;
    let (access, refresh) = (token(10_000 + number, 3600), refresh(20_000 + number, 30_000 + number, 9000));
    assert!(store.code_redeem(&hash(number), at(1), &grant, &access, &refresh).await.expect("answered"));
}

async fn living(store: &Store, account: u128) -> Vec<uuid::Uuid> {
    let page = store.grant_page(id(account), at(2), None, 1000).await.expect("read");
    page.into_iter().map(|app| app.grant_id).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_caller_is_known_by_a_living_access_token() {
    on_each_engine(async |store| {
        people(&store).await;
        insert_code(&store, &code(1)).await;
        assert!(redeem(&store, 1, at(0)).await);

        let mut expected = CallerRow {
            account_id: id(1),
            client_id: CLIENT.to_owned(),
            last_used_day: None,
            grant_id: id(7),
            scope: "itineraries:read".to_owned(),
            resource: Some("https://trips.example/mcp".to_owned()),
            plan: Plan::Free,
            paused: None,
        };
        assert_eq!(store.caller(&access(10), at(3599)).await.expect("read").as_ref(), Some(&expected));
        assert_eq!(store.caller(&access(10), at(3600)).await.expect("read"), None, "run out");
        assert_eq!(store.caller(&access(11), at(0)).await.expect("read"), None, "a refresh token");
        assert_eq!(store.caller(&access(12), at(0)).await.expect("read"), None, "unknown");
        let of = store.token_grant(&hash(10)).await.expect("read").expect("known");
        assert_eq!((of.grant_id, of.client_id.as_str()), (id(7), CLIENT));
        assert_eq!(store.token_grant(&hash(11)).await.expect("read"), None, "a refresh token");

        store.pause_set(Some(30), at(1)).await.expect("paused");
        store.pause_set(Some(60), at(2)).await.expect("paused for longer");
        store.account_set_plan("ana", Plan::Pro).await.expect("set");
        (expected.paused, expected.plan) = (Some(Pause(60)), Plan::Pro);
        assert_eq!(store.caller(&access(10), at(2)).await.expect("read").as_ref(), Some(&expected));
        assert_eq!(store.pause().await.expect("read"), Some(60));
        store.pause_set(None, at(3)).await.expect("resumed");
        expected.paused = None;
        assert_eq!(store.caller(&access(10), at(3)).await.expect("read").as_ref(), Some(&expected));

        assert!(store.grant_revoke(id(7), at(4)).await.expect("answered"));
        assert!(!store.grant_revoke(id(7), at(5)).await.expect("answered"), "it has ended before");
        assert_eq!(store.caller(&access(10), at(5)).await.expect("read"), None, "revoked");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_consent_page_is_answered_by_exactly_one() {
    on_each_engine(async |store| {
        people(&store).await;
        let answer = |page| ConsentAnswer { page: id(page), expires_at: at(600) };
        let session = signed_in(&store, id(1)).await;
        let won = at_once(20, |index| {
            let store = store.clone();
            async move {
                if index.is_multiple_of(4) {
                    return store.consent_answer(answer(1)).await.expect("answered");
                }
                let outcome = store.code_insert(&code(index), answer(1), &session).await;
                outcome.expect("answered") == CodeOutcome::Stored
            }
        })
        .await;
        assert_eq!(won.iter().filter(|won| **won).count(), 1, "{won:?}");
        for (index, won) in won.iter().enumerate().filter(|(index, _)| index % 4 != 0) {
            assert_eq!(store.code(&hash(index)).await.expect("read").is_some(), *won, "no code without an answer");
        }
        assert!(store.consent_answer(answer(2)).await.expect("answered"), "another page");
        // A session that ends while its consent page is submitted gets no code.
        store.session_delete(&session).await.expect("deleted");
        let late = store.code_insert(&code(99), answer(3), &session).await.expect("answered");
        assert_eq!((late, store.code(&hash(99)).await.expect("read")), (CodeOutcome::SignedOut, None));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_code_is_redeemed_by_exactly_one() {
    on_each_engine(async |store| {
        people(&store).await;
        insert_code(&store, &code(1)).await;
        assert_eq!(store.code(&hash(1)).await.expect("read"), Some(code(1)));
        let won = at_once(20, |index| {
            let store = store.clone();
            async move {
                let grant = grant(id(100 + index as u128), id(1));
                let (access, refresh) = (token(100 + index, 3600), refresh(300 + index, 200 + index, 9000));
                store.code_redeem(&hash(1), at(299), &grant, &access, &refresh).await.expect("answered")
            }
        })
        .await;
        let winners: Vec<_> = (0..20).filter(|index| won[*index]).collect();
        assert_eq!(winners.len(), 1, "{won:?}");
        let grants = store.grant_page(id(1), at(299), None, 10).await.expect("read");
        assert_eq!(grants.len(), 1, "the others have stored nothing");
        assert_eq!(grants[0].grant_id, id(100 + winners[0] as u128));
        assert_eq!((grants[0].client_id.as_str(), grants[0].client_name.as_str()), (CLIENT, "An app"));
        for (index, won) in won.iter().enumerate() {
            let family = store.refresh_family(key(300 + index, 200 + index)).await.expect("read");
            assert_eq!(family.is_some(), *won);
        }
        let used = store.code(&hash(1)).await.expect("read").expect("still known");
        assert_eq!((used.used_at, used.grant_id), (Some(at(299)), Some(grants[0].grant_id)));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_code_that_has_run_out_is_not_redeemed() {
    on_each_engine(async |store| {
        people(&store).await;
        insert_code(&store, &code(1)).await;
        for (code, now) in [(1, at(300)), (2, at(0))] {
            assert!(!redeem(&store, code, now).await);
        }
        assert_eq!(store.refresh_family(key(5, 11)).await.expect("read"), None);
        assert_eq!(store.code(&hash(1)).await.expect("read"), Some(code(1)), "and stays as it was");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refresh_token_is_rotated_by_exactly_one() {
    on_each_engine(async |store| {
        people(&store).await;
        insert_code(&store, &code(1)).await;
        assert!(redeem(&store, 1, at(0)).await);
        let won = at_once(20, |index| {
            let store = store.clone();
            async move {
                let (access, refresh) = (token(100 + index, 9000), refresh(5, 200 + index, 9500));
                store.refresh_rotate(id(7), &hash(11), at(8999), &access, &refresh).await.expect("answered")
            }
        })
        .await;
        let winners: Vec<_> = (0..20).filter(|index| won[*index]).collect();
        assert_eq!(winners.len(), 1, "{won:?}");
        for token in [11, 200 + winners[0]] {
            let family = store.refresh_family(key(5, token)).await.expect("read").expect("known by any of its tokens");
            assert_eq!((family.grant_id, family.current), (id(7), Some(hash(200 + winners[0]))));
            assert_eq!((family.account_id, family.client_id.as_str()), (id(1), CLIENT));
            assert_eq!(
                (family.scope.as_str(), family.resource.as_deref()),
                ("itineraries:read itineraries:write", None)
            );
            assert_eq!((family.expires_at, family.revoked_at), (at(9500), None));
        }
        assert!(store.caller(&access(100 + winners[0]), at(8999)).await.expect("read").is_some());
        for index in (0..20).filter(|index| *index != winners[0]) {
            assert_eq!(store.token_grant(&hash(100 + index)).await.expect("read"), None);
        }
        assert_eq!(store.grant_page(id(1), at(9000), None, 1).await.expect("read")[0].last_used_at, at(8999));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn only_a_living_refresh_token_is_rotated() {
    on_each_engine(async |store| {
        people(&store).await;
        insert_code(&store, &code(1)).await;
        assert!(redeem(&store, 1, at(0)).await);
        let rotate = async |grant, old, now| {
            store.refresh_rotate(id(grant), &hash(old), now, &token(20, 1), &refresh(5, 21, 1)).await.expect("answered")
        };
        assert!(!rotate(7, 11, at(9000)).await, "run out");
        assert!(!rotate(7, 10, at(1)).await, "an access token");
        assert!(!rotate(8, 11, at(1)).await, "unknown");
        assert_eq!(store.grant_revoke_owned(id(2), id(7), at(1)).await.expect("answered"), None, "not Ben's");
        assert!(store.grant_revoke_owned(id(1), id(7), at(1)).await.expect("answered").is_some());
        assert!(!rotate(7, 11, at(2)).await, "revoked");
        let family = store.refresh_family(key(5, 11)).await.expect("read").expect("known");
        assert_eq!((family.current, family.revoked_at), (Some(hash(11)), Some(at(1))));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_newest_access_tokens_of_a_grant_live() {
    on_each_engine(async |store| {
        people(&store).await;
        insert_code(&store, &code(1)).await;
        assert!(redeem(&store, 1, at(0)).await);
        let most = usize::try_from(ACCESS_TOKENS).expect("few");
        for n in 0..most {
            let access = itinerary_store::NewToken { created_at: instant_of(1 + n), ..token(100 + n, 3600) };
            let used = hash(if n == 0 { 11 } else { 1000 + n - 1 });
            let next = refresh(5, 1000 + n, 9000);
            assert!(store.refresh_rotate(id(7), &used, at(1), &access, &next).await.expect("answered"));
        }
        assert_eq!(store.caller(&access(10), at(1)).await.expect("read"), None, "the oldest has ended");
        for n in 0..most {
            assert!(store.caller(&access(100 + n), at(1)).await.expect("read").is_some(), "token {n}");
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_further_grant_for_an_app_ends_the_least_recently_used() {
    on_each_engine(async |store| {
        people(&store).await;
        assert!(store.client_insert(&client("other")).await.expect("stored"));
        let of = |number: usize, client: &str| NewGrant {
            client_id: client.to_owned(),
            created_at: instant_of(number),
            ..grant(id(number as u128), id(1))
        };
        let most = usize::try_from(GRANTS).expect("few");
        give(&store, 900, of(900, "other")).await;
        for number in 1..=most {
            give(&store, number, of(number, CLIENT)).await;
        }
        // The oldest is used, so it is no longer the least recently used.
        let (issued, next) = (token(40_000, 3600), refresh(20_001, 40_001, 9000));
        assert!(store.refresh_rotate(id(1), &hash(30_001), at(1000), &issued, &next).await.expect("answered"));
        assert_eq!(living(&store, 1).await.len(), most + 1);
        give(&store, 500, of(500, CLIENT)).await;
        let left = living(&store, 1).await;
        assert_eq!(left.len(), most + 1);
        assert!(!left.contains(&id(2)), "the least recently used");
        assert!([1, 3, 500, 900].into_iter().all(|number| left.contains(&id(number))), "{left:?}");
        assert_eq!(store.caller(&access(10_002), at(2)).await.expect("read"), None, "it ended with its tokens");
        assert_eq!(store.refresh_family(key(20_002, 30_002)).await.expect("read"), None);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn grants_at_once_are_not_more_than_the_limit() {
    on_each_engine(async |store| {
        people(&store).await;
        let most = usize::try_from(GRANTS).expect("few");
        for number in 0..most + 16 {
            insert_code(&store, &code(number)).await;
        }
        let given = at_once(most + 16, |number| {
            let store = store.clone();
            async move {
                let grant = grant(id(100 + number as u128), id(1));
                let (access, refresh) = (token(1000 + number, 3600), refresh(2000 + number, 3000 + number, 9000));
                store.code_redeem(&hash(number), at(1), &grant, &access, &refresh).await.expect("answered")
            }
        })
        .await;
        assert!(given.iter().all(|given| *given), "{given:?}");
        assert_eq!(living(&store, 1).await.len(), most);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_grants_of_an_account_are_paged_newest_first() {
    on_each_engine(async |store| {
        people(&store).await;
        for number in 1..=5_usize {
            // Two with the same instant.
            let created_at = at([0, 10, 20, 20, 30, 40][number]);
            give(&store, number, NewGrant { created_at, ..grant(id(number as u128), id(1)) }).await;
        }
        give(&store, 6, grant(id(6), id(2))).await;
        assert!(store.grant_revoke(id(4), at(2)).await.expect("answered"));
        let (mut after, mut seen) = (None, Vec::new());
        loop {
            let page = store.grant_page(id(1), at(3), after, 2).await.expect("read");
            let Some(last) = page.last() else { break };
            after = Some((last.created_at, last.grant_id));
            seen.extend(page.into_iter().map(|app| app.grant_id));
        }
        assert_eq!(seen, [5, 3, 2, 1].map(id), "without the one that was revoked");
        assert_eq!(store.grant_count(id(1), at(3)).await.expect("read"), 4);
        let first = store.grant_page(id(1), at(3), None, 1).await.expect("read").remove(0);
        assert_eq!(first.redirect_uris, r#"["https://app.example/back"]"#);
        assert_eq!((first.created_at, first.last_used_at), (at(40), at(40)));
        assert_eq!(store.grant_count(id(1), at(9000)).await.expect("read"), 0, "their refresh tokens have expired");
        let scopes = store.granted_scopes(id(1), CLIENT, None, at(3)).await.expect("read");
        assert_eq!(scopes, ["itineraries:read itineraries:write"; 4]);
        assert!(store.granted_scopes(id(1), CLIENT, Some("x"), at(3)).await.expect("read").is_empty());
        assert!(store.granted_scopes(id(1), "other", None, at(3)).await.expect("read").is_empty());
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_password_change_and_a_redemption_at_once_leave_no_living_grant() {
    on_each_engine(async |store| {
        people(&store).await;
        for round in 0..10 {
            insert_code(&store, &code(round)).await;
            at_once(2, |index| {
                let store = store.clone();
                async move {
                    if index == 0 {
                        let (access, refresh) = (token(1000 + round, 900), refresh(4000 + round, 2000 + round, 900));
                        let grant = grant(id(3000 + round as u128), id(1));
                        store.code_redeem(&hash(round), at(1), &grant, &access, &refresh).await.expect("answered")
                    } else {
                        store.account_set_password("ana", "new", at(1)).await.expect("answered")
                    }
                }
            })
            .await;
            assert!(living(&store, 1).await.is_empty(), "round {round}");
            assert_eq!(store.caller(&access(1000 + round), at(2)).await.expect("read"), None);
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn clean_up_keeps_what_may_still_be_asked_for() {
    on_each_engine(async |store| {
        people(&store).await;
        insert_code(&store, &code(1)).await;
        assert!(redeem(&store, 1, at(0)).await);
        let rotated = store.refresh_rotate(id(7), &hash(11), at(1), &token(12, 3601), &refresh(5, 13, 9001)).await;
        assert!(rotated.expect("answered"));
        let after = |seconds| at(seconds) + TimeDelta::hours(1);

        assert_eq!(store.tokens_expire(after(299)).await.expect("deleted"), 0);
        assert_eq!(store.tokens_expire(after(300)).await.expect("deleted"), 1, "the code");
        assert_eq!(store.tokens_expire(after(600)).await.expect("deleted"), 1, "the answer of the consent page");
        assert_eq!(store.tokens_expire(after(8999)).await.expect("deleted"), 2, "the access tokens");
        let family = store.refresh_family(key(5, 11)).await.expect("read").expect("known");
        assert_eq!(family.current, Some(hash(13)), "reuse shows");
        assert_eq!(store.tokens_expire(after(9001)).await.expect("deleted"), 1, "the grant");
        assert_eq!(store.refresh_family(key(5, 13)).await.expect("read"), None);

        give(&store, 2, grant(id(8), id(1))).await;
        assert!(store.grant_revoke(id(8), at(10)).await.expect("answered"));
        assert_eq!(store.tokens_expire(after(9)).await.expect("deleted"), 0);
        assert_eq!(store.tokens_expire(after(10)).await.expect("deleted"), 1, "the grant that was revoked");
    })
    .await;
}
