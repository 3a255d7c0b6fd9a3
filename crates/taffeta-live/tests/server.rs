//! The server: who is let in, what a page gets, and that nothing a page says does harm.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::time::{Duration, Instant};

use taffeta_live::{Content, Engine, Library, Server};
use taffeta_scene::{SceneFile, SceneText};
use tungstenite::client::IntoClientRequest;
use tungstenite::{Message, WebSocket};

const SCENE: &str = "\
[cloth.sheet]
size = [0.3, 0.3]
particles = [6, 6]
[[pin]]
edge = \"top\"
[frames]
rate = 60.0
";

fn serve() -> Server {
    let scene = SceneText { origin: "t.toml", name: "t", base: Path::new("."), text: SCENE };
    let scene = SceneFile::read(scene, &[]).unwrap();
    let folder = std::env::temp_dir();
    let library = Library { scene, from: None, folder, memory: 1 << 30 };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let engine = Engine::start(library, pool).unwrap();
    Server::start(Content::Live(Box::new(engine)), 0).unwrap()
}

/// Host and port, and the path with the secret.
fn parts(server: &Server) -> (String, String) {
    let rest = server.address().strip_prefix("http://").unwrap();
    let (host, path) = rest.split_once('/').unwrap();
    (host.into(), format!("/{path}"))
}

