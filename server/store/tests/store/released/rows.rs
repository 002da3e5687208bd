//! The rows of the fixtures, stored and read by the store's methods.
//!
//! Released fixtures contain what `store` stored at the time. So only add to it, with rows that an older fixture does not
//! need for `read_back`.

use chrono::TimeDelta;
use itinerary_model::{ListFilter, MemberRole, Plan};
use itinerary_store::{
    AccountDeletion, BlockOutcome, ContentSelection, CoverChange, CreateOutcome, DocumentChange, Earlier,
    FollowOutcome, FollowSide, Hash, Idempotent, IdentityLinkOutcome, JobRun, LinkMail, LinkOutcome, LinkedSections,
    ListContent, ListQuery, Mark, Matching, MemberOutcome, NewAuditEntry, NewDocument, NewIdentity, NewLink, NewMail,
    NewOneTimeCodes, NewPersonalToken, NewPicture, NewPlace, NewReport, NewSignUpInvitation, NewWebhook,
    PasskeyOutcome, PasskeyRow, QueueOutcome, ReportOutcome, SaveOutcome, Saved, Session, Store, SuspendOutcome,
    TokenCreated, TurnOnOutcome, VerifyOutcome, VisibleSections, WebhookCreated, WriteOutcome,
};

use crate::explore::published;
use crate::fixtures::{
    CLIENT, access, account, at, change, claim, code, entry, grant, hash, id, insert_code, itinerary, key, people,
    refresh, response, signed_in, token,
};

/// The public itinerary, by `published`.
const PUBLIC: u128 = 1_007;
const PLACE: &str = "geonames:2267057";

/// A suspended account with an appeal, and a warning.
async fn moderation(store: &Store) {
    account(store, "gus", id(8)).await;
    let act = |number, event| NewAuditEntry { id: id(number), event, account_id: Some(id(8)), ..entry(3) };
    let suspended = store.account_suspend(id(8), "Spam", &act(9_002, "suspended"), at(3)).await.expect("stored");
    assert_eq!(suspended, SuspendOutcome::Suspended);
    assert!(store.suspension_appeal(id(8), "It was not me.", &act(9_003, "appealed")).await.expect("stored"));
    assert!(store.warning_add(id(8), "Please stop.", &act(9_004, "warned")).await.expect("stored"));
}

/// Stores rows in every table.
pub(crate) async fn store(store: &Store) {
    people(store).await;
    for (name, number) in [("cai", 3), ("dora", 4), ("eve", 5)] {
        account(store, name, id(number)).await;
    }
    assert!(store.account_set_plan("ana", Plan::Pro).await.expect("stored"));
    let session = signed_in(store, id(1)).await;
    let identity = NewIdentity {
        issuer: "https://id.example".to_owned(),
        subject: "ana".to_owned(),
        provider: "Example".to_owned(),
        linked_at: at(0),
    };
    let linked = store.identity_link(&identity, id(1), &session).await.expect("answered");
    assert_eq!(linked, IdentityLinkOutcome::Linked);
    let invitation = NewSignUpInvitation {
        hash: hash(97),
        created_at: at(0),
        expires_at: at(90_000),
        note: Some("For Fay".to_owned()),
        created_by: Some(id(1)),
    };
    store.sign_up_invitation_insert(&invitation).await.expect("stored");
    moderation(store).await;
    sign_in(store).await;
    itineraries(store).await;
    others(store).await;
    store.pause_set(Some(45), at(1)).await.expect("stored");
    store.pause_set(None, at(2)).await.expect("stored");
    store.gazetteer_put(&[lisbon()]).await.expect("stored");
    store.gazetteer_import_set("cities.txt", Some("line 9"), at(0)).await.expect("stored");
    store.provider_answer_put("geocode lisbon", "[]", at(0)).await.expect("stored");
    assert!(store.calendar_set(id(1), &hash(91), &session, at(0)).await.expect("stored"));
    let deletion = AccountDeletion {
        id: id(5),
        password_hash: "old".to_owned(),
        username_code: "code of eve".to_owned(),
        username_free_at: at(1_000_000),
        notice: None,
    };
    assert!(store.account_delete(&deletion, at(8)).await.expect("deleted"));
    assert!(store.change_feed_settle("epoch").await.expect("stored"));
    // Some of the rows that the changes above have added.
    store.changes_sequence().await.expect("sequenced");
    for role in [MemberRole::Viewer, MemberRole::Editor] {
        store.member_set(id(10), id(2), role, at(30)).await.expect("stored");
    }
    webhook(store).await;
    personal_token(store).await;
    assert!(store.password_reset_set(id(2), &hash(98), at(90_000)).await.expect("stored"));
    mails(store).await;
    link(store).await;
    factors(store, &session).await;
    let run = JobRun { name: "rank-explore", server: "a".to_owned(), started_at: at(9) };
    assert!(store.job_begin(&run, None, at(19)).await.expect("stored"));
    store.job_end(&run, TimeDelta::seconds(1), Ok((2, Some("{}")))).await.expect("stored");
}

