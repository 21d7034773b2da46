//! `osprey serve`, running for a test, ended by a signal when the test is over.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};

use crate::project::osprey;

/// A server.
pub(crate) struct Served {
    child: Child,
    /// Held, so that later output can be written.
    _said: BufReader<ChildStdout>,
    pub(crate) address: SocketAddr,
}

impl Served {
    /// Serves these folders on a free port.
    pub(crate) fn start(dirs: &[&Path], more: &[&str]) -> Self {
        let mut command = osprey();
        // nothing of the environment decides who is let in
        command.arg("serve").args(dirs).args(["--addr", "127.0.0.1:0"]).args(more).env_remove("OSPREY_TOKEN");
        Self::run(command)
    }

    /// Lets in only who knows the token.
    pub(crate) fn with_token(dirs: &[&Path], token: &str) -> Self {
        let mut command = osprey();
        command.arg("serve").args(dirs).args(["--addr", "127.0.0.1:0"]).env("OSPREY_TOKEN", token);
        Self::run(command)
    }

    /// Runs a command whose first line is the address.
    pub(crate) fn run(mut command: Command) -> Self {
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        let mut said = BufReader::new(child.stdout.take().unwrap());
        said.read_line(&mut line).unwrap();
        let address = line.strip_prefix("http://").and_then(|rest| rest.split('/').next()?.parse().ok());
        let address = address.unwrap_or_else(|| panic!("{command:?}: no address in `{line}`"));
        Self { child, _said: said, address }
    }

    /// The address of a page.
    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// `Ctrl-C`.
    pub(crate) fn interrupt(&self) {
        let status = Command::new("kill").args(["-INT", &self.child.id().to_string()]).status();
        assert!(status.unwrap().success());
    }

    /// Waits for its end.
    pub(crate) fn end(mut self) -> ExitStatus {
        self.child.wait().unwrap()
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        if matches!(self.child.try_wait(), Ok(None)) {
            let _ = Command::new("kill").args(["-INT", &self.child.id().to_string()]).status();
            let _ = self.child.wait();
        }
    }
}
