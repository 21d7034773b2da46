//! Which addresses are of the public Web.
//!
//! The question is asked of the address that is about to be connected to, after DNS, so neither a redirect nor
//! a name that resolves to something else on the second look-up gets past it. One table holds what is refused;
//! IPv6 addresses that carry an IPv4 one (mapped, NAT64, 6to4, Teredo, ISATAP) are judged by that as well.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Why `ip` is not of the public Web, in words; `None` if it is.
pub fn refusal(ip: IpAddr) -> Option<&'static str> {
    match ip {
        IpAddr::V4(ip) => refusal_v4(ip),
        IpAddr::V6(ip) => refusal_v6(ip),
    }
}

/// Refused IPv4 ranges: network, prefix length, reason. The first match gives the reason.
const V4: &[([u8; 4], u32, &str)] = &[
    ([169, 254, 169, 254], 32, "cloud metadata"),
    ([100, 100, 100, 200], 32, "cloud metadata"),
    ([168, 63, 129, 16], 32, "cloud metadata"),
    ([192, 0, 0, 192], 32, "cloud metadata"),
    ([0, 0, 0, 0], 8, "this network"),
    ([10, 0, 0, 0], 8, "private"),
    ([100, 64, 0, 0], 10, "carrier-grade NAT"),
    ([127, 0, 0, 0], 8, "loopback"),
    ([169, 254, 0, 0], 16, "link-local"),
    ([172, 16, 0, 0], 12, "private"),
    ([192, 0, 0, 0], 24, "protocol assignments"),
    ([192, 0, 2, 0], 24, "documentation"),
    ([192, 88, 99, 0], 24, "6to4 relay"),
    ([192, 168, 0, 0], 16, "private"),
    ([198, 18, 0, 0], 15, "benchmarking"),
    ([198, 51, 100, 0], 24, "documentation"),
    ([203, 0, 113, 0], 24, "documentation"),
    ([224, 0, 0, 0], 4, "multicast"),
    ([255, 255, 255, 255], 32, "broadcast"),
    ([240, 0, 0, 0], 4, "reserved"),
];

/// Refused IPv6 ranges, likewise. What lies outside of 2000::/3 and is no carrier of IPv4 is refused anyway.
const V6: &[([u16; 8], u32, &str)] = &[
    ([0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254], 128, "cloud metadata"),
    ([0, 0, 0, 0, 0, 0, 0, 0], 128, "unspecified"),
    ([0, 0, 0, 0, 0, 0, 0, 1], 128, "loopback"),
    ([0xfc00, 0, 0, 0, 0, 0, 0, 0], 7, "private"),
    ([0xfe80, 0, 0, 0, 0, 0, 0, 0], 10, "link-local"),
    ([0xfec0, 0, 0, 0, 0, 0, 0, 0], 10, "site-local"),
    ([0xff00, 0, 0, 0, 0, 0, 0, 0], 8, "multicast"),
    ([0x64, 0xff9b, 1, 0, 0, 0, 0, 0], 48, "local NAT64"),
    ([0x2001, 0xdb8, 0, 0, 0, 0, 0, 0], 32, "documentation"),
    ([0x3fff, 0, 0, 0, 0, 0, 0, 0], 20, "documentation"),
];

/// IPv6 ranges with an IPv4 address inside: network, prefix length, how many bits follow the address, and what
/// it is combined with (Teredo inverts the client's).
const CARRIERS: &[([u16; 8], u32, u32, u32)] = &[
    ([0, 0, 0, 0, 0, 0xffff, 0, 0], 96, 0, 0),
    ([0, 0, 0, 0, 0xffff, 0, 0, 0], 96, 0, 0),
    ([0, 0, 0, 0, 0, 0, 0, 0], 96, 0, 0),
    ([0x64, 0xff9b, 0, 0, 0, 0, 0, 0], 96, 0, 0),
    ([0x2002, 0, 0, 0, 0, 0, 0, 0], 16, 80, 0),
    ([0x2001, 0, 0, 0, 0, 0, 0, 0], 32, 64, 0),
    ([0x2001, 0, 0, 0, 0, 0, 0, 0], 32, 0, u32::MAX),
];

