//! Codes, tokens, grants, callers, the pause.

use chrono::{DateTime, TimeDelta, Utc};
use itinerary_store::{CallerRow, Pause, Plan, Store, TokenKind};

use crate::engines::{at_once, on_each_engine};
use crate::fixtures::{CLIENT, at, code, grant, hash, id, people, token};

/// Redeems a code for grant 7 of account 1, access token 10 (an hour) and refresh token 11 (9,000 s).
async fn redeem(store: &Store, code: usize, now: DateTime<Utc>) -> bool {
    let (grant, access, refresh) = (grant(id(7), id(1)), token(10, 3600), token(11, 9000));
    store.code_redeem(&hash(code), now, &grant, &access, &refresh).await.expect("answered")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_caller_is_known_by_a_living_access_token() {
    on_each_engine(async |store| {
        people(&store).await;
        store.code_insert(&code(1)).await.expect("stored");
        assert!(redeem(&store, 1, at(0)).await);

        let mut expected = CallerRow {
            account_id: id(1),
            client_id: CLIENT.to_owned(),
            grant_id: id(7),
            scope: "itineraries:read".to_owned(),
            resource: Some("https://trips.example/mcp".to_owned()),
            plan: Plan::Free,
            paused: None,
        };
        assert_eq!(store.caller(&hash(10), at(3599)).await.expect("read").as_ref(), Some(&expected));
        assert_eq!(store.caller(&hash(10), at(3600)).await.expect("read"), None, "run out");
        assert_eq!(store.caller(&hash(11), at(0)).await.expect("read"), None, "a refresh token");
        assert_eq!(store.caller(&hash(12), at(0)).await.expect("read"), None, "unknown");

        store.pause_set(Some(30), at(1)).await.expect("paused");
        store.pause_set(Some(60), at(2)).await.expect("paused for longer");
        store.account_set_plan("ana", Plan::Pro).await.expect("set");
        (expected.paused, expected.plan) = (Some(Pause(60)), Plan::Pro);
        assert_eq!(store.caller(&hash(10), at(2)).await.expect("read").as_ref(), Some(&expected));
        assert_eq!(store.pause().await.expect("read"), Some(60));
        store.pause_set(None, at(3)).await.expect("resumed");
        expected.paused = None;
        assert_eq!(store.caller(&hash(10), at(3)).await.expect("read").as_ref(), Some(&expected));

        assert!(store.grant_revoke(id(7), at(4)).await.expect("answered"));
        assert!(!store.grant_revoke(id(7), at(5)).await.expect("answered"), "it has ended before");
        assert_eq!(store.caller(&hash(10), at(5)).await.expect("read"), None, "revoked");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_code_is_redeemed_by_exactly_one() {
    on_each_engine(async |store| {
        people(&store).await;
        store.code_insert(&code(1)).await.expect("stored");
        assert_eq!(store.code(&hash(1)).await.expect("read"), Some(code(1)));
        let won = at_once(20, |index| {
            let store = store.clone();
            async move {
                let grant = grant(id(100 + index as u128), id(1));
                let (access, refresh) = (token(100 + index, 3600), token(200 + index, 9000));
                store.code_redeem(&hash(1), at(299), &grant, &access, &refresh).await.expect("answered")
            }
        })
        .await;
        let winners: Vec<_> = (0..20).filter(|index| won[*index]).collect();
        assert_eq!(winners.len(), 1, "{won:?}");
        let grants = store.grants_of(id(1)).await.expect("read");
        assert_eq!(grants.len(), 1, "the others have stored nothing");
        assert_eq!(grants[0].grant_id, id(100 + winners[0] as u128));
        assert_eq!((grants[0].client_id.as_str(), grants[0].client_name.as_str()), (CLIENT, "An app"));
        for (index, won) in won.iter().enumerate() {
            assert_eq!(store.token(&hash(200 + index)).await.expect("read").is_some(), *won);
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
        store.code_insert(&code(1)).await.expect("stored");
        for (code, now) in [(1, at(300)), (2, at(0))] {
            assert!(!redeem(&store, code, now).await);
        }
        assert_eq!(store.token(&hash(10)).await.expect("read"), None);
        assert_eq!(store.code(&hash(1)).await.expect("read"), Some(code(1)), "and stays as it was");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refresh_token_is_rotated_by_exactly_one() {
    on_each_engine(async |store| {
        people(&store).await;
        store.code_insert(&code(1)).await.expect("stored");
        assert!(redeem(&store, 1, at(0)).await);
        let won = at_once(20, |index| {
            let store = store.clone();
            async move {
                let (access, refresh) = (token(100 + index, 9000), token(200 + index, 9500));
                store.refresh_rotate(&hash(11), at(8999), &access, &refresh).await.expect("answered")
            }
        })
        .await;
        let winners: Vec<_> = (0..20).filter(|index| won[*index]).collect();
        assert_eq!(winners.len(), 1, "{won:?}");
        let old = store.token(&hash(11)).await.expect("read").expect("still known");
        assert_eq!((old.kind, old.used_at, old.revoked_at), (TokenKind::Refresh, Some(at(8999)), None));
        let new = store.token(&hash(200 + winners[0])).await.expect("read").expect("stored");
        assert_eq!((new.kind, new.grant_id, new.used_at), (TokenKind::Refresh, id(7), None));
        assert_eq!((new.account_id, new.client_id.as_str()), (id(1), CLIENT));
        assert_eq!((new.scope.as_str(), new.grant_resource.as_deref()), ("itineraries:read", None));
        assert_eq!(new.grant_scope, "itineraries:read itineraries:write");
        assert!(store.caller(&hash(100 + winners[0]), at(8999)).await.expect("read").is_some());
        for index in (0..20).filter(|index| *index != winners[0]) {
            assert_eq!(store.token(&hash(100 + index)).await.expect("read"), None);
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn only_a_living_refresh_token_is_rotated() {
    on_each_engine(async |store| {
        people(&store).await;
        store.code_insert(&code(1)).await.expect("stored");
        assert!(redeem(&store, 1, at(0)).await);
        let rotate = async |old, now| store.refresh_rotate(&hash(old), now, &token(20, 1), &token(21, 1)).await;
        assert!(!rotate(11, at(9000)).await.expect("answered"), "run out");
        assert!(!rotate(10, at(1)).await.expect("answered"), "an access token");
        assert!(!rotate(99, at(1)).await.expect("answered"), "unknown");
        assert!(!store.grant_revoke_owned(id(2), id(7), at(1)).await.expect("answered"), "not Ben's");
        assert!(store.grant_revoke_owned(id(1), id(7), at(1)).await.expect("answered"));
        assert!(!rotate(11, at(2)).await.expect("answered"), "revoked");
        let token = store.token(&hash(11)).await.expect("read").expect("known");
        assert_eq!((token.used_at, token.revoked_at), (None, Some(at(1))));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_password_change_and_a_redemption_at_once_leave_no_living_grant() {
    on_each_engine(async |store| {
        people(&store).await;
        for round in 0..10 {
            store.code_insert(&code(round)).await.expect("stored");
            at_once(2, |index| {
                let store = store.clone();
                async move {
                    if index == 0 {
                        let (access, refresh) = (token(1000 + round, 900), token(2000 + round, 900));
                        let grant = grant(id(3000 + round as u128), id(1));
                        store.code_redeem(&hash(round), at(1), &grant, &access, &refresh).await.expect("answered")
                    } else {
                        store.account_set_password("ana", "new", at(1)).await.expect("answered")
                    }
                }
            })
            .await;
            assert_eq!(store.grants_of(id(1)).await.expect("read"), [], "round {round}");
            assert_eq!(store.caller(&hash(1000 + round), at(2)).await.expect("read"), None);
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn clean_up_keeps_what_may_still_be_asked_for() {
    on_each_engine(async |store| {
        people(&store).await;
        store.code_insert(&code(1)).await.expect("stored");
        assert!(redeem(&store, 1, at(0)).await);
        assert!(store.refresh_rotate(&hash(11), at(1), &token(12, 3601), &token(13, 9001)).await.expect("answered"));
        let after = |seconds| at(seconds) + TimeDelta::days(7);

        assert_eq!(store.tokens_expire(after(299)).await.expect("deleted"), 0);
        assert_eq!(store.tokens_expire(after(300)).await.expect("deleted"), 1, "the code");
        assert_eq!(store.tokens_expire(after(8999)).await.expect("deleted"), 2, "the access tokens");
        assert!(store.token(&hash(11)).await.expect("read").expect("known").used_at.is_some(), "its reuse shows");
        assert_eq!(store.grants_of(id(1)).await.expect("read").len(), 1);
        assert_eq!(store.tokens_expire(after(9001)).await.expect("deleted"), 3, "the refresh tokens and the grant");
        assert_eq!(store.grants_of(id(1)).await.expect("read"), []);
    })
    .await;
}
