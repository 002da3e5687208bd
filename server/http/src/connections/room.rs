//! The room for connections: how many are open, whose they are, and which one gives way when there is no room.
//!
//! An address holds at most its share, so that it cannot keep others out. When it asks for more, its own idlest connection
//! gives way, or the new one is closed. When the server is full, the address that holds most gives way: its idlest
//! connection. A connection whose request is being worked on never does.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::{Instant, timeout};

use super::link::{Idleness, Link};
use crate::guards::network;

/// How many connections of an address are compared when a new one exceeds its share, so that a flood of new ones costs little.
/// The next ones are compared for the next new connection.
const COMPARED: usize = 64;
/// An address may have at most this part of its share, rounded up, in connections that were asked to give way and have a
/// request: `4` is a quarter.
const LEAVING: usize = 4;
/// How long to wait for a freed seat before looking again for a connection that gives way.
const RECHECK: Duration = Duration::from_millis(50);

/// Why a connection gets no seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoSeat {
    /// Its address holds its share, and none of its connections is idle.
    Share,
    /// The server is full. A connection may have been asked to give way.
    Full,
}

/// The seats of all connections.
pub(super) struct Room {
    /// The maximum number of connections.
    limit: usize,
    /// The maximum number for one address; `None` without a limit.
    share: Option<usize>,
    /// The networks of proxies, whose connections are those of many clients.
    proxies: Vec<IpAddr>,
    /// How long a connection must be idle before it gives way.
    grace: Duration,
    seats: Mutex<Seats>,
    freed: Notify,
}

#[derive(Default)]
struct Seats {
    /// The number of open connections.
    open: usize,
    by_network: HashMap<IpAddr, NetworkConnections>,
    /// When a connection was last asked to give way, unless a seat was freed since: then no other one is asked for a while.
    asked: Option<Instant>,
}

/// The open connections of a network.
#[derive(Default)]
struct NetworkConnections {
    links: Vec<Arc<Link>>,
    /// The index of the connection that is compared next.
    next: usize,
    /// How many of them have been asked to give way. One whose request arrived meanwhile stays until it is answered.
    leaving: usize,
}

impl NetworkConnections {
    fn staying(&self) -> usize {
        self.links.len() - self.leaving
    }

    /// The index of the idlest of the next few connections; `None` if none of them can give way.
    fn idlest_of_next(&mut self, ripe: Option<Instant>) -> Option<usize> {
        let (number, next) = (self.links.len(), self.next);
        self.next = (next + COMPARED.min(number)) % number.max(1);
        let some = (next..next + COMPARED.min(number)).map(|index| index % number);
        idlest(some.map(|index| (index, &self.links[index])), ripe).map(|idlest| idlest.index)
    }

    /// Asks a connection to give way.
    fn ask(&mut self, index: usize) {
        self.links[index].ask_to_leave();
        self.leaving += 1;
    }
}

/// A connection's seat, which is free again when this is dropped.
pub(super) struct Seat {
    room: Arc<Room>,
    pub(super) link: Arc<Link>,
}

impl Room {
    pub(super) fn new(limit: usize, share: Option<usize>, grace: Duration, proxies: &[IpAddr]) -> Self {
        let proxies = proxies.iter().map(|proxy| network(proxy.to_canonical())).collect();
        let share = share.map(|share| share.max(1));
        Self { limit: limit.max(1), share, proxies, grace, seats: Mutex::default(), freed: Notify::new() }
    }