async fn factors(store: &Store, session: &Hash) {
    let codes = NewOneTimeCodes {
        account_id: id(1),
        secret: "sealed".to_owned(),
        step: 7,
        created_at: at(34),
        recovery_codes: vec![hash(35), hash(36)],
    };
    assert_eq!(store.one_time_codes_turn_on(&codes, session).await.expect("stored"), TurnOnOutcome::TurnedOn);
    let passkey = PasskeyRow {
        id: id(98),
        account_id: id(1),
        credential_id: vec![1, 2, 3],
        passkey: "{}".to_owned(),
        counter: 1,
        name: "Phone".to_owned(),
        created_at: at(34),
        last_used_day: None,
    };
    assert_eq!(store.passkey_add(&passkey, session).await.expect("stored"), PasskeyOutcome::Added);
}

/// A verified address, one that waits, and a mail that waits.
async fn mails(store: &Store) {
    let mail = |number: u128, kind| NewMail {
        id: id(number),
        kind,
        parameters: "{}".to_owned(),
        created_at: at(40),
        expires_at: at(90_000),
    };
    let verify = mail(100, "verify");
    assert!(store.mail_address_claim(id(2), "Ben@example.com", verify).await.expect("stored"));
    let claimed = store.mails_claim(1, at(41), at(50)).await.expect("claimed");
    let link = store.mail_verification_link(&claimed[0], &hash(100)).await.expect("stored");
    assert!(matches!(link, LinkMail::Link(_)));
    let verified = store.mail_address_verify(&hash(100), id(2), mail(101, "changed"), at(42)).await;
    assert_eq!(verified.expect("stored"), VerifyOutcome::Verified);
    assert!(store.mail_address_claim(id(2), "ben@example.org", mail(102, "other")).await.expect("stored"));
    assert!(store.mail_queue_to(mail(103, "notice"), id(2)).await.expect("stored"));
}

async fn link(store: &Store) {
    let link = NewLink {
        id: id(97),
        itinerary_id: id(10),
        label: "Parents".to_owned(),
        hash: hash(97),
        sections: LinkedSections::Bookings,
        expires_at: Some(at(1_000)),
        created_at: at(9),
    };
    let made = store.link_create(link, None).await.expect("stored");
    assert_eq!(made, Idempotent::Executed(LinkOutcome::Created));
}

async fn webhook(store: &Store) {
    store.webhooks_restart("epoch").await.expect("stored");
    let webhook = NewWebhook {
        id: id(95),
        account_id: id(1),
        client_id: CLIENT.to_owned(),
        url: "https://hooks.example/itineraries".to_owned(),
        host: "hooks.example:443".to_owned(),
        types: "itinerary.updated".to_owned(),
        description: None,
        secret: "sealed".to_owned(),
        created_at: at(31),
    };
    assert_eq!(store.webhook_create(webhook).await.expect("stored"), WebhookCreated::Created);
    let tested = store.webhook_test(id(95), id(1), CLIENT, (id(96), "webhook.test"), at(32)).await;
    assert!(matches!(tested.expect("stored"), QueueOutcome::Queued(_)));
}

