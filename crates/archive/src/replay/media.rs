//! The media type of a file that declares none: by its extension, otherwise by its first bytes.

/// The media type of a mirror's file.
pub(super) fn media_type(name: &str, bytes: &[u8]) -> &'static str {
    let extension = name.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase());
    extension.as_deref().and_then(by_extension).unwrap_or_else(|| by_bytes(bytes))
}

fn by_extension(extension: &str) -> Option<&'static str> {
    Some(match extension {
        "html" | "htm" | "shtml" => "text/html",
        "xhtml" => "application/xhtml+xml",
        "css" => "text/css",
        "js" | "mjs" => "text/javascript",
        "json" => "application/json",
        "xml" => "application/xml",
        "rss" => "application/rss+xml",
        "atom" => "application/atom+xml",
        "txt" => "text/plain",
        "md" => "text/markdown",
        "csv" => "text/csv",
        "jpg" | "jpeg" => "image/jpeg",
        "png" => "image/png",
        "gif" => "image/gif",
        "webp" => "image/webp",
        "svg" => "image/svg+xml",
        "ico" => "image/x-icon",
        "pdf" => "application/pdf",
        "zip" => "application/zip",
        "gz" => "application/gzip",
        "mp3" => "audio/mpeg",
        "mp4" => "video/mp4",
        "webm" => "video/webm",
        "woff" => "font/woff",
        "woff2" => "font/woff2",
        _ => return None,
    })
}

/// A short form of the standard's sniffing, for what mirrors of dynamic pages (`page.php`, `thread`) contain.
fn by_bytes(bytes: &[u8]) -> &'static str {
    match bytes {
        [0x89, b'P', b'N', b'G', ..] => return "image/png",
        [0xff, 0xd8, 0xff, ..] => return "image/jpeg",
        [b'G', b'I', b'F', b'8', ..] => return "image/gif",
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => return "image/webp",
        [b'%', b'P', b'D', b'F', ..] => return "application/pdf",
        _ => {}
    }
    let start = bytes.get(..bytes.len().min(1024)).unwrap_or_default();
    if start.contains(&0) {
        return "application/octet-stream";
    }
    let start =
        String::from_utf8_lossy(start).trim_start_matches('\u{feff}').trim_start().to_ascii_lowercase();
    if start.starts_with("<?xml") {
        return if start.contains("<html") { "text/html" } else { "application/xml" };
    }
    let markup =
        ["<!doctype html", "<html", "<head", "<body", "<title", "<table", "<div", "<h1", "<p>", "<!--"];
    if markup.iter().any(|tag| start.starts_with(tag)) || start.contains("<html") {
        "text/html"
    } else {
        "text/plain"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types() {
        let check =
            |name: &str, bytes: &[u8], expect: &str| assert_eq!(media_type(name, bytes), expect, "{name}");
        check("a.HTML", b"", "text/html");
        check("photo.jpeg", b"", "image/jpeg");
        check("index.php", b"\xef\xbb\xbf \n<!DOCTYPE HTML>", "text/html");
        check("thread", b"<?xml version='1.0'?><html>", "text/html");
        check("feed", b"<?xml version='1.0'?><rss>", "application/xml");
        check("avatar", b"\x89PNG\r\n", "image/png");
        check("blob", b"ab\0cd", "application/octet-stream");
        check("README", b"words", "text/plain");
    }
}
