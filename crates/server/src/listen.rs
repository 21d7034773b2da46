//! The listener: limits the number of connections, and the time that a client may take to send its request.
//!
//! On shutdown it accepts no more connections, answers open requests, and closes the rest after a timeout. Event
//! streams never end by themselves, so it ends them.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};

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
    loop {
        let place = tokio::select! {
            _ = stop.wait_for(|stop| *stop) => break,
            place = Arc::clone(&places).acquire_owned() => place,
        };
        let accepted = tokio::select! {
            _ = stop.wait_for(|stop| *stop) => break,
            accepted = listener.accept() => accepted,
        };
        let stream = match accepted {
            Ok((stream, _)) => stream,
            Err(cause) => {
                tracing::warn!(target: "osprey::server", %cause, "cannot accept a connection");
                tokio::time::sleep(RECOVER).await;
                continue;
            }
        };
        let (router, app, stop) = (router.clone(), Arc::clone(&app), stop.clone());
        tokio::spawn(async move {
            app.metrics.connections.inc();
            serve(stream, router, stop).await;
            app.metrics.connections.dec();
            drop(place);
        });
    }
    // all places are free when all connections have ended
    let _ = tokio::time::timeout(DRAIN, places.acquire_many(all)).await;
    Ok(())
}

async fn serve(stream: TcpStream, router: Router, mut stop: watch::Receiver<bool>) {
    // answers are small and wait for nothing
    let _ = stream.set_nodelay(true);
    let service = TowerToHyperService::new(router);
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(HEAD).max_headers(64);
    let connection = builder.serve_connection(TokioIo::new(stream), service);
    let mut connection = std::pin::pin!(connection);
    let mut is_ending = false;
    loop {
        tokio::select! {
            _ = connection.as_mut() => break,
            _ = stop.wait_for(|stop| *stop), if !is_ending => {
                is_ending = true;
                connection.as_mut().graceful_shutdown();
            }
        }
    }
}