fn get(host: &str, path: &str, headers: &str) -> String {
    let mut stream = TcpStream::connect(host).unwrap();
    write!(stream, "GET {path} HTTP/1.1\r\n{headers}Connection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

fn status(answer: &str) -> u32 {
    answer.split_whitespace().nth(1).unwrap().parse().unwrap()
}

fn connect(server: &Server, origin: Option<&str>) -> tungstenite::Result<WebSocket<TcpStream>> {
    let (host, path) = parts(server);
    let mut request = format!("ws://{host}{path}live").into_client_request()?;
    if let Some(origin) = origin {
        request.headers_mut().insert("Origin", origin.parse().unwrap());
    }
    let stream = TcpStream::connect(&host)?;
    stream.set_read_timeout(Some(Duration::from_secs(20)))?;
    let handshake = tungstenite::client(request, stream);
    handshake.map(|(socket, _)| socket).map_err(|error| match error {
        tungstenite::HandshakeError::Failure(error) => error,
        tungstenite::HandshakeError::Interrupted(_) => panic!("it does not block"),
    })
}

fn page(server: &Server) -> WebSocket<TcpStream> {
    let (host, _) = parts(server);
    connect(server, Some(&format!("http://{host}"))).unwrap()
}

/// The numbers of the next so many frames that a page gets.
fn frames(socket: &mut WebSocket<TcpStream>, count: usize) -> Vec<u32> {
    let mut numbers = Vec::new();
    while numbers.len() < count {
        if let Message::Binary(bytes) = socket.read().unwrap() {
            assert_eq!(&bytes[..4], b"TAFL");
            if bytes[6] == 1 {
                numbers.push(u32::from_le_bytes(bytes[16..20].try_into().unwrap()));
            }
        }
    }
    numbers
}

#[test]
fn pages_come_with_the_secret_and_from_here_only() {
    let server = serve();
    let (host, path) = parts(&server);
    let own = format!("Host: {host}\r\n");
    let index = get(&host, &path, &own);
    assert_eq!(status(&index), 200);
    assert!(index.contains("data-mode=\"live\"") && index.contains("content-security-policy"));
    for file in ["app.js", "style.css", "icon.svg"] {
        assert_eq!(status(&get(&host, &format!("{path}{file}"), &own)), 200, "{file}");
    }
    for other in ["/", "/x/", "/0123456789abcdef0123456789abcdef/", "/0/app.js"] {
        assert_eq!(status(&get(&host, other, &own)), 404, "{other}");
    }
    assert_eq!(status(&get(&host, &format!("{path}../../etc/passwd"), &own)), 404);
    assert_eq!(status(&get(&host, &format!("{path}run/about"), &own)), 404);
    assert_eq!(status(&get(&host, &path, "Host: evil.example\r\n")), 403);
    let foreign = format!("{own}Origin: http://evil.example\r\n");
    assert_eq!(status(&get(&host, &path, &foreign)), 403);
    for origin in [None, Some("http://evil.example"), Some("null")] {
        assert!(connect(&server, origin).is_err(), "{origin:?}");
    }
}

#[test]
fn topology_comes_once_and_frames_go_on_for_several_pages() {
    let server = serve();
    let (mut one, mut other) = (page(&server), page(&server));
    let mut kinds = Vec::new();
    while kinds.iter().filter(|kind| **kind == 1).count() < 20 {
        if let Message::Binary(bytes) = one.read().unwrap() {
            kinds.push(bytes[6]);
        }
    }
    assert_eq!(kinds[..3], [2, 3, 1]);
    assert_eq!(kinds.iter().filter(|kind| **kind != 1).count(), 2);
    let numbers = frames(&mut other, 20);
    assert!(numbers.windows(2).all(|pair| pair[0] < pair[1]), "{numbers:?}");
}

#[test]
fn a_page_that_does_not_listen_stalls_nobody() {
    let server = serve();
    let mut deaf = page(&server);
    let mut other = page(&server);
    let begun = Instant::now();
    let numbers = frames(&mut other, 60);
    assert!(begun.elapsed() < Duration::from_secs(15));
    // It gets what is newest, not all that was.
    let late = frames(&mut deaf, 400).pop().unwrap();
    assert!(late > *numbers.last().unwrap());
}

#[test]
fn nothing_a_page_says_does_harm() {
    let server = serve();
    let mut socket = page(&server);
    let mut state = 0x9E37_79B9u64;
    let mut random = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 33) as u32
    };
    let seeds = [
        r#"{"say":"act","act":{"do":"grab","particle":3,"radius":0.1,"to":[0,1,2]}}"#,
        r#"{"say":"act","act":{"do":"throw","from":[0,0,1],"velocity":[0,0,-3],"radius":0.1}}"#,
        r#"{"say":"act","act":{"do":"fan","position":[0,0,1],"direction":[0,0,-1],"speed":3,"radius":0.1}}"#,
        r#"{"say":"act","act":{"do":"gravity","value":[0,-9,0]}}"#,
        r#"{"say":"act","act":{"do":"fabric","name":"silk"}}"#,
        r#"{"say":"toggle-pin","particle":3}"#,
        r#"{"say":"stroke","eye":[0,0,1],"rays":[[0,0,-1],[0,1,-1]]}"#,
        r#"{"say":"speed","value":2}"#,
        r#"{"say":"undo"}"#,
        r#"{"say":"scene","name":"hang"}"#,
    ];
    for _ in 0..300 {
        let mut text: Vec<u8> = seeds[random() as usize % seeds.len()].into();
        for _ in 0..random() % 4 {
            let at = random() as usize % text.len();
            text[at] = b"0123456789eE.-[]{},:\"ax "[random() as usize % 24];
        }
        if let Ok(text) = String::from_utf8(text) {
            socket.send(Message::text(text)).unwrap();
        }
        std::thread::sleep(Duration::from_millis(4));
    }
    socket.send(Message::text(r#"{"say":"scene","name":"t"}"#)).unwrap();
    socket.send(Message::text(r#"{"say":"play"}"#)).unwrap();
    frames(&mut socket, 30);
}

#[test]
fn too_much_and_too_often_ends_the_page_but_not_the_simulation() {
    let server = serve();
    let mut loud = page(&server);
    for _ in 0..3000 {
        if loud.send(Message::text(r#"{"say":"play"}"#)).is_err() {
            break;
        }
    }
    let closed = std::iter::repeat_with(|| loud.read()).take(5000).find_map(|read| match read {
        Ok(Message::Close(frame)) => Some(frame.map(|frame| frame.reason.to_string())),
        Err(_) => Some(None),
        Ok(_) => None,
    });
    assert!(closed.is_some(), "it is closed");
    let mut long = page(&server);
    let _ = long.send(Message::text("x".repeat(1 << 20)));
    let ended = std::iter::repeat_with(|| long.read()).take(5000);
    assert!(ended.into_iter().any(|read| matches!(read, Err(_) | Ok(Message::Close(_)))));
    let mut bytes = page(&server);
    bytes.send(Message::binary(vec![1, 2, 3])).unwrap();
    let ended = std::iter::repeat_with(|| bytes.read()).take(5000);
    assert!(ended.into_iter().any(|read| matches!(read, Err(_) | Ok(Message::Close(_)))));
    frames(&mut page(&server), 10);
}