async fn personal_token(store: &Store) {
    let token = NewPersonalToken {
        id: id(97),
        account_id: id(1),
        client_id: "pat_97".to_owned(),
        hash: hash(97),
        name: "Backup".to_owned(),
        scope: "itineraries:read".to_owned(),
        created_at: at(33),
        expires_at: at(90_000),
        session: None,
    };
    assert_eq!(store.personal_token_create(token).await.expect("stored"), TokenCreated::Created);
}

async fn sign_in(store: &Store) {
    insert_code(store, &code(30)).await;
    insert_code(store, &code(31)).await;
    let granted = grant(id(70), id(1));
    let redeemed = store.code_redeem(&hash(31), at(1), &granted, &token(40, 3_600), &refresh(7, 41, 90_000)).await;
    assert!(redeemed.expect("redeemed"));
    let rotated = store.refresh_rotate(id(70), &hash(41), at(2), &token(42, 3_700), &refresh(7, 43, 90_000)).await;
    assert!(rotated.expect("rotated"));
}

async fn itineraries(store: &Store) {
    let new = itinerary(10);
    let made = store.itinerary_create(new, None, Some((&claim(1, 2), &response("made"))), at(0)).await;
    assert_eq!(made.expect("stored"), Idempotent::Executed(CreateOutcome::Created));
    assert_eq!(
        store.itinerary_update(change(10, 1, "Lisboa"), None, at(9)).await.expect("stored"),
        Idempotent::Executed(WriteOutcome::Written)
    );
    for (version, number) in [(2, 80), (3, 81)] {
        store.loose_file_add(id(number), at(9_000)).await.expect("stored");
        let document = NewDocument {
            id: id(number),
            file_name: format!("pass{number}.age"),
            mime_type: "application/pdf".to_owned(),
            size: 1_000,
            uploader: id(1),
            quota: 1_000_000,
        };
        let mut change = change(10, version, "Lisboa");
        change.documents = DocumentChange::Add(document);
        let written = store.itinerary_update(change, None, at(9)).await.expect("stored");
        assert_eq!(written, Idempotent::Executed(WriteOutcome::Written));
    }
    let mut without = change(10, 4, "Lisboa");
    without.documents = DocumentChange::Remove(id(81));
    let written = store.itinerary_update(without, None, at(9)).await.expect("stored");
    assert_eq!(written, Idempotent::Executed(WriteOutcome::Written));

    let mut listed = published(7, "journey lisbon");
    listed.liked_by = vec![id(2)];
    store.seed(vec![listed, published(8, "journey porto")], at(0)).await.expect("stored");
    let mut copy = itinerary(11);
    copy.owner_id = id(2);
    let of = Saved { itinerary_id: id(PUBLIC), author_id: id(1) };
    let saved = store.itinerary_save(copy, of, None, at(3)).await.expect("stored");
    assert_eq!(saved, Idempotent::Executed(SaveOutcome::Created));
    for (version, number) in [(1, 90), (2, 91)] {
        let mut change = change(11, version, "Lisboa");
        change.columns.cover_id = Some(id(number));
        change.cover = CoverChange::Set(NewPicture {
            id: id(number),
            file_id: id(number),
            drawing: Some("{}".to_owned()),
            source: Some("generated".to_owned()),
            copy_of: None,
        });
        let written = store.itinerary_update(change, None, at(9)).await.expect("stored");
        assert_eq!(written, Idempotent::Executed(WriteOutcome::Written));
    }
    assert_eq!(store.picture_delete(id(90)).await.expect("deleted"), Some(id(90)));
}

