//! The semantics of the windows in this process.

use std::slice::from_ref;

use super::*;

fn at(second: i64) -> DateTime<Utc> {
    DateTime::from_timestamp(1_800_000_000 + second, 0).expect("a date in range")
}

#[test]
fn a_window_opens_at_its_first_request_and_closes_after_its_seconds() {
    let windows = MemoryWindows::new(true);
    let bucket = Bucket::Registration("127.0.0.1".parse().expect("an address"));
    for n in 1..=10 {
        assert_eq!(windows.take(from_ref(&bucket), at(n)).remaining, 10 - u32::try_from(n).expect("small"));
    }
    let refused = windows.take(from_ref(&bucket), at(100));
    assert!(!refused.allowed);
    assert_eq!(refused.reset, 3600 - 99);
    assert!(windows.take(from_ref(&bucket), at(3601)).allowed);
}

#[test]
fn peeking_counts_nothing() {
    let windows = MemoryWindows::new(true);
    let bucket = Bucket::SignInFromAddress("127.0.0.1".parse().expect("an address"));
    for _ in 0..100 {
        assert!(windows.peek(from_ref(&bucket), at(0)).allowed);
    }
    for _ in 0..30 {
        windows.take(from_ref(&bucket), at(0));
    }
    assert!(!windows.peek(from_ref(&bucket), at(0)).allowed);
}

#[test]
fn a_clock_that_is_set_back_opens_no_new_window() {
    let windows = MemoryWindows::new(true);
    let bucket = Bucket::SignInToAccount("ana".to_owned(), "127.0.0.1".parse().expect("an address"));
    // Requests that read the clock earlier are counted after later ones.
    let allowed = (0..100).filter(|n| windows.take(from_ref(&bucket), at(100 - n)).allowed).count();
    assert_eq!(allowed, 10);
    let refused = windows.take(from_ref(&bucket), at(-7000));
    assert_eq!((refused.allowed, refused.reset), (false, 60), "nor locks out for longer than a window");
    assert!(!windows.take(from_ref(&bucket), at(-6941)).allowed);
    assert!(windows.take(from_ref(&bucket), at(-6940)).allowed);
}

#[tokio::test]
async fn reservations_count_until_given_back() {
    let limiter = Limiter::new(true);
    let address = "127.0.0.1".parse().expect("an address");
    let reserve = async |name: &str, second| {
        let buckets = vec![Bucket::SignInToAccount(name.to_owned(), address), Bucket::SignInFromAddress(address)];
        limiter.reserve(buckets, at(second)).await
    };
    let mut reserved = Vec::new();
    for _ in 0..10 {
        reserved.push(reserve("ana", 0).await.expect("room"));
    }
    assert_eq!(reserve("ana", 1).await.err().map(|full| (full.limit, full.reset)), Some((10, 59)));
    for name in ["ben", "cai"] {
        for _ in 0..10 {
            reserved.push(reserve(name, 1).await.expect("room"));
        }
    }
    // Refused by one bucket, it counts in none, so giving one back makes room in that of `ana`.
    assert_eq!(reserve("dan", 1).await.err().map(|full| full.limit), Some(30));
    reserved.remove(0).give_back(at(1)).await;
    reserved.remove(0).give_back(at(1)).await;
    drop(reserve("ana", 2).await.expect("room"));
    drop(reserve("ana", 2).await.expect("room"));
    assert!(reserve("ana", 2).await.is_err(), "dropped, they stay counted");
    // Nothing is given back to a window that has opened since.
    let late = reserved.remove(0);
    for _ in 0..10 {
        drop(reserve("ana", 60).await.expect("room"));
    }
    late.give_back(at(60)).await;
    assert!(reserve("ana", 61).await.is_err());
}

#[test]
fn a_bucket_after_a_full_one_is_not_counted() {
    let windows = MemoryWindows::new(true);
    let (account, kind) = (Uuid::from_u128(1), LimitKind::Document);
    let calls = |client: &str| {
        [Bucket::Calls { account, client: client.to_owned(), kind }, Bucket::AccountCalls { account, kind }]
    };
    for left in (0..10).rev() {
        let verdict = windows.take(&calls("a"), at(0));
        assert_eq!((verdict.allowed, verdict.limit, verdict.remaining), (true, 10, left), "the tighter of the two");
    }
    for _ in 0..100 {
        assert!(!windows.take(&calls("a"), at(0)).allowed);
    }
    assert_eq!(windows.peek(&calls("b")[1..], at(0)).remaining, 90);
}

