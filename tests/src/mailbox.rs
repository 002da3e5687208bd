//! A mail server on loopback, which takes what it is sent and keeps it, or replies as the test says. `tests/operations` sends
//! to a real one.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use itinerary_platform::mail_address::MailAddress;
use itinerary_platform::settings::{Config, MailEncryption, MailSender};
use mail_parser::MessageParser;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::{World, sql};

/// The longest time until a mail that is due arrives, with room for slow machines. The queue is looked at every 5 seconds.
const SOON: Duration = Duration::from_secs(20);

/// What is replied, in turn, instead of taking something.
type Replies = Arc<Mutex<VecDeque<&'static str>>>;

/// A mail that has arrived.
#[derive(Clone, Debug)]
pub struct Letter {
    /// The recipients of the envelope.
    pub to: Vec<String>,
    /// As it was sent.
    pub raw: String,
    pub subject: String,
    pub text: String,
    pub html: String,
}

impl Letter {
    fn read(to: Vec<String>, raw: String) -> Self {
        let message = MessageParser::default().parse(raw.as_bytes()).expect("a message");
        let (text, html) = (message.body_text(0).expect("a text"), message.body_html(0).expect("HTML"));
        let (text, html) = (text.replace("\r\n", "\n"), html.into_owned());
        let subject = message.subject().expect("a subject").to_owned();
        Self { to, raw, subject, text, html }
    }

    /// The only recipient.
    #[track_caller]
    pub fn recipient(&self) -> &str {
        assert_eq!(self.to.len(), 1, "{:?}", self.to);
        &self.to[0]
    }

    /// The path and the query of the link, which both forms have.
    #[track_caller]
    pub fn link(&self, world: &World) -> String {
        let found = self.text.lines().find(|line| line.starts_with("http"));
        let link = found.unwrap_or_else(|| panic!("no link in {}", self.text));
        assert!(self.html.contains(&format!("<a href=\"{link}\">{link}</a>")), "{}", self.html);
        link.strip_prefix(&world.base_url).unwrap_or_else(|| panic!("{link} is elsewhere")).to_owned()
    }

    /// Checks the text.
    #[track_caller]
    pub fn assert_says(&self, words: &str) {
        assert!(self.text.contains(words), "{words} in {}", self.text);
    }
}

/// The mail server.
pub struct Mailbox {
    port: u16,
    arrived: mpsc::UnboundedReceiver<Letter>,
    replies: Replies,
    ends: Replies,
    _task: JoinSet<()>,
}

impl Mailbox {
    pub async fn start() -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let (sender, arrived) = mpsc::unbounded_channel();
        let (replies, ends) = (Replies::default(), Replies::default());
        let (mut task, queued, last) = (JoinSet::new(), Arc::clone(&replies), Arc::clone(&ends));
        task.spawn(async move {
            while let Ok((connection, _)) = listener.accept().await {
                tokio::spawn(serve(connection, sender.clone(), Arc::clone(&queued), Arc::clone(&last)));
            }
        });
        Self { port, arrived, replies, ends, _task: task }
    }

    /// Lets a server send its mail here.
    pub fn configure(&self, config: &mut Config) {
        config.mail.host = Some("127.0.0.1".to_owned());
        config.mail.port = Some(self.port);
        config.mail.encryption = MailEncryption::None;
        let address = MailAddress::parse("trips@example.org").expect("an address");
        config.mail.from = Some(MailSender { name: Some("Trips".to_owned()), address });
    }

    /// Says how to reply to the next recipients, in place of taking the mail.
    pub fn will_reply(&self, replies: &[&'static str]) {
        self.replies.lock().expect("no panic").extend(replies);
    }

    /// Says how to reply after the next mails have arrived, as if they had not.
    pub fn will_end_with(&self, replies: &[&'static str]) {
        self.ends.lock().expect("no panic").extend(replies);
    }

    /// The next mail, which must arrive soon.
    pub async fn next(&mut self) -> Letter {
        timeout(SOON, self.arrived.recv()).await.expect("a mail arrives").expect("the server runs")
    }

    /// The next mail, which must go to this address and have this subject.
    pub async fn expect(&mut self, address: &str, subject: &str) -> Letter {
        let letter = self.next().await;
        assert_eq!((letter.recipient(), letter.subject.as_str()), (address, subject), "{}", letter.text);
        letter
    }

    /// Waits until the queue is empty, and checks that no further mail has arrived.
    pub async fn expect_nothing(&mut self, world: &World) {
        let empty = async {
            while sql::ask(world.database_url(), "SELECT CAST(count(*) AS TEXT) FROM mails").await != "0" {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        timeout(SOON, empty).await.expect("the queue empties");
        if let Ok(letter) = self.arrived.try_recv() {
            panic!("a mail arrived: {letter:?}");
        }
    }
}

/// Speaks SMTP (RFC 5321), as far as the server's client does.
async fn serve(
    connection: TcpStream,
    sender: mpsc::UnboundedSender<Letter>,
    replies: Replies,
    ends: Replies,
) -> Option<()> {
    let (read, mut write) = connection.into_split();
    let mut lines = BufReader::new(read).lines();
    let mut to = Vec::new();
    write.write_all(b"220 mailbox.example\r\n").await.ok()?;
    loop {
        let line = lines.next_line().await.ok()??;
        let command = line.get(..4).unwrap_or_default().to_ascii_uppercase();
        let reply = match command.as_str() {
            "EHLO" => "250-mailbox.example\r\n250 8BITMIME",
            "MAIL" => {
                to.clear();
                "250 OK"
            }
            "RCPT" => {
                let queued = replies.lock().expect("no panic").pop_front();
                if queued.is_none() {
                    let (_, rest) = line.split_once('<')?;
                    to.push(rest.split('>').next()?.to_owned());
                }
                queued.unwrap_or("250 OK")
            }
            "DATA" => {
                write.write_all(b"354 Go on\r\n").await.ok()?;
                let mut raw = String::new();
                loop {
                    let line = lines.next_line().await.ok()??;
                    if line == "." {
                        break;
                    }
                    raw += line.strip_prefix('.').unwrap_or(&line);
                    raw += "\r\n";
                }
                sender.send(Letter::read(std::mem::take(&mut to), raw)).ok()?;
                ends.lock().expect("no panic").pop_front().unwrap_or("250 Taken")
            }
            "QUIT" => {
                write.write_all(b"221 Bye\r\n").await.ok()?;
                return None;
            }
            _ => "502 Unknown",
        };
        write.write_all(format!("{reply}\r\n").as_bytes()).await.ok()?;
    }
}