    fn seats(&self) -> MutexGuard<'_, Seats> {
        self.seats.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives a new connection a seat, if need be by asking another one to give way.
    pub(super) fn enter(self: &Arc<Self>, remote: SocketAddr) -> Result<Seat, NoSeat> {
        let (network, ripe) = (network(remote.ip().to_canonical()), self.ripe());
        let mut seats = self.seats();
        let share = self.share.filter(|_| !self.proxies.contains(&network));
        let (staying, leaving) = seats.by_network.get(&network).map_or((0, 0), |held| (held.staying(), held.leaving));
        // Otherwise an address could exceed its share with connections whose last responses it reads slowly.
        if share.is_some_and(|share| staying + leaving >= share + share.div_ceil(LEAVING)) {
            return Err(NoSeat::Share);
        }
        if share.is_some_and(|share| staying >= share) {
            let held = seats.by_network.entry(network).or_default();
            let leaves = held.idlest_of_next(ripe).ok_or(NoSeat::Share)?;
            held.ask(leaves);
            seats.asked = Some(Instant::now());
        }
        if seats.open >= self.limit {
            if seats.asked.is_none_or(|asked| asked.elapsed() >= RECHECK) {
                seats.asked = self.ask_heaviest(&mut seats, ripe).then(Instant::now);
            }
            return Err(NoSeat::Full);
        }
        let link = Arc::new(Link::new(remote));
        seats.open += 1;
        seats.by_network.entry(network).or_default().links.push(Arc::clone(&link));
        Ok(Seat { room: Arc::clone(self), link })
    }

    /// Completes when a seat is freed, or it is time to look again.
    pub(super) async fn changes(&self) {
        let _ = timeout(RECHECK, self.freed.notified()).await;
    }

    /// Connections that have been idle since before this instant may be closed.
    fn ripe(&self) -> Option<Instant> {
        Instant::now().checked_sub(self.grace)
    }

    /// Asks the idlest connection of the network with the most connections to give way. Proxies come last. Returns whether
    /// there is one.
    fn ask_heaviest(&self, seats: &mut Seats, ripe: Option<Instant>) -> bool {
        let can = seats.by_network.iter_mut().filter_map(|(network, held)| {
            let idlest = idlest(held.links.iter().enumerate(), ripe)?;
            let weight = if self.proxies.contains(network) { 0 } else { held.staying() };
            Some(((weight, Reverse((idlest.idleness, idlest.since))), idlest.index, held))
        });
        let Some((_, index, held)) = can.max_by_key(|(weight, ..)| *weight) else { return false };
        held.ask(index);
        true
    }
}

/// A connection that can give way.
struct Idlest {
    idleness: Idleness,
    since: Instant,
    index: usize,
}

/// The idlest of these connections; `None` if none can give way.
fn idlest<'l>(links: impl Iterator<Item = (usize, &'l Arc<Link>)>, ripe: Option<Instant>) -> Option<Idlest> {
    let idle = links.filter(|(_, link)| !link.is_leaving()).filter_map(|(index, link)| {
        let (idleness, since) = link.idleness()?;
        Some(Idlest { idleness, since, index })
    });
    idle.filter(|link| ripe.is_some_and(|ripe| link.since <= ripe)).min_by_key(|link| (link.idleness, link.since))
}