/// The middle of an ISATAP address (RFC 5214), below any network and before the IPv4 address; [`ISATAP_GLOBAL`] may be
/// set in it.
const ISATAP: u32 = 0x5efe;
const ISATAP_GLOBAL: u32 = 0x0200_0000;

fn refusal_v4(ip: Ipv4Addr) -> Option<&'static str> {
    let bits = ip.to_bits();
    let inside = |net: [u8; 4], length: u32| (bits ^ u32::from_be_bytes(net)) >> (32 - length) == 0;
    V4.iter().find(|(net, length, _)| inside(*net, *length)).map(|(.., reason)| *reason)
}

fn refusal_v6(ip: Ipv6Addr) -> Option<&'static str> {
    let bits = ip.to_bits();
    let inside = |net: [u16; 8], length: u32| (bits ^ Ipv6Addr::from(net).to_bits()) >> (128 - length) == 0;
    if let Some((.., reason)) = V6.iter().find(|(net, length, _)| inside(*net, *length)) {
        return Some(reason);
    }
    if (bits >> 32) as u32 & !ISATAP_GLOBAL == ISATAP
        && let Some(reason) = refusal_v4(Ipv4Addr::from_bits(bits as u32))
    {
        return Some(reason);
    }
    let mut carries = false;
    for (net, length, behind, mask) in CARRIERS {
        if inside(*net, *length) {
            carries = true;
            // The low 32 bits of what is left are the address.
            let address = Ipv4Addr::from_bits((bits >> behind) as u32 ^ mask);
            if let Some(reason) = refusal_v4(address) {
                return Some(reason);
            }
        }
    }
    if carries {
        None
    } else if inside([0x2001, 0, 0, 0, 0, 0, 0, 0], 23) {
        Some("protocol assignments")
    } else if inside([0x2000, 0, 0, 0, 0, 0, 0, 0], 3) {
        None
    } else {
        Some("not a global address")
    }
}

#[cfg(test)]
mod tests {
    use osprey_model::{CanonicalUrl, UrlRules};

    use super::*;

    #[test]
    fn refused_and_public() {
        let check = |ip: &str, expect: Option<&str>| {
            assert_eq!(refusal(ip.parse().unwrap()), expect, "{ip}");
        };
        check("8.8.8.8", None);
        check("93.184.216.34", None);
        check("0.0.0.0", Some("this network"));
        check("0.1.2.3", Some("this network"));
        check("9.255.255.255", None);
        check("10.0.0.0", Some("private"));
        check("10.255.255.255", Some("private"));
        check("11.0.0.0", None);
        check("100.63.255.255", None);
        check("100.64.0.0", Some("carrier-grade NAT"));
        check("100.127.255.255", Some("carrier-grade NAT"));
        check("100.128.0.0", None);
        check("100.100.100.200", Some("cloud metadata"));
        check("127.0.0.1", Some("loopback"));
        check("127.255.255.254", Some("loopback"));
        check("128.0.0.1", None);
        check("168.63.129.16", Some("cloud metadata"));
        check("168.63.129.17", None);
        check("169.253.255.255", None);
        check("169.254.0.1", Some("link-local"));
        check("169.254.169.254", Some("cloud metadata"));
        check("172.15.255.255", None);
        check("172.16.0.1", Some("private"));
        check("172.31.255.255", Some("private"));
        check("172.32.0.0", None);
        check("192.0.0.8", Some("protocol assignments"));
        check("192.0.0.192", Some("cloud metadata"));
        check("192.0.1.0", None);
        check("192.0.2.1", Some("documentation"));
        check("192.88.99.1", Some("6to4 relay"));
        check("192.167.255.255", None);
        check("192.168.0.1", Some("private"));
        check("192.169.0.0", None);
        check("198.17.255.255", None);
        check("198.18.0.0", Some("benchmarking"));
        check("198.19.255.255", Some("benchmarking"));
        check("198.20.0.0", None);
        check("198.51.100.9", Some("documentation"));
        check("203.0.113.255", Some("documentation"));
        check("223.255.255.255", None);
        check("224.0.0.1", Some("multicast"));
        check("240.0.0.1", Some("reserved"));
        check("255.255.255.255", Some("broadcast"));
    }

