//! The socket of a running crawl: `data/crawl.sock`, for the owner of the folder only.
//!
//! A socket that a dead process left behind refuses connections: then no crawl runs, and the next crawl, which holds
//! the lock of the stores, replaces it. A stopped process (SIGSTOP) accepts but does not answer: clients give up after
//! a few seconds with an error. Socket paths are limited to about 100 bytes and folders may be deep: on Linux a long
//! path is reached through the folder's descriptor.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::time::Duration;

use osprey_crawl::{PictureRow, VisitRow};
use osprey_model::CanonicalUrl;

use super::protocol::{Answer, MAX_LINE, Question};
use crate::error::{Context, Error, Result};
use crate::explain::Explanation;
use crate::layout::Layout;
use crate::status::Status;

/// The name of the socket in the folder of data.
const NAME: &str = "crawl.sock";
/// How long an answer is waited for.
const PATIENCE: Duration = Duration::from_secs(5);
/// The longest path that a socket's address takes, less what systems differ by.
const LONGEST: usize = 100;

/// A socket's path, and what has to stay open for it to be valid.
struct Reach {
    path: PathBuf,
    _folder: Option<std::fs::File>,
}

impl Reach {
    fn of(layout: &Layout) -> io::Result<Self> {
        let path = layout.data().join(NAME);
        if path.as_os_str().len() <= LONGEST {
            return Ok(Self { path, _folder: None });
        }
        Self::through_descriptor(layout.data())
    }

    #[cfg(target_os = "linux")]
    fn through_descriptor(folder: &Path) -> io::Result<Self> {
        use std::os::fd::AsRawFd;
        let folder = std::fs::File::open(folder)?;
        let path = PathBuf::from(format!("/proc/self/fd/{}/{NAME}", folder.as_raw_fd()));
        Ok(Self { path, _folder: Some(folder) })
    }

    #[cfg(not(target_os = "linux"))]
    fn through_descriptor(folder: &Path) -> io::Result<Self> {
        Err(io::Error::other(format!("{}: path too long for a socket", folder.display())))
    }
}

/// Listens for questions; only who has the stores of the crawl may.
pub(super) fn listen(layout: &Layout) -> io::Result<UnixListener> {
    let reach = Reach::of(layout)?;
    // left by a crawl that was killed
    match std::fs::remove_file(&reach.path) {
        Err(cause) if cause.kind() != io::ErrorKind::NotFound => return Err(cause),
        _ => {}
    }
    let listener = UnixListener::bind(&reach.path)?;
    std::fs::set_permissions(&reach.path, std::fs::Permissions::from_mode(0o600))?;
    Ok(listener)
}

/// Takes the socket away at the end of a crawl.
pub(super) fn remove(layout: &Layout) {
    let _ = std::fs::remove_file(layout.data().join(NAME));
}

/// Wakes who listens.
pub(super) fn knock(layout: &Layout) {
    if let Ok(reach) = Reach::of(layout) {
        let _ = UnixStream::connect(&reach.path);
    }
}

/// The next line of a conversation; `None` at its end.
pub(super) fn read_line(stream: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut line = String::new();
    let read = stream.by_ref().take(MAX_LINE).read_line(&mut line)?;
    match line.ends_with('\n') {
        true => Ok(Some(line)),
        false if read == 0 => Ok(None),
        false => Err(io::Error::other("incomplete or overlong line")),
    }
}

/// Sends a line.
pub(super) fn write_line(stream: &mut impl Write, value: &impl serde::Serialize) -> io::Result<()> {
    let mut line = serde_json::to_vec(value)?;
    line.push(b'\n');
    stream.write_all(&line)
}

/// A crawl that runs, in this process or another: something to ask.
#[derive(Debug)]
pub struct Running {
    stream: BufReader<UnixStream>,
    place: String,
}

impl Running {
    /// The crawl that runs in a project; `None` if none does.
    pub fn find(layout: &Layout) -> Result<Option<Self>> {
        let place = layout.dir().display().to_string();
        let connect = || {
            let stream = UnixStream::connect(&Reach::of(layout)?.path)?;
            stream.set_read_timeout(Some(PATIENCE))?;
            stream.set_write_timeout(Some(PATIENCE))?;
            Ok::<_, io::Error>(stream)
        };
        match connect() {
            Ok(stream) => Ok(Some(Self { stream: BufReader::new(stream), place })),
            Err(cause) => match cause.kind() {
                // no process is listening, or the crawl that was listening was killed
                io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused => Ok(None),
                // another user's project: read what can be read without its crawl
                io::ErrorKind::PermissionDenied => Ok(None),
                _ => Err(cause).context(place),
            },
        }
    }

    /// Its state.
    pub fn status(&mut self) -> Result<Status> {
        match self.ask(&Question::Status)? {
            Answer::Status(status) => Ok(*status),
            other => Err(other.into_error()),
        }
    }

    /// Why a URL was fetched, waits, or was skipped.
    pub fn explain(&mut self, url: &CanonicalUrl) -> Result<Explanation> {
        match self.ask(&Question::Explain(url.clone()))? {
            Answer::Explanation(explanation) => Ok(*explanation),
            other => Err(other.into_error()),
        }
    }

    /// The visit of a URL; `None` if it was not fetched.
    pub fn visit(&mut self, url: &CanonicalUrl) -> Result<Option<VisitRow>> {
        match self.ask(&Question::Visit(url.clone()))? {
            Answer::Visit(visit) => Ok(visit.map(|visit| *visit)),
            other => Err(other.into_error()),
        }
    }

    /// The picture that was fetched for a URL; `None` if none was.
    pub fn picture(&mut self, url: &CanonicalUrl) -> Result<Option<PictureRow>> {
        match self.ask(&Question::Picture(url.clone()))? {
            Answer::Picture(picture) => Ok(picture.map(|picture| *picture)),
            other => Err(other.into_error()),
        }
    }

    /// Asks for nothing more until it is resumed; what is in flight is taken in then.
    pub fn pause(&mut self) -> Result<()> {
        self.order(&Question::Pause)
    }

    /// Goes on.
    pub fn resume(&mut self) -> Result<()> {
        self.order(&Question::Resume)
    }

    /// Ends the run soon; the next one goes on where it ended.
    pub fn stop(&mut self) -> Result<()> {
        self.order(&Question::Stop)
    }

    fn order(&mut self, question: &Question) -> Result<()> {
        match self.ask(question)? {
            Answer::Done => Ok(()),
            other => Err(other.into_error()),
        }
    }

    fn ask(&mut self, question: &Question) -> Result<Answer> {
        let mut talk = || {
            write_line(self.stream.get_mut(), question)?;
            let ended =
                || io::Error::new(io::ErrorKind::UnexpectedEof, "the crawl has just ended; try again");
            let line = read_line(&mut self.stream)?.ok_or_else(ended)?;
            serde_json::from_str(&line).map_err(io::Error::from)
        };
        talk().map_err(|cause| match cause.kind() {
            io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => Error::Busy(format!(
                "{}: the running crawl does not answer; is its process stopped, or its disk busy?",
                self.place
            )),
            io::ErrorKind::UnexpectedEof | io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionReset => {
                Error::Busy(format!("{}: the crawl has just ended; try again", self.place))
            }
            _ => Error::At { place: self.place.clone(), cause: cause.into() },
        })
    }
}