impl Drop for Seat {
    fn drop(&mut self) {
        let network = network(self.link.remote.ip().to_canonical());
        let mut seats = self.room.seats();
        seats.open -= 1;
        seats.asked = None;
        if let Some(held) = seats.by_network.get_mut(&network) {
            held.links.retain(|link| !Arc::ptr_eq(link, &self.link));
            held.leaving -= usize::from(self.link.is_leaving());
            if held.links.is_empty() {
                seats.by_network.remove(&network);
            }
        }
        drop(seats);
        self.room.freed.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::advance;

    use super::*;

    const GRACE: Duration = Duration::from_secs(1);

    fn room(limit: usize, share: Option<usize>) -> Arc<Room> {
        Arc::new(Room::new(limit, share, GRACE, &["10.0.0.9".parse().expect("an address")]))
    }

    fn at(address: &str) -> SocketAddr {
        SocketAddr::new(address.parse().expect("an address"), 1)
    }

    fn seat(room: &Arc<Room>, address: &str) -> Seat {
        let Ok(seat) = room.enter(at(address)) else { panic!("there is no room") };
        seat
    }

    fn refused(room: &Arc<Room>, address: &str) -> NoSeat {
        let Err(why) = room.enter(at(address)) else { panic!("there is room") };
        why
    }

    /// Makes a connection's request one that is worked on.
    fn work(seat: &Seat) {
        assert!(seat.link.poll_begin(false).is_ready());
    }

    #[tokio::test(start_paused = true)]
    async fn an_address_holds_at_most_its_share() {
        let room = room(8, Some(2));
        let held = [seat(&room, "192.0.2.1"), seat(&room, "::ffff:192.0.2.1")];
        assert_eq!(refused(&room, "192.0.2.1"), NoSeat::Share);
        let _others = [seat(&room, "192.0.2.2"), seat(&room, "2001:db8:0:1::1"), seat(&room, "2001:db8:0:1::2")];
        assert_eq!(refused(&room, "2001:db8:0:1:ffff::3"), NoSeat::Share, "a /64 is one address");
        let _next = seat(&room, "2001:db8:0:2::1");
        drop(held);
        let _again = seat(&room, "192.0.2.1");
    }

    #[tokio::test(start_paused = true)]
    async fn proxies_and_servers_without_limits_have_no_share() {
        let (shared, unlimited) = (room(8, Some(2)), room(8, None));
        let proxies: Vec<_> = (0..8).map(|_| seat(&shared, "10.0.0.9")).collect();
        let all: Vec<_> = (0..8).map(|_| seat(&unlimited, "192.0.2.1")).collect();
        assert_eq!((proxies.len(), all.len()), (8, 8));
    }

    #[tokio::test(start_paused = true)]
    async fn beyond_its_share_an_address_gives_up_its_idlest_connection() {
        let room = room(8, Some(2));
        let (first, second) = (seat(&room, "192.0.2.1"), seat(&room, "192.0.2.1"));
        work(&first);
        advance(GRACE).await;
        let _third = seat(&room, "192.0.2.1");
        second.link.leaves().await;
        assert_eq!(refused(&room, "192.0.2.1"), NoSeat::Share, "one works, and one is new");
    }

    #[tokio::test(start_paused = true)]
    async fn all_connections_are_compared_in_turn() {
        let room = room(1_000, Some(3 * COMPARED));
        let mut open: Vec<_> = (0..3 * COMPARED).map(|_| seat(&room, "192.0.2.1")).collect();
        open.iter().take(3 * COMPARED - 1).for_each(work);
        advance(GRACE).await;
        for _ in 0..2 {
            assert_eq!(refused(&room, "192.0.2.1"), NoSeat::Share, "these are at work");
        }
        open.push(seat(&room, "192.0.2.1"));
        open[3 * COMPARED - 1].link.leaves().await;
    }

    #[tokio::test(start_paused = true)]
    async fn connections_that_leave_slowly_stay_within_a_bound() {
        let room = room(100, Some(4));
        let mut open: Vec<_> = (0..4).map(|_| seat(&room, "192.0.2.1")).collect();
        advance(GRACE).await;
        open.push(seat(&room, "192.0.2.1"));
        // The one that was asked has a request, which takes its time.
        let leaving = open.iter().position(|seat| seat.link.is_leaving()).expect("one was asked");
        work(&open[leaving]);
        advance(GRACE).await;
        assert_eq!(refused(&room, "192.0.2.1"), NoSeat::Share);
        drop(open.swap_remove(leaving));
        let _next = seat(&room, "192.0.2.1");
    }

    #[tokio::test(start_paused = true)]
    async fn a_full_server_takes_from_whoever_holds_most() {
        let room = room(5, None);
        let one = seat(&room, "192.0.2.1");
        let most = [seat(&room, "192.0.2.2"), seat(&room, "192.0.2.2"), seat(&room, "192.0.2.2")];
        let proxy = seat(&room, "10.0.0.9");
        assert_eq!(refused(&room, "192.0.2.3"), NoSeat::Full, "all are too new");
        most[0].link.begin_receiving();
        work(&most[1]);
        advance(GRACE).await;
        // First the one that has sent nothing, then the one with an unfinished request, and never the one at work.
        for leaving in [&most[2], &most[0], &one, &proxy] {
            assert_eq!(refused(&room, "192.0.2.3"), NoSeat::Full);
            leaving.link.leaves().await;
            assert_eq!(refused(&room, "192.0.2.3"), NoSeat::Full, "no other one is asked at once");
            advance(RECHECK).await;
        }
        assert_eq!(refused(&room, "192.0.2.3"), NoSeat::Full, "until one has left");
        drop(one);
        room.changes().await;
        let _new = seat(&room, "192.0.2.3");
    }
}
