//! The server: pages and their sockets, on this machine's loopback only.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::TrySendError;
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::ws::{CloseFrame, Message as Sent, WebSocket, WebSocketUpgrade, close_code};
use axum::extract::{Path, State};
use axum::http::{HeaderMap, Response, StatusCode, header};
use axum::response::IntoResponse;
use axum::routing::get;
use serde_json::json;
use tokio::net::TcpListener;
use tokio::sync::{oneshot, watch};

use crate::engine::{Engine, Published};
use crate::error::LiveError;
use crate::guard::{self, Allowance, Token};
use crate::message::Message;
use crate::page;
use crate::playback::Run;

/// How long a page may take to receive what it is sent; then it is gone.
const PATIENCE: Duration = Duration::from_secs(20);

/// What scripts and styles a page may load: its own.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: \
                      blob:; media-src blob:; connect-src 'self' ws://127.0.0.1:* ws://localhost:*; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// What the pages show.
pub enum Content {
    /// A simulation that runs.
    Live(Box<Engine>),
    /// A run that is played.
    Run(Box<Run>),
}

struct Shared {
    content: Content,
    token: Token,
    port: u16,
    pages: AtomicUsize,
}

/// A server that pages can talk to.
pub struct Server {
    address: String,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Server {
    /// Starts at a port of the loopback; at 0 any that is free.
    pub fn start(content: Content, port: u16) -> Result<Self, LiveError> {
        let failed = |error: &dyn std::fmt::Display| LiveError::Server(error.to_string());
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| failed(&error))?;
        let place = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let listener = runtime.block_on(TcpListener::bind(place)).map_err(|error| {
            LiveError::Server(format!("{place}: {error}; choose another --port"))
        })?;
        let port = listener.local_addr().map_err(|error| failed(&error))?.port();
        let token = Token::new().map_err(LiveError::Server)?;
        let address = format!("http://127.0.0.1:{port}/{}/", token.text());
        let shared = Arc::new(Shared { content, token, port, pages: AtomicUsize::new(0) });
        let (stop, stopped) = oneshot::channel::<()>();
        let serve = async move {
            let served = axum::serve(listener, router(shared)).into_future();
            tokio::select! { _ = served => {}, _ = stopped => {} }
        };
        let thread = std::thread::Builder::new().name("server".into());
        let thread = thread.spawn(move || runtime.block_on(serve)).map_err(|e| failed(&e))?;
        Ok(Self { address, stop: Some(stop), thread: Some(thread) })
    }

    /// The address of the page, secret included.
    pub fn address(&self) -> &str {
        &self.address
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.stop.take());
        // A server that panicked has said so.
        let _ = self.thread.take().map(std::thread::JoinHandle::join);
    }
}

fn router(shared: Arc<Shared>) -> Router {
    Router::new()
        .route("/{token}/", get(index))
        .route("/{token}/live", get(live))
        .route("/{token}/run/{*what}", get(run))
        .route("/{token}/{file}", get(file))
        .with_state(shared)
}

impl Shared {
    /// Lets in who knows the token and is a page of ours.
    fn admit(&self, token: &str, headers: &HeaderMap, socket: bool) -> Result<(), StatusCode> {
        guard::check(headers, self.port, socket)?;
        if self.token.is(token) { Ok(()) } else { Err(StatusCode::NOT_FOUND) }
    }
}

fn answer(kind: &'static str, body: impl Into<Body>) -> Response<Body> {
    let mut response = Response::new(body.into());
    let headers = response.headers_mut();
    for (name, value) in [
        (header::CONTENT_TYPE, kind),
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-store"),
    ] {
        headers.insert(name, header::HeaderValue::from_static(value));
    }
    response
}

async fn index(
    State(shared): State<Arc<Shared>>,
    Path(token): Path<String>,
    headers: HeaderMap,
) -> Result<Response<Body>, StatusCode> {
    shared.admit(&token, &headers, false)?;
    let mode = match &shared.content {
        Content::Live(_) => "live",
        Content::Run(_) => "run",
    };
    Ok(answer("text/html; charset=utf-8", page::index(mode)))
}

async fn file(
    State(shared): State<Arc<Shared>>,
    Path((token, file)): Path<(String, String)>,
    headers: HeaderMap,
) -> Result<Response<Body>, StatusCode> {
    shared.admit(&token, &headers, false)?;
    let (kind, text) = page::file(&file).ok_or(StatusCode::NOT_FOUND)?;
    Ok(answer(kind, text))
}

async fn run(
    State(shared): State<Arc<Shared>>,
    Path((token, what)): Path<(String, String)>,
    headers: HeaderMap,
) -> Result<Response<Body>, StatusCode> {
    shared.admit(&token, &headers, false)?;
    let Content::Run(run) = &shared.content else { return Err(StatusCode::NOT_FOUND) };
    let number = |text: &str| text.parse::<u64>().map_err(|_| StatusCode::NOT_FOUND);
    let found = match what.split_once('/') {
        None if what == "about" => return Ok(answer("application/json", run.about())),
        None if what == "solids" => run.solids_at(0.0),
        Some(("solids", at)) => run.solids_of(number(at)? as u32),
        Some(("frame", at)) => run.frame(number(at)? as u32),
        Some(("topology", at)) => run.topology(number(at)?),
        _ => return Err(StatusCode::NOT_FOUND),
    };
    match found {
        Ok(bytes) => Ok(answer("application/octet-stream", bytes)),
        Err(error) => {
            let mut response = answer("text/plain; charset=utf-8", error.to_string());
            *response.status_mut() = StatusCode::NOT_FOUND;
            Ok(response)
        }
    }
}

