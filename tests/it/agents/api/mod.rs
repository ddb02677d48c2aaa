//! A Messages API on loopback that the real CLIs take for the service: what it answers is written by the test. It
//! speaks as the APIs of Gemini and of `OpenAI`, too.
//!
//! `ANSWER<<text>>` in the user's message is answered with that text. `SCRIPT:name` plays the script of that
//! name, one reply for each request: the tools' results bring the next one, and the last one is repeated.
//! Every request is kept, so that a test can say what was sent and how often.

mod gemini;
mod messages;
mod openai;

use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Instant;
use std::vec::IntoIter;

use axum::body::Bytes;
use axum::extract::State;
use axum::http::{Method, StatusCode, Uri};
use axum::response::sse::{Event, Sse};
use axum::response::{AppendHeaders, IntoResponse, Response};
use futures_util::stream;
use serde_json::{Value, json};
use tokio::sync::{Semaphore, oneshot};

/// One running service; it ends when this is dropped.
pub struct Api {
    url: String,
    shared: Arc<Shared>,
    stop: Option<oneshot::Sender<()>>,
}

#[derive(Default)]
struct Shared {
    scripts: Mutex<HashMap<String, Vec<Reply>>>,
    requests: Mutex<Vec<Request>>,
    /// When the limit of the plan ends that refusals name, Unix time in seconds.
    limit_ends: Mutex<Option<u64>>,
    hits: AtomicUsize,
}

/// One request for a message, as it arrived.
#[derive(Debug, Clone)]
pub struct Request {
    /// The whole body.
    pub body: Value,
    /// When it was there.
    pub at: Instant,
}

/// What to answer one request with.
#[derive(Clone)]
pub enum Reply {
    /// A message of the model.
    Message(Vec<Block>),
    /// An HTTP error: status, error type, text.
    Error(u16, &'static str, &'static str),
}

/// A part of a message.
#[derive(Clone)]
pub enum Block {
    /// Text, sent a few characters at a time.
    Text(String),
    /// A tool call: name and input.
    Tool(String, Value),
    /// Nothing is sent until the gate is opened.
    Wait(Gate),
}

/// Holds an answer back until the test lets it go on.
#[derive(Clone)]
pub struct Gate(Arc<Waiting>);

struct Waiting {
    open: Semaphore,
    is_reached: AtomicBool,
}

impl Gate {
    /// A closed gate.
    pub fn new() -> Self {
        Self(Arc::new(Waiting { open: Semaphore::new(0), is_reached: AtomicBool::new(false) }))
    }

    /// Whether all that stands before it has been sent, and no more.
    pub fn is_reached(&self) -> bool {
        self.0.is_reached.load(Ordering::SeqCst)
    }

    /// Lets everything pass from now on.
    pub fn open(&self) {
        self.0.open.close();
    }

    async fn wait(&self) {
        self.0.is_reached.store(true, Ordering::SeqCst);
        // Opening closes the semaphore, which ends every wait with an error.
        drop(self.0.open.acquire().await);
    }
}

/// A text answer that ends the turn.
pub fn says(text: &str) -> Reply {
    Reply::Message(vec![Block::Text(text.to_owned())])
}

/// A message that calls tools, after some text where that is not empty.
pub fn calls(text: &str, tools: &[(&str, Value)]) -> Reply {
    let said = (!text.is_empty()).then(|| Block::Text(text.to_owned()));
    let called = tools.iter().map(|(name, input)| Block::Tool((*name).to_owned(), input.clone()));
    Reply::Message(said.into_iter().chain(called).collect())
}

