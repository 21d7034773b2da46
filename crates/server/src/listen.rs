//! The listener: limits the number of connections, and the time that a client may take to send its request.
//!
//! A flood of connections must not lock others out. So a new connection always gets a place: when all are taken, the
//! server closes the connection that has waited longest for the (rest of the) head of its next request, and if none
//! waits, the one whose request is open longest. Event streams are never closed for that; there are few of them
//! ([`App::streams`]).
//!
//! On shutdown it accepts no more connections, answers open requests, and closes the rest after a timeout. Event
//! streams never end by themselves, so it ends them.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::http::{HeaderMap, header};
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, Semaphore, watch};

use crate::app::App;

/// How long a client may take for the head of a request; also how long an idle connection is kept.
const HEAD: Duration = Duration::from_secs(20);
/// How long requests may go on once the server is to end.
const DRAIN: Duration = Duration::from_secs(5);
/// How long is waited after a failure to accept, which nearly always is: too many open files.
const RECOVER: Duration = Duration::from_millis(100);

/// Answers until `stop` says so.
pub(crate) async fn listen(
    listener: TcpListener,
    router: Router,
    app: Arc<App>,
    mut stop: watch::Receiver<bool>,
) -> io::Result<()> {
    let places = Arc::new(Semaphore::new(app.options.connections.max(1)));
    let all = u32::try_from(app.options.connections.max(1)).unwrap_or(u32::MAX);
    let roster = Arc::new(Roster::default());
    loop {
        let accepted = tokio::select! {
            _ = stop.wait_for(|stop| *stop) => break,
            accepted = listener.accept() => accepted,
        };
        let stream = match accepted {
            Ok((stream, _)) => stream,
            Err(cause) => {
                tracing::warn!(target: "osprey::server", %cause, "cannot accept a connection");
                roster.close_one();
                tokio::time::sleep(RECOVER).await;
                continue;
            }
        };
        if places.available_permits() == 0 {
            roster.close_one();
        }
        let place = tokio::select! {
            _ = stop.wait_for(|stop| *stop) => break,
            place = Arc::clone(&places).acquire_owned() => place,
        };
        let (router, app, stop, seat) = (router.clone(), Arc::clone(&app), stop.clone(), roster.enter());
        tokio::spawn(async move {
            app.metrics.connections.inc();
            serve(stream, router, seat, stop).await;
            app.metrics.connections.dec();
            drop(place);
        });
    }
    // all places are free when all connections have ended
    let _ = tokio::time::timeout(DRAIN, places.acquire_many(all)).await;
    Ok(())
}

async fn serve(stream: TcpStream, router: Router, seat: Seat, mut stop: watch::Receiver<bool>) {
    // answers are small and wait for nothing
    let _ = stream.set_nodelay(true);
    let seat = Arc::new(seat);
    let answers = TowerToHyperService::new(router);
    let service = service_fn(|request| {
        let (seat, answer) = (Arc::clone(&seat), answers.call(request));
        async move {
            seat.stands(Stage::Works);
            let response = answer.await;
            let is_stream = response.as_ref().is_ok_and(|response| is_event_stream(response.headers()));
            seat.stands(if is_stream { Stage::Streams } else { Stage::Waits });
            response
        }
    });
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(HEAD).max_headers(64);
    let connection = builder.serve_connection(TokioIo::new(stream), service);
    let mut connection = std::pin::pin!(connection);
    let mut is_ending = false;
    loop {
        tokio::select! {
            _ = connection.as_mut() => break,
            () = seat.closed.notified() => break,
            _ = stop.wait_for(|stop| *stop), if !is_ending => {
                is_ending = true;
                connection.as_mut().graceful_shutdown();
            }
        }
    }
}

fn is_event_stream(headers: &HeaderMap) -> bool {
    headers.get(header::CONTENT_TYPE).is_some_and(|kind| kind.as_bytes().starts_with(b"text/event-stream"))
}

/// What a connection does; the first ones are closed first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    /// Waits for the head of a request, or sends an answer.
    Waits,
    /// A request is worked on.
    Works,
    /// Sends events until the client or the server ends the stream.
    Streams,
}

/// The connections, in the order in which they are closed when there are too many.
#[derive(Debug, Default)]
struct Roster(Mutex<Order>);

#[derive(Debug, Default)]
struct Order {
    /// Who stands where since when, by a count.
    seats: BTreeMap<(Stage, u64), Arc<Notify>>,
    count: u64,
}

impl Roster {
    fn order(&self) -> MutexGuard<'_, Order> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A connection comes in.
    fn enter(self: &Arc<Self>) -> Seat {
        let closed = Arc::new(Notify::new());
        let place = self.order().insert(Stage::Waits, Arc::clone(&closed));
        Seat { roster: Arc::clone(self), place: Mutex::new(place), closed }
    }

    /// Closes one connection, if there is one that may be closed.
    fn close_one(&self) {
        let mut order = self.order();
        if let Some(first) = order.seats.first_entry().filter(|first| first.key().0 != Stage::Streams) {
            first.remove().notify_one();
        }
    }
}

impl Order {
    fn insert(&mut self, stage: Stage, closed: Arc<Notify>) -> (Stage, u64) {
        self.count += 1;
        self.seats.insert((stage, self.count), closed);
        (stage, self.count)
    }
}

/// The place of a connection in the roster; dropping it leaves.
#[derive(Debug)]
struct Seat {
    roster: Arc<Roster>,
    place: Mutex<(Stage, u64)>,
    /// Told when the connection has to go.
    closed: Arc<Notify>,
}

impl Seat {
    fn stands(&self, stage: Stage) {
        let mut place = self.place.lock().unwrap_or_else(PoisonError::into_inner);
        let mut order = self.roster.order();
        // one that is told to go has left already
        if let Some(closed) = order.seats.remove(&*place) {
            *place = order.insert(stage, closed);
        }
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let place = self.place.get_mut().unwrap_or_else(PoisonError::into_inner);
        self.roster.order().seats.remove(place);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Which of the seats was told to go.
    fn told(seats: &[&Seat]) -> Vec<usize> {
        (0..seats.len()).filter(|&at| is_ready(seats[at].closed.notified())).collect()
    }

    fn is_ready(future: impl Future<Output = ()>) -> bool {
        let mut future = std::pin::pin!(future);
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        future.as_mut().poll(&mut context).is_ready()
    }

    #[test]
    fn who_waits_longest_goes_first_then_who_works_longest_and_streams_stay() {
        let roster = Arc::new(Roster::default());
        let [a, b, c, d] = [0; 4].map(|_| roster.enter());
        a.stands(Stage::Streams);
        b.stands(Stage::Works);
        let gone = |expect: &[usize]| {
            roster.close_one();
            assert_eq!(told(&[&a, &b, &c, &d]), expect);
        };
        c.stands(Stage::Works);
        c.stands(Stage::Waits); // answered: after `d`, which has waited since it came
        gone(&[3]);
        gone(&[2]);
        gone(&[1]);
        gone(&[]);
        b.stands(Stage::Works); // one that was told to go does not come back
        gone(&[]);
        drop((a, b, c, d));
        assert!(roster.order().seats.is_empty());
    }
}