async fn others(store: &Store) {
    for (follower, followed) in [(2, 1), (3, 1), (1, 2)] {
        let set = store.follow_set(id(follower), id(followed), at(0)).await.expect("stored");
        assert_eq!(set, FollowOutcome::Following);
    }
    for (account, role) in [(2, MemberRole::Editor), (3, MemberRole::Viewer)] {
        let set = store.member_set(id(10), id(account), role, at(0)).await.expect("stored");
        assert!(matches!(set, MemberOutcome::Set(_)));
    }
    assert!(store.member_remove(id(10), id(3), true, at(4)).await.expect("left"));
    let invited = store.member_set(id(11), id(4), MemberRole::Viewer, at(4)).await.expect("stored");
    assert!(matches!(invited, MemberOutcome::Set(row) if !row.accepted));
    assert_eq!(store.block_set(id(4), id(3), at(4)).await.expect("stored"), BlockOutcome::Blocked);
    assert!(store.follower_remove(id(1), id(3), at(5)).await.expect("removed"));
    assert!(store.mark_set(id(PUBLIC), id(3), Mark::Dislike, at(0)).await.expect("stored").is_some());
    assert_eq!(store.views_add(&[(id(PUBLIC), id(2)), (id(PUBLIC), id(3))], 20_000).await.expect("stored"), 2);
    for (number, itinerary, account) in [(60, 1_008, 2), (61, PUBLIC, 4)] {
        let report = NewReport {
            id: id(number),
            itinerary_id: id(itinerary),
            account_id: id(account),
            reason: "spam".to_owned(),
            note: Some("Zoë says: it is".to_owned()),
            created_at: at(6),
        };
        let filed = store.report_create(&report, None, at(6)).await.expect("stored");
        assert_eq!(filed, Idempotent::Executed(ReportOutcome::Filed));
    }
    assert_eq!(
        store.reports_resolve(id(1_008), true, &NewAuditEntry { id: id(9_001), ..entry(7) }).await.expect("resolved"),
        Some(1)
    );
}

fn lisbon() -> NewPlace {
    NewPlace {
        cell: 46_250,
        id: PLACE.to_owned(),
        class: "city".to_owned(),
        names: "Lisbon\nLisboa".to_owned(),
        latitude: 38.716_67,
        longitude: -9.133_33,
        country: "PT".to_owned(),
        time_zone: "Europe/Lisbon".to_owned(),
        population: 517_802,
        code: Some("LIS".to_owned()),
        keys: vec!["lisb".to_owned(), "lisbo".to_owned()],
    }
}