impl Api {
    /// Starts the service on a free port.
    pub fn start() -> Self {
        let shared = Arc::new(Shared::default());
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let (stop, stopped) = oneshot::channel();
        let router = axum::Router::new().fallback(serve).with_state(Arc::clone(&shared));
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                let listener = tokio::net::TcpListener::from_std(listener).unwrap();
                let server = std::future::IntoFuture::into_future(axum::serve(listener, router));
                tokio::select! {
                    ended = server => ended.unwrap(),
                    _ = stopped => {}
                }
            });
        });
        Self { url, shared, stop: Some(stop) }
    }

    /// The base address, without a slash at its end.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Says what `SCRIPT:name` is answered with.
    pub fn script(&self, name: &str, replies: impl Into<Vec<Reply>>) {
        self.shared.scripts.lock().unwrap().insert(name.to_owned(), replies.into());
    }

    /// Refusals are for a limit of the user's plan, which ends then, Unix time in seconds.
    pub fn limit_until(&self, at: u64) {
        *self.shared.limit_ends.lock().unwrap() = Some(at);
    }

    /// The requests for messages so far.
    pub fn requests(&self) -> Vec<Request> {
        self.shared.requests.lock().unwrap().clone()
    }

    /// How often anything at all was asked, whatever it was.
    pub fn hits(&self) -> usize {
        self.shared.hits.load(Ordering::SeqCst)
    }
}

impl Drop for Api {
    fn drop(&mut self) {
        let _ = self.stop.take().unwrap().send(());
    }
}

impl Request {
    /// All texts of the user's messages, in order.
    pub fn user_text(&self) -> String {
        let texts = self.messages().iter().filter(|message| message["role"] == "user").flat_map(texts_of);
        texts.collect::<Vec<_>>().join("\n")
    }

    /// The results of tools, in the order in which they are told.
    pub fn tool_results(&self) -> Vec<Value> {
        let blocks = self.messages().iter().filter_map(|message| message["content"].as_array()).flatten();
        blocks.filter(|block| block["type"] == "tool_result").cloned().collect()
    }

    fn messages(&self) -> &[Value] {
        self.body["messages"].as_array().map_or(&[], Vec::as_slice)
    }

    /// The words after the last `keyword` that the user said, and how many replies there were since.
    fn asked(&self, keyword: &str) -> Option<(String, usize)> {
        let says =
            |message: &&Value| message["role"] == "user" && texts_of(message).any(|t| t.contains(keyword));
        let at = self.messages().iter().rposition(|message| says(&message))?;
        let said = texts_of(&self.messages()[at]).filter(|text| text.contains(keyword)).last()?;
        let replies = self.messages()[at..].iter().filter(|message| message["role"] == "assistant").count();
        Some((said.rsplit_once(keyword)?.1.to_owned(), replies))
    }
}

/// The texts of a message, whose content is one string or a list of blocks.
fn texts_of(message: &Value) -> impl Iterator<Item = String> {
    let whole = message["content"].as_str().map(str::to_owned);
    let blocks = message["content"].as_array().cloned().unwrap_or_default();
    whole.into_iter().chain(blocks.into_iter().filter_map(|block| Some(block["text"].as_str()?.to_owned())))
}

/// Which API is asked.
#[derive(Clone, Copy)]
enum Shape {
    Messages,
    Gemini,
    Responses,
    Chat,
}

impl Shape {
    /// The shape of a request to this path, where that asks for a message.
    fn of(path: &str) -> Option<Self> {
        let ends = [
            ("/v1/messages", Self::Messages),
            (":streamGenerateContent", Self::Gemini),
            ("/responses", Self::Responses),
            ("/chat/completions", Self::Chat),
        ];
        ends.into_iter().find(|(end, _)| path.ends_with(end)).map(|(_, shape)| shape)
    }

    /// The request with what was said as the messages that scripts look at.
    fn with_messages(self, mut body: Value) -> Value {
        body["messages"] = match self {
            Self::Messages => body["messages"].take(),
            Self::Gemini => gemini::messages(&body),
            Self::Responses => openai::messages(&body["input"]),
            Self::Chat => openai::messages(&body["messages"]),
        };
        body
    }

    fn error(self, status: u16, kind: &str, text: &str) -> Value {
        match self {
            Self::Messages => json!({"type": "error", "error": {"type": kind, "message": text}}),
            Self::Gemini => json!({"error": {"code": status, "message": text, "status": kind}}),
            Self::Responses | Self::Chat => json!({"error": {"message": text, "type": kind, "code": kind}}),
        }
    }

    /// The events that answer request `number`.
    fn steps(self, number: usize, model: &Value, blocks: &[Block]) -> Vec<Step> {
        match self {
            Self::Messages => messages::steps(number, model, blocks),
            Self::Gemini => gemini::steps(blocks),
            Self::Responses => openai::responses(number, blocks),
            Self::Chat => openai::chat(number, blocks),
        }
    }
}

