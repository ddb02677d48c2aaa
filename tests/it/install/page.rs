//! A page with releases: a server on loopback that has files, or only the first half of one.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use crate::support::wait;

/// The server; it ends when this is dropped.
pub struct Page {
    url: String,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    files: Mutex<HashMap<String, Reply>>,
    asked: AtomicUsize,
    halves: AtomicUsize,
    hung_up: AtomicBool,
    ended: AtomicBool,
}

/// What a path is answered with; any other is not found.
#[derive(Clone)]
pub enum Reply {
    Whole(Vec<u8>),
    /// The first half, then nothing until it hangs up.
    Half(Vec<u8>),
}

impl Page {
    pub fn serve() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let shared = Arc::new(Shared::default());
        let server = Arc::clone(&shared);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if server.ended.load(Ordering::Relaxed) {
                    return;
                }
                let server = Arc::clone(&server);
                std::thread::spawn(move || server.answer(&stream));
            }
        });
        Self { url, shared }
    }

    pub fn url(&self) -> &str {
        &self.url
    }

    pub fn put(&self, path: &str, reply: Reply) {
        self.shared.files.lock().unwrap().insert(path.to_owned(), reply);
    }

    /// How many files were asked for.
    pub fn asked(&self) -> usize {
        self.shared.asked.load(Ordering::Relaxed)
    }

    pub fn wait_for_half(&self) {
        wait("half of a file is sent", || self.shared.halves.load(Ordering::Relaxed) > 0);
    }

    /// Closes what has got a half, and from now on each right after it.
    pub fn hang_up(&self) {
        self.shared.hung_up.store(true, Ordering::Relaxed);
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        self.hang_up();
        self.shared.ended.store(true, Ordering::Relaxed);
        // The listener checks it at the next connection.
        _ = TcpStream::connect(self.url.trim_start_matches("http://"));
    }
}

impl Shared {
    /// A client that goes away in between is no failure of the server.
    fn answer(&self, stream: &TcpStream) {
        self.asked.fetch_add(1, Ordering::Relaxed);
        let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
        let Some(Ok(request)) = lines.next() else { return };
        // The headers, to the empty line after them.
        _ = lines.map_while(Result::ok).take_while(|line| !line.is_empty()).count();
        let path = request.split(' ').nth(1).unwrap_or_default();
        let reply = self.files.lock().unwrap().get(path).cloned();
        match reply {
            None => send(stream, "404 Not Found", 0, b""),
            Some(Reply::Whole(bytes)) => send(stream, "200 OK", bytes.len(), &bytes),
            Some(Reply::Half(bytes)) => {
                send(stream, "200 OK", bytes.len(), &bytes[..bytes.len() / 2]);
                self.halves.fetch_add(1, Ordering::Relaxed);
                wait("it may hang up", || self.hung_up.load(Ordering::Relaxed));
            }
        }
    }
}

fn send(mut stream: &TcpStream, status: &str, length: usize, body: &[u8]) {
    let head = format!("HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n");
    _ = stream.write_all(head.as_bytes());
    _ = stream.write_all(body);
}