// What another counter said is where this one continues, until that window closes.
#[test]
fn windows_continue_from_what_they_learned() {
    let windows = MemoryWindows::new(true);
    let bucket = Bucket::TripPage("127.0.0.1".parse().expect("an address"));
    windows.sync_from(&bucket, 58, 20_000, at(0));
    let verdict = windows.take(from_ref(&bucket), at(1));
    assert_eq!((verdict.allowed, verdict.remaining, verdict.reset), (true, 1, 19));
    windows.sync_from(&bucket, 60, 18_000, at(2));
    assert!(!windows.take(from_ref(&bucket), at(19)).allowed);
    assert_eq!(windows.take(from_ref(&bucket), at(20)).remaining, 59);
}

#[test]
fn all_apps_of_a_traveller_have_ten_times_the_limit_of_one() {
    let windows = MemoryWindows::new(true);
    let bucket = Bucket::AccountCalls { account: Uuid::from_u128(1), kind: LimitKind::Image };
    assert_eq!((0..300).filter(|_| windows.take(from_ref(&bucket), at(0)).allowed).count(), 200);
}

#[test]
fn a_deleted_accounts_windows_are_forgotten() {
    let windows = MemoryWindows::new(true);
    let (ana, ben) = (Uuid::from_u128(1), Uuid::from_u128(2));
    let address = "127.0.0.1".parse().expect("an address");
    let buckets = |account, name: &str| {
        let (client, kind) = ("app".to_owned(), LimitKind::Image);
        let calls = [Bucket::Calls { account, client, kind }, Bucket::AccountCalls { account, kind }];
        calls.into_iter().chain([Bucket::SignInToAccount(name.to_owned(), address)])
    };
    for bucket in buckets(ana, "ana").chain(buckets(ben, "ben")) {
        windows.take(from_ref(&bucket), at(0));
    }
    windows.forget(ana, "ana");
    let left = |bucket| {
        let verdict = windows.peek(from_ref(&bucket), at(1));
        verdict.limit - verdict.remaining
    };
    assert_eq!(buckets(ana, "ana").map(left).collect::<Vec<_>>(), [0, 0, 0]);
    assert_eq!(buckets(ben, "ben").map(left).collect::<Vec<_>>(), [1, 1, 1]);
}

#[test]
fn closed_windows_are_swept() {
    let windows = MemoryWindows::new(true);
    for n in 0..200_000_u32 {
        let address = IpAddr::from(n.to_be_bytes());
        windows.take(&[Bucket::SignInFromAddress(address)], at(i64::from(n / 100)));
    }
    let open = windows.len();
    assert!(open < 2 * 16 * 1024, "{open} windows are kept");
}

#[tokio::test]
async fn a_bucket_that_is_named_several_times_is_counted_as_often() {
    let limiter = Limiter::new(true);
    let reserve = |number| limiter.reserve(vec![Bucket::DecodedMegapixels(Uuid::from_u128(1)); number], at(0));
    let first = reserve(100).await.expect("room");
    assert_eq!(reserve(21).await.err().map(|full| full.limit), Some(120));
    drop(reserve(20).await.expect("none of the 21 was counted"));
    first.give_back(at(0)).await;
    drop(reserve(100).await.expect("room"));
    assert!(reserve(1).await.is_err());
}

#[test]
fn sign_ins_that_succeed_are_limited_by_account_and_by_address() {
    let windows = MemoryWindows::new(true);
    let address = "127.0.0.1".parse().expect("an address");
    let sign_in = |name: &str| {
        let buckets = [Bucket::SignedInToAccount(name.to_owned()), Bucket::SignedInFromAddress(address)];
        windows.take(&buckets, at(0)).allowed
    };
    assert_eq!((0..30).filter(|_| sign_in("ana")).count(), 20);
    assert_eq!((0..300).filter(|n| sign_in(&format!("traveller-{n}"))).count(), 100);
}
