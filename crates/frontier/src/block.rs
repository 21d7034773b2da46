//! Links on disk, stored by the page that found them: a page with fifty new links costs two values, not a hundred.
//!
//! A block is two values under one key, the id of its first link. The `links` value holds what is read when a link is
//! leased: the caller's block payload, the URLs (front-coded, since the links of a page share long prefixes) and the
//! caller's payload per link. The `hot` value holds what is read for every link each time the frontier is opened:
//! fingerprint, host, group, own score, initial state. It is stored column by column, which the store's LZ4
//! compresses well.

use osprey_model::{GroupId, LinkScore};

use crate::codec::{Reader, put_bytes, put_length};

/// Maximum number of links per block: a lease decodes half a block on average.
pub(crate) const BLOCK_LINKS: usize = 128;

/// One link of a block, to be stored.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BlockLink<'a> {
    pub(crate) url: &'a str,
    pub(crate) payload: &'a [u8],
    pub(crate) hot: Hot,
}

/// The part of a link that is kept in memory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Hot {
    pub(crate) print: u64,
    pub(crate) host: u32,
    pub(crate) group: GroupId,
    pub(crate) own: LinkScore,
    /// The reason, if the link was only remembered when it was added.
    pub(crate) refused: Option<u8>,
}

/// One link as read from the store.
#[derive(Debug, PartialEq)]
pub(crate) struct StoredLink {
    pub(crate) block: Vec<u8>,
    pub(crate) url: String,
    pub(crate) payload: Vec<u8>,
}

/// The `links` value of a block.
pub(crate) fn encode_links(block: &[u8], links: &[BlockLink<'_>]) -> Vec<u8> {
    let mut out = Vec::with_capacity(16 + block.len() + links.len() * 48);
    put_bytes(&mut out, block);
    let mut last: &[u8] = &[];
    for link in links {
        let url = link.url.as_bytes();
        let shared = last.iter().zip(url).take_while(|(a, b)| a == b).count();
        put_length(&mut out, shared);
        put_bytes(&mut out, url.get(shared..).unwrap_or_default());
        put_bytes(&mut out, link.payload);
        last = url;
    }
    out
}

/// Reads link `index` of a `links` value.
pub(crate) fn decode_link(value: &[u8], index: usize) -> Option<StoredLink> {
    let mut reader = Reader::new(value);
    let block = reader.bytes()?;
    let mut url = Vec::new();
    for _ in 0..index {
        read_url(&mut reader, &mut url)?;
        reader.bytes()?;
    }
    read_url(&mut reader, &mut url)?;
    let payload = reader.bytes()?.to_vec();
    Some(StoredLink { block: block.to_vec(), url: String::from_utf8(url).ok()?, payload })
}

fn read_url(reader: &mut Reader<'_>, url: &mut Vec<u8>) -> Option<()> {
    let shared = reader.length()?;
    if shared > url.len() {
        return None;
    }
    url.truncate(shared);
    url.extend_from_slice(reader.bytes()?);
    Some(())
}

/// The `hot` value of a block.
pub(crate) fn encode_hot(links: &[BlockLink<'_>]) -> Vec<u8> {
    let mut out = Vec::with_capacity(4 + links.len() * 26);
    put_length(&mut out, links.len());
    links.iter().for_each(|link| out.extend_from_slice(&link.hot.print.to_be_bytes()));
    links.iter().for_each(|link| out.extend_from_slice(&link.hot.host.to_be_bytes()));
    links.iter().for_each(|link| out.extend_from_slice(&link.hot.group.0.to_be_bytes()));
    links.iter().for_each(|link| out.extend_from_slice(&link.hot.own.get().to_be_bytes()));
    for link in links {
        out.extend_from_slice(&link.hot.refused.map_or([0, 0], |reason| [1, reason]));
    }
    out
}

/// Reads a `hot` value.
pub(crate) fn decode_hot(value: &[u8]) -> Option<Vec<Hot>> {
    let mut reader = Reader::new(value);
    let count = reader.length()?;
    let mut column = |width: usize| reader.take(count.checked_mul(width)?).map(Reader::new);
    let mut prints = column(8)?;
    let (mut hosts, mut groups, mut owns, mut states) = (column(4)?, column(8)?, column(4)?, column(2)?);
    let mut links = Vec::with_capacity(count);
    for _ in 0..count {
        links.push(Hot {
            print: prints.u64()?,
            host: hosts.u32()?,
            group: GroupId(groups.u64()?),
            own: LinkScore::new(owns.f32()?),
            refused: match (states.u8()?, states.u8()?) {
                (0, _) => None,
                (1, reason) => Some(reason),
                _ => return None,
            },
        });
    }
    reader.is_empty().then_some(links)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Vec<BlockLink<'static>> {
        let urls =
            ["https://a.example/forum/1", "https://a.example/forum/22", "https://a.example/", "http://b/"];
        urls.iter()
            .enumerate()
            .map(|(n, url)| BlockLink {
                url,
                payload: [&b""[..], b"x", b"yz", b""][n],
                hot: Hot {
                    print: n as u64 * 77,
                    host: n as u32 / 3,
                    group: GroupId(u64::MAX - n as u64),
                    own: LinkScore::new(n as f32),
                    refused: (n == 2).then_some(9),
                },
            })
            .collect()
    }

    #[test]
    fn links_come_back() {
        let links = sample();
        let value = encode_links(b"page 7", &links);
        for (index, link) in links.iter().enumerate() {
            let expect =
                StoredLink { block: b"page 7".to_vec(), url: link.url.into(), payload: link.payload.into() };
            assert_eq!(decode_link(&value, index), Some(expect));
        }
        assert_eq!(decode_link(&value, links.len()), None);
    }

    #[test]
    fn hot_rows_come_back() {
        let links = sample();
        let rows: Vec<Hot> = links.iter().map(|link| link.hot).collect();
        assert_eq!(decode_hot(&encode_hot(&links)), Some(rows));
        assert_eq!(decode_hot(&encode_hot(&[])), Some(Vec::new()));
    }

    #[test]
    fn torn_values_are_none() {
        let links = sample();
        let value = encode_links(b"page 7", &links);
        let hot = encode_hot(&links);
        for cut in 0..value.len() {
            assert_eq!(decode_link(&value[..cut], links.len() - 1), None, "links cut at {cut}");
        }
        for cut in 0..hot.len() {
            assert_eq!(decode_hot(&hot[..cut]), None, "hot cut at {cut}");
        }
    }
}
