//! Accounts, sessions, clients.

use chrono::TimeDelta;
use itinerary_model::Plan;
use itinerary_store::{
    Code, ConsentAnswer, NewAccount, NewAuditEntry, NewGrant, NewPersonalToken, SESSIONS, Session, TokenCreated,
};

use crate::engines::{at_once, on_each_engine};
use crate::fixtures::{
    CLIENT, access, account, at, client, code, entry, grant, hash, id, insert_code, instant_of, people, signed_in,
    token,
};

#[tokio::test(flavor = "multi_thread")]
async fn a_name_is_given_once() {
    on_each_engine(async |store| {
        let made = at_once(20, |index| {
            let store = store.clone();
            let account = NewAccount {
                id: id(100 + index as u128),
                username: "Zoë".to_owned(),
                username_folded: "zoe".to_owned(),
                display_name: "Zoë".to_owned(),
                password_hash: format!("hash {index}"),
                plan: Plan::Pro,
                created_at: at(0),
            };
            async move { store.account_insert(&account).await.expect("answered").then_some(account) }
        })
        .await;
        let made: Vec<_> = made.into_iter().flatten().collect();
        assert_eq!(made.len(), 1);
        let found = store.account_by_username("zoe").await.expect("read").expect("there");
        assert_eq!((found.id, &found.password_hash), (made[0].id, &made[0].password_hash));
        assert_eq!((found.username.as_str(), found.plan, found.created_at), ("Zoë", Plan::Pro, at(0)));
        assert_eq!(store.account(found.id).await.expect("read"), Some(found));
        assert_eq!(store.account_by_username("Zoë").await.expect("read"), None, "only folded names are looked up");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn accounts_are_listed_by_name_and_change_plan() {
    on_each_engine(async |store| {
        for (number, name) in ["mia", "ana", "tom"].into_iter().enumerate() {
            account(&store, name, id(number as u128)).await;
        }
        assert!(store.account_set_plan("mia", Plan::Pro).await.expect("answered"));
        assert!(!store.account_set_plan("nobody", Plan::Pro).await.expect("answered"));
        let list = store.account_list().await.expect("read");
        let list: Vec<_> = list.iter().map(|account| (account.username_folded.as_str(), account.plan)).collect();
        assert_eq!(list, [("ana", Plan::Free), ("mia", Plan::Pro), ("tom", Plan::Free)]);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn sessions_hold_until_they_run_out_or_end() {
    on_each_engine(async |store| {
        people(&store).await;
        for (number, until) in [(1, 100), (2, 200)] {
            let session = Session {
                hash: hash(number),
                account_id: id(1),
                created_at: at(0),
                expires_at: at(until),
                authenticated_at: at(0),
            };
            store.session_insert(&session, None).await.expect("stored");
        }
        let who = store.session(&hash(1), at(99)).await.expect("read").expect("it holds");
        assert_eq!(who.username_folded, "ana");
        assert_eq!(store.session(&hash(1), at(100)).await.expect("read"), None, "run out");
        assert_eq!(store.session(&hash(9), at(0)).await.expect("read"), None, "unknown");
        assert_eq!(store.sessions_expire(at(100)).await.expect("deleted"), 1);
        store.session_delete(&hash(2)).await.expect("deleted");
        assert_eq!(store.session(&hash(2), at(0)).await.expect("read"), None, "ended");
        assert_eq!(store.sessions_expire(at(999)).await.expect("deleted"), 0);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn clean_up_goes_on_after_a_full_batch() {
    on_each_engine(async |store| {
        people(&store).await;
        for number in 0..502 {
            assert!(
                store.consent_answer(ConsentAnswer { page: id(number), expires_at: at(10) }).await.expect("stored")
            );
        }
        assert_eq!(store.tokens_expire(at(3609)).await.expect("deleted"), 0);
        assert_eq!(store.tokens_expire(at(3610)).await.expect("deleted"), 502);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_newest_sessions_of_an_account_stay() {
    on_each_engine(async |store| {
        people(&store).await;
        let most = usize::try_from(SESSIONS).expect("few");
        let session = |number: usize, owner| Session {
            hash: hash(number),
            account_id: id(owner),
            created_at: instant_of(number),
            expires_at: at(9000),
            authenticated_at: instant_of(number),
        };
        store.session_insert(&session(1000, 2), None).await.expect("stored");
        at_once(most + 16, |number| {
            let store = store.clone();
            async move { store.session_insert(&session(number, 1), None).await.expect("stored") }
        })
        .await;
        store.session_insert(&session(500, 1), None).await.expect("stored");
        let mut left = Vec::new();
        for number in 0..=1000 {
            left.extend(store.session(&hash(number), at(1)).await.expect("read").map(|_| number));
        }
        assert_eq!(left.len(), most + 1, "{left:?}");
        assert!(left.contains(&500) && left.contains(&1000), "the newest, and that of somebody else: {left:?}");
        // A session that is older than all others, as after a clock was set back, does not end itself.
        store.session_insert(&session(0, 1), None).await.expect("stored");
        assert!(store.session(&hash(0), at(1)).await.expect("read").is_some());
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_comes_back_as_it_was_stored() {
    on_each_engine(async |store| {
        let mut public = client("public");
        public.secret_hash = None;
        for stored in [client(CLIENT), public.clone()] {
            assert!(store.client_insert(&stored).await.expect("stored"));
            assert_eq!(store.client(&stored.id).await.expect("read"), Some(stored));
        }
        let taken = client("public");
        assert!(!store.client_insert(&taken).await.expect("answered"), "its id is taken");
        assert_eq!(store.client("public").await.expect("read"), Some(public), "and it stays as it is");
        assert_eq!(store.client("unknown").await.expect("read"), None);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn clients_of_documents_that_nobody_let_in_are_forgotten() {
    on_each_engine(async |store| {
        people(&store).await;
        let day = |days: i64| at(days * 24 * 3600);
        let url = |name: &str| format!("https://{name}.example/client");
        for name in ["asked", "again", "coded", "granted"] {
            store.client_put(&client(&url(name)), day(0)).await.expect("stored");
        }
        store.client_put(&client(&url("again")), day(1)).await.expect("fetched again");
        insert_code(&store, &Code { client_id: url("coded"), expires_at: day(9), ..code(1) }).await;
        let grant = NewGrant { client_id: url("granted"), ..grant(id(50), id(1)) };
        store.grant_issue(&grant, &token(50, 900)).await.expect("issued");

        assert_eq!(store.clients_expire(day(2) - TimeDelta::seconds(1)).await.expect("deleted"), 0);
        assert_eq!(store.clients_expire(day(2)).await.expect("deleted"), 1);
        for (name, known) in [("asked", false), ("again", true), ("coded", true), ("granted", true)] {
            assert_eq!(store.client(&url(name)).await.expect("read").is_some(), known, "{name}");
        }
        assert_eq!(store.clients_expire(day(3)).await.expect("deleted"), 1, "the one that was fetched again");
        assert!(store.client(CLIENT).await.expect("read").is_some(), "registered clients stay");
        store.client_put(&client(&url("asked")), day(3)).await.expect("it comes back");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn new_password_ends_sessions_and_grants() {
    on_each_engine(async |store| {
        people(&store).await;
        for (number, owner) in [(1, id(1)), (2, id(2))] {
            let session = Session {
                hash: hash(number),
                account_id: owner,
                created_at: at(0),
                expires_at: at(900),
                authenticated_at: at(0),
            };
            store.session_insert(&session, None).await.expect("stored");
            store.grant_issue(&grant(id(number as u128 + 50), owner), &token(number, 900)).await.expect("issued");
        }
        insert_code(&store, &code(5)).await;

        assert!(store.account_set_password("ana", "new", at(10)).await.expect("answered"));

        let account = store.account(id(1)).await.expect("read").expect("there");
        assert_eq!(account.password_hash, "new");
        assert_eq!(store.session(&hash(1), at(10)).await.expect("read"), None);
        // A sign-in whose password was checked before it was changed.
        let late = Session {
            hash: hash(3),
            account_id: id(1),
            created_at: at(10),
            expires_at: at(900),
            authenticated_at: at(10),
        };
        assert!(!store.session_insert(&late, Some("old")).await.expect("answered"));
        assert_eq!(store.session(&hash(3), at(10)).await.expect("read"), None);
        assert!(store.session_insert(&late, Some("new")).await.expect("answered"));
        assert_eq!(store.caller(&access(1), at(10)).await.expect("read"), None);
        assert_eq!(store.grant_count(id(1), at(10)).await.expect("read"), 0);
        assert_eq!(store.code(&hash(5)).await.expect("read"), None, "nor can a code of before be redeemed");

        assert!(store.session(&hash(2), at(10)).await.expect("read").is_some(), "others keep theirs");
        assert!(store.caller(&access(2), at(10)).await.expect("read").is_some());
        assert!(!store.account_set_password("nobody", "new", at(10)).await.expect("answered"));
    })
    .await;
}

/// What is made in a session must not outlive what has ended the session.
#[tokio::test(flavor = "multi_thread")]
async fn tokens_and_addresses_of_calendars_need_their_session_and_an_active_account() {
    on_each_engine(async |store| {
        people(&store).await;
        let session = signed_in(&store, id(1)).await;
        let token = |number: u128, session| NewPersonalToken {
            id: id(number),
            account_id: id(1),
            client_id: format!("pat_{number}"),
            hash: hash(usize::try_from(number).expect("a small number")),
            name: "Script".to_owned(),
            scope: "itineraries:read".to_owned(),
            created_at: at(0),
            expires_at: at(100),
            session,
        };
        let make = async |token| store.personal_token_create(token).await.expect("answered");
        assert_eq!(make(token(201, Some(session))).await, TokenCreated::Created);
        assert!(store.calendar_set(id(1), &hash(203), &session, at(0)).await.expect("answered"));
        let others = signed_in(&store, id(2)).await;
        assert_eq!(make(token(204, Some(others))).await, TokenCreated::NoAccount, "another's session");

        let act = NewAuditEntry { account_id: Some(id(1)), event: "suspended", ..entry(1) };
        store.account_suspend(id(1), "Spam", &act, at(1)).await.expect("suspended");
        for (number, session) in [(205, Some(session)), (206, None)] {
            assert_eq!(make(token(number, session)).await, TokenCreated::NoAccount);
        }
        assert!(!store.calendar_set(id(1), &hash(207), &session, at(1)).await.expect("answered"));
        assert!(store.calendar_owner(&hash(203)).await.expect("read").is_none());
        store.account_unsuspend(id(1), &entry(2)).await.expect("ended");
        assert_eq!(make(token(208, Some(session))).await, TokenCreated::NoAccount, "the session has ended");
        assert_eq!(make(token(209, None)).await, TokenCreated::Created, "by the operator");
    })
    .await;
}