async fn serve(State(shared): State<Arc<Shared>>, method: Method, uri: Uri, body: Bytes) -> Response {
    let at = Instant::now();
    shared.hits.fetch_add(1, Ordering::SeqCst);
    let shape = Some(uri.path()).filter(|_| method == Method::POST).and_then(Shape::of);
    let Some(shape) = shape else {
        // Gemini's CLI asks something for itself.
        let is_aside = method == Method::POST && uri.path().contains(":generateContent");
        let aside = || gemini::said(&json!({"text": "{}"}), Some("STOP"));
        return axum::Json(if is_aside { aside() } else { json!({}) }).into_response();
    };
    let body = shape.with_messages(serde_json::from_slice(&body).unwrap_or_default());
    let request = Request { body, at };
    let reply = shared.reply(&request);
    let model = request.body["model"].clone();
    let number = {
        let mut requests = shared.requests.lock().unwrap();
        requests.push(request);
        requests.len()
    };
    match reply {
        Reply::Error(status, kind, text) => {
            let limit = shared.limit_ends.lock().unwrap().map(|at| {
                [
                    ("anthropic-ratelimit-unified-status", "rejected".to_owned()),
                    ("anthropic-ratelimit-unified-reset", at.to_string()),
                    ("anthropic-ratelimit-unified-representative-claim", "five_hour".to_owned()),
                ]
            });
            let headers = AppendHeaders(limit.into_iter().flatten());
            let body = axum::Json(shape.error(status, kind, text));
            (StatusCode::from_u16(status).unwrap(), headers, body).into_response()
        }
        Reply::Message(blocks) => {
            let steps = shape.steps(number, &model, &blocks);
            Sse::new(stream::unfold(steps.into_iter(), next)).into_response()
        }
    }
}

/// Something to send, or a gate to wait at.
enum Step {
    /// An event, whose type is its name; or its text as it is.
    Send(Value),
    /// Nothing more until the gate is open.
    Wait(Gate),
}

/// The next event, once every gate before it is open.
async fn next(mut steps: IntoIter<Step>) -> Option<(Result<Event, Infallible>, IntoIter<Step>)> {
    loop {
        match steps.next()? {
            Step::Wait(gate) => gate.wait().await,
            Step::Send(event) => {
                let text = event.as_str().map_or_else(|| event.to_string(), str::to_owned);
                let said = Event::default().data(text);
                let named = match event["type"].as_str() {
                    Some(name) => said.event(name),
                    None => said,
                };
                return Some((Ok(named), steps));
            }
        }
    }
}

/// What is sent of each block, by its number among those that are sent, and the gates between.
fn steps_of(blocks: &[Block], mut events: impl FnMut(usize, &Block) -> Vec<Value>) -> Vec<Step> {
    let mut numbers = 0..;
    let steps = blocks.iter().flat_map(|block| match block {
        Block::Wait(gate) => vec![Step::Wait(gate.clone())],
        sent => events(numbers.next().unwrap(), sent).into_iter().map(Step::Send).collect(),
    });
    steps.collect()
}

/// A text, a few characters at a time.
fn pieces(text: &str) -> impl Iterator<Item = String> {
    let all: Vec<char> = text.chars().collect();
    all.chunks(12).map(String::from_iter).collect::<Vec<_>>().into_iter()
}

impl Shared {
    fn reply(&self, request: &Request) -> Reply {
        if let Some((rest, replies)) = request.asked("SCRIPT:") {
            let name: String =
                rest.chars().take_while(|c| c.is_ascii_alphanumeric() || "-_".contains(*c)).collect();
            let scripts = self.scripts.lock().unwrap();
            if let Some(script) = scripts.get(&name) {
                return script[replies.min(script.len() - 1)].clone();
            }
            return Reply::Error(400, "invalid_request_error", "the test has no script of that name");
        }
        match request.asked("ANSWER<<") {
            Some((rest, _)) => says(rest.split_once(">>").map_or(rest.as_str(), |(answer, _)| answer)),
            None => says("This message says neither SCRIPT nor ANSWER."),
        }
    }
}