/// Reads what `store` has stored.
pub(crate) async fn read_back(store: &Store) {
    let accounts = store.account_list().await.expect("read");
    let names: Vec<_> = accounts.iter().map(|account| account.username_folded.as_str()).collect();
    // Gus was not there at first.
    let names: Vec<_> = names.into_iter().filter(|name| *name != "gus").collect();
    assert_eq!(names, ["ana", "ben", "cai", "dora"]);
    assert_eq!((accounts[0].plan, accounts[0].created_at), (Plan::Pro, at(0)));
    assert_eq!(store.accounts_deleted().await.expect("read"), [id(5)]);

    let client = store.client(CLIENT).await.expect("read").expect("found");
    assert_eq!((client.name.as_str(), client.secret_hash), ("An app", Some(hash(77))));
    assert_eq!(store.code(&hash(30)).await.expect("read").expect("found").used_at, None);
    assert_eq!(store.code(&hash(31)).await.expect("read").expect("found").used_at, Some(at(1)));
    assert!(store.caller(&access(40), at(100)).await.expect("read").is_some());
    assert!(store.caller(&access(42), at(100)).await.expect("read").is_some());
    for known in [key(7, 41), key(7, 43)] {
        let family = store.refresh_family(known).await.expect("read").expect("found");
        assert_eq!((family.grant_id, family.current), (id(70), Some(hash(43))));
    }
    assert!(store.session(&signed_in(store, id(1)).await, at(100)).await.expect("read").is_some());
    assert_eq!(store.calendar_owner(&hash(91)).await.expect("read").expect("found").account, id(1));
    assert_eq!(store.pause().await.expect("read"), None);

    let earlier = store.idempotency_find(&claim(1, 2), at(10)).await.expect("read").expect("found");
    assert!(matches!(earlier, Earlier::Same(stored) if stored == response("made")));
    let selection =
        ContentSelection::Sections { visible: VisibleSections::All { pro: true, documents: true }, known: None };
    let (row, content) = store.itinerary(id(10), id(2), selection).await.expect("read").expect("found");
    assert_eq!((row.version, row.member_role), (5, Some(MemberRole::Editor)));
    assert_eq!(content.everyone, r#"{"title":"Lisboa"}"#);
    let files: Vec<_> = store.documents(id(10)).await.expect("read").into_iter().map(|document| document.id).collect();
    assert_eq!((files, store.document_usage(id(1)).await.expect("read")), (vec![id(80)], 1_000));
    assert_eq!(store.loose_files(at(1_000_000)).await.expect("read"), [id(81)]);
    let list = ListQuery {
        account_id: id(1),
        content: ListContent::Library(ListFilter::Owned),
        updated_since: None,
        after: None,
        limit: 9,
    };
    assert_eq!(store.itinerary_page(&list).await.expect("read").len(), 3);
    let saved = ListQuery { account_id: id(2), content: ListContent::Library(ListFilter::Saved), ..list };
    assert_eq!(store.itinerary_page(&saved).await.expect("read").len(), 1);

    let members = store.members(id(10)).await.expect("read");
    let found: Vec<_> = members.iter().map(|member| (member.account_id, member.accepted)).collect();
    assert_eq!(found, [(id(2), true)], "members of before there were invitations have accepted");
    assert_eq!(store.member_set(id(10), id(3), MemberRole::Viewer, at(9)).await.expect("read"), MemberOutcome::Left);
    assert_eq!(store.follow_set(id(3), id(1), at(9)).await.expect("read"), FollowOutcome::Removed);
    let followers = store.follows_page(FollowSide::Followers, id(1), id(1), None, 9).await.expect("read");
    assert_eq!(followers.iter().map(|(_, profile)| profile.id).collect::<Vec<_>>(), [id(2)]);
    let marks = store.marks(id(PUBLIC), id(2)).await.expect("read");
    assert_eq!((marks.liked, marks.copy.is_some(), marks.likes, marks.saves), (true, true, 1, 1));
    let reports = store.reports_open(9).await.expect("read");
    assert_eq!(reports.iter().map(|report| report.id).collect::<Vec<_>>(), [id(61)]);

    let matching = Matching { words: vec!["journ".to_owned()], regions: Vec::new() };
    let found = store.explore_search(id(1), &matching, None, 9).await.expect("read");
    assert_eq!(found.into_iter().map(|(place, _)| place).collect::<Vec<_>>(), [7], "8 is hidden");
    let places = store.gazetteer_cities(&["lisb".to_owned()]).await.expect("read");
    assert_eq!((places.len(), places[0].id.as_str(), places[0].code.as_deref()), (1, PLACE, Some("LIS")));
    assert_eq!(store.provider_answer("geocode lisbon").await.expect("read"), Some(("[]".to_owned(), at(0))));
}

/// Changes rows of before, and erases the deleted account.
pub(crate) async fn go_on(store: &Store) {
    let written = store.itinerary_update(change(10, 5, "Porto"), None, at(20)).await.expect("stored");
    assert_eq!(written, Idempotent::Executed(WriteOutcome::Written));
    let rotated = store.refresh_rotate(id(70), &hash(43), at(20), &token(44, 3_800), &refresh(7, 45, 90_000)).await;
    assert!(rotated.expect("rotated"));
    let session = Session {
        hash: hash(95),
        account_id: id(2),
        created_at: at(20),
        expires_at: at(90_000),
        authenticated_at: at(20),
    };
    assert!(store.session_insert(&session, None).await.expect("stored"));
    for _ in 0..100 {
        if store.account_erase(id(5), at(20)).await.expect("erased") {
            break;
        }
    }
    assert!(store.accounts_deleted().await.expect("read").is_empty());
    assert_eq!(store.reports_resolve(id(PUBLIC), false, &entry(20)).await.expect("resolved"), Some(1));
    let deleted = store.itinerary_delete(id(10), 6, at(21)).await.expect("deleted");
    assert_eq!(deleted, WriteOutcome::Written);
}
