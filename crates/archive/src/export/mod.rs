//! Exports for other tools: a CDXJ index, and everything in one WACZ file.

mod cdxj;
mod sort;
mod surt;
mod wacz;

use std::fs::Permissions;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

pub use cdxj::write_cdxj;
pub use wacz::{WaczInfo, WaczPage, WaczSummary, export_wacz};

/// A temporary file that becomes `out` when it is complete, with the usual permissions of a new file.
fn begin_file(out: &Path) -> io::Result<tempfile::NamedTempFile> {
    let folder = out.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    tempfile::Builder::new().permissions(Permissions::from_mode(0o666)).tempfile_in(folder)
}