async fn live(
    State(shared): State<Arc<Shared>>,
    Path(token): Path<String>,
    headers: HeaderMap,
    upgrade: WebSocketUpgrade,
) -> Result<Response<Body>, StatusCode> {
    shared.admit(&token, &headers, true)?;
    if shared.pages.load(Ordering::Relaxed) >= guard::PAGES {
        return Err(StatusCode::SERVICE_UNAVAILABLE);
    }
    let upgrade = upgrade.max_message_size(guard::LARGEST).max_frame_size(guard::LARGEST);
    Ok(upgrade.on_upgrade(move |socket| attend(shared, socket)).into_response())
}

/// Talks to a page until it goes.
async fn attend(shared: Arc<Shared>, mut socket: WebSocket) {
    let Content::Live(engine) = &shared.content else { return };
    shared.pages.fetch_add(1, Ordering::Relaxed);
    let reason = talk(engine, &mut socket).await;
    shared.pages.fetch_sub(1, Ordering::Relaxed);
    if let Some(reason) = reason {
        let frame = CloseFrame { code: close_code::POLICY, reason: reason.into() };
        // Who is gone hears nothing.
        let _ = tokio::time::timeout(PATIENCE, socket.send(Sent::Close(Some(frame)))).await;
    }
}

/// Sends the newest frame whenever the page has taken the one before, and hears what it says; a
/// reason if it has to go.
async fn talk(engine: &Engine, socket: &mut WebSocket) -> Option<&'static str> {
    let mut published: watch::Receiver<Published> = engine.published.clone();
    published.mark_changed();
    let mut notices = engine.notices.subscribe();
    let mut allowance = Allowance::new(Instant::now());
    let mut known = Known::default();
    if !deliver(socket, Sent::Text(engine.hello.to_string().into())).await {
        return None;
    }
    loop {
        tokio::select! {
            said = socket.recv() => match said {
                Some(Ok(Sent::Text(text))) => {
                    if !allowance.take(Instant::now()) {
                        return Some("too many messages");
                    }
                    if let Some(refusal) = hear(engine, text.as_str())
                        && !deliver(socket, Sent::Text(refusal.into())).await
                    {
                        return None;
                    }
                }
                Some(Ok(Sent::Binary(_))) => return Some("pages say text"),
                Some(Ok(Sent::Ping(_) | Sent::Pong(_))) => {}
                Some(Ok(Sent::Close(_)) | Err(_)) | None => return None,
            },
            changed = published.changed() => {
                changed.ok()?;
                let newest = published.borrow_and_update().clone();
                if !known.send(newest, socket).await {
                    return None;
                }
            }
            notice = notices.recv() => {
                // Who is behind has missed some.
                if let Ok(notice) = notice
                    && !deliver(socket, Sent::Text(notice.to_string().into())).await
                {
                    return None;
                }
            }
        }
    }
}

/// What a page says; an answer if it is refused.
fn hear(engine: &Engine, text: &str) -> Option<String> {
    let refuse =
        |why: &str| Some(json!({ "say": "notice", "level": "error", "text": why }).to_string());
    match Message::read(text) {
        Err(why) => refuse(&format!("this message is refused: {why}")),
        Ok(message) => match engine.orders.try_send(message) {
            Ok(()) => None,
            Err(TrySendError::Full(_)) => refuse("the simulation is behind with what it was told"),
            Err(TrySendError::Disconnected(_)) => refuse("the simulation has ended"),
        },
    }
}

/// What a page has.
#[derive(Default)]
struct Known {
    topology: u32,
    solids: u32,
    status: Option<Arc<str>>,
}

impl Known {
    /// Sends what is new; false if the page is gone.
    async fn send(&mut self, newest: Published, socket: &mut WebSocket) -> bool {
        let mut messages: Vec<Sent> = Vec::with_capacity(4);
        let mut binary = |bytes: Bytes| messages.push(Sent::Binary(bytes));
        if self.topology != newest.topology.0 {
            self.topology = newest.topology.0;
            binary(newest.topology.1);
        }
        if self.solids != newest.solids.0 {
            self.solids = newest.solids.0;
            binary(newest.solids.1);
        }
        binary(newest.frame);
        if self.status.as_ref().is_none_or(|known| !Arc::ptr_eq(known, &newest.status)) {
            messages.push(Sent::Text(newest.status.to_string().into()));
            self.status = Some(newest.status);
        }
        for message in messages {
            if !deliver(socket, message).await {
                return false;
            }
        }
        true
    }
}

async fn deliver(socket: &mut WebSocket, message: Sent) -> bool {
    matches!(tokio::time::timeout(PATIENCE, socket.send(message)).await, Ok(Ok(())))
}