    #[test]
    fn refused_and_public_in_ipv6() {
        let check = |ip: &str, expect: Option<&str>| {
            assert_eq!(refusal(ip.parse().unwrap()), expect, "{ip}");
        };
        check("2606:4700:4700::1111", None);
        check("2a00:1450:4001:81b::200e", None);
        check("::", Some("unspecified"));
        check("::1", Some("loopback"));
        check("fc00::1", Some("private"));
        check("fdff::1", Some("private"));
        check("fd00:ec2::254", Some("cloud metadata"));
        check("fe80::1", Some("link-local"));
        check("febf::1", Some("link-local"));
        check("fec0::1", Some("site-local"));
        check("ff02::1", Some("multicast"));
        check("2001:db8::1", Some("documentation"));
        check("3fff:fff::1", Some("documentation"));
        check("3fff:1000::1", None);
        check("::ffff:127.0.0.1", Some("loopback"));
        check("::ffff:8.8.8.8", None);
        check("::ffff:0:10.0.0.1", Some("private"));
        check("::192.168.1.1", Some("private"));
        check("::8.8.8.8", None);
        check("64:ff9b::127.0.0.1", Some("loopback"));
        check("64:ff9b::8.8.8.8", None);
        check("64:ff9b:1::8.8.8.8", Some("local NAT64"));
        check("2002:7f00:1::", Some("loopback"));
        check("2002:808:808::1", None);
        // Teredo: server 8.8.8.8, then the client inverted: 192.168.0.1, 9.9.9.9; then a private server.
        check("2001:0:808:808::3f57:fffe", Some("private"));
        check("2001:0:808:808::f6f6:f6f6", None);
        check("2001:0:a00:1::f6f6:f6f6", Some("private"));
        check("2620::5efe:127.0.0.1", Some("loopback"));
        check("2620::200:5efe:10.0.0.1", Some("private"));
        check("2620::5efe:168.63.129.16", Some("cloud metadata"));
        check("2620::5efe:8.8.8.8", None);
        check("2620::5eff:127.0.0.1", None);
        check("64:ff9b::168.63.129.16", Some("cloud metadata"));
        check("2002:a83f:8110::1", Some("cloud metadata"));
        check("::ffff:100.100.100.200", Some("cloud metadata"));
        check("2001:2::1", Some("protocol assignments"));
        check("2001:1ff::1", Some("protocol assignments"));
        check("2001:200::1", None);
        check("100::1", Some("not a global address"));
        check("4000::1", Some("not a global address"));
    }

    #[test]
    fn odd_spellings_are_addresses_before_they_come_here() {
        let check = |url: &str, expect: &str| {
            let url = CanonicalUrl::parse(url, &UrlRules::default()).unwrap();
            let host = url.host().trim_matches(['[', ']']);
            assert_eq!(refusal(host.parse().unwrap()), Some(expect), "{url}");
        };
        check("http://0x7f.1/", "loopback");
        check("http://2130706433/", "loopback");
        check("http://0177.0.0.1/", "loopback");
        check("http://127.1/", "loopback");
        check("http://0/", "this network");
        check("http://0xA9FEA9FE/", "cloud metadata");
        check("http://[::FFFF:127.0.0.1]/", "loopback");
        check("http://[0:0:0:0:0:0:0:1]/", "loopback");
        check("http://①②⑦.0.0.1/", "loopback");
    }
}
