//! Restricts requests to untrusted URLs to public addresses.
//!
//! The check happens in two places: a literal address in a URL never reaches the resolver, and a host name must be
//! resolved first. The client connects to the addresses that the filter has accepted, so a second, different response
//! of the name server (DNS rebinding) has no effect.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use thiserror::Error;

/// Whether an address belongs to the public Internet.
///
/// Follows the IANA special-purpose address registries. Addresses that embed an IPv4 address (mapped, NAT64, 6to4)
/// are judged by it.
pub(crate) fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let special = match address.octets() {
        // This network, private, loopback, multicast, reserved and broadcast.
        [0 | 10 | 127 | 224..=255, ..]
        // Shared by carriers.
        | [100, 64..=127, ..]
        // Link-local.
        | [169, 254, ..]
        // Private.
        | [172, 16..=31, ..]
        | [192, 168, ..]
        // Protocol assignments, documentation and the former 6to4 relays.
        | [192, 0, 0 | 2, _]
        | [192, 88, 99, _]
        // Benchmarking.
        | [198, 18 | 19, ..]
        // Documentation.
        | [198, 51, 100, _]
        | [203, 0, 113, _] => true,
        _ => false,
    };
    !special
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    match address.segments() {
        // IPv4-mapped, and NAT64 with the well-known prefix.
        [0, 0, 0, 0, 0, 0xffff, high, low] | [0x64, 0xff9b, 0, 0, 0, 0, high, low] |
        // 6to4.
        [0x2002, high, low, ..] => is_public_v4(embedded(high, low)),
        // Protocol assignments (Teredo and benchmarking among them), and documentation.
        [0x2001, 0..=0x01ff | 0x0db8, ..] | [0x3fff, 0..=0x0fff, ..] => false,
        // Global unicast. All others are special: loopback, link-local, unique local, multicast, unassigned.
        [first, ..] => first & 0xe000 == 0x2000,
    }
}

fn embedded(high: u16, low: u16) -> Ipv4Addr {
    Ipv4Addr::from(u32::from(high) << 16 | u32::from(low))
}

/// A host name resolves to no public address.
#[derive(Debug, Error)]
#[error("{0} is not a public host")]
pub(crate) struct NotPublic(pub(crate) String);

/// Wraps a resolver and keeps only public addresses.
pub(crate) struct PublicOnly(pub(crate) Arc<dyn Resolve>);

impl Resolve for PublicOnly {
    fn resolve(&self, name: Name) -> Resolving {
        let host = name.as_str().to_owned();
        let resolving = self.0.resolve(name);
        Box::pin(async move {
            let public: Vec<SocketAddr> = resolving.await?.filter(|address| is_public(address.ip())).collect();
            if public.is_empty() {
                return Err(NotPublic(host).into());
            }
            Ok(Box::new(public.into_iter()) as Addrs)
        })
    }
}

/// Resolves names as the operating system does.
pub(crate) struct System;

impl Resolve for System {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(async move {
            let addresses: Vec<SocketAddr> = tokio::net::lookup_host((name.as_str(), 0)).await?.collect();
            Ok(Box::new(addresses.into_iter()) as Addrs)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Resolves every name to the same addresses.
    struct Fixed(&'static [&'static str]);

    impl Resolve for Fixed {
        fn resolve(&self, _name: Name) -> Resolving {
            let addresses = self.0;
            let addresses = addresses.iter().map(|text| SocketAddr::new(text.parse().expect("an address"), 0));
            Box::pin(async move { Ok(Box::new(addresses) as Addrs) })
        }
    }

    async fn resolve_public(addresses: &'static [&'static str]) -> Result<Vec<String>, String> {
        let resolver = PublicOnly(Arc::new(Fixed(addresses)));
        let response = resolver.resolve("example.com".parse().expect("a name")).await;
        response.map(|all| all.map(|address| address.ip().to_string()).collect()).map_err(|error| error.to_string())
    }

    #[tokio::test]
    async fn only_public_addresses_of_a_name_remain() {
        let resolved = resolve_public(&["127.0.0.1", "1.1.1.1", "fd00::1", "2606:4700::1111", "10.0.0.1"]).await;
        assert_eq!(resolved, Ok(vec!["1.1.1.1".to_owned(), "2606:4700::1111".to_owned()]));
        let refused = Err("example.com is not a public host".to_owned());
        assert_eq!(resolve_public(&["127.0.0.1", "::1"]).await, refused);
        assert_eq!(resolve_public(&[]).await, refused);
    }

    fn public(text: &str) -> bool {
        is_public(text.parse().expect("an address"))
    }

    #[test]
    fn addresses_of_the_internet_are_public() {
        let addresses = [
            "1.1.1.1",
            "9.255.255.255",
            "11.0.0.0",
            "100.63.255.255",
            "100.128.0.0",
            "126.255.255.255",
            "128.0.0.0",
            "169.253.255.255",
            "172.15.255.255",
            "172.32.0.0",
            "192.0.1.0",
            "192.88.98.255",
            "192.167.255.255",
            "198.17.255.255",
            "198.20.0.0",
            "223.255.255.255",
            "2606:4700:4700::1111",
            "2001:200::1",
            "2001:db7::1",
            "3fff:1000::1",
            "::ffff:1.1.1.1",
            "64:ff9b::1.1.1.1",
            "2002:101:101::1",
        ];
        for address in addresses {
            assert!(public(address), "{address} is public");
        }
    }

    #[test]
    fn special_addresses_are_not_public() {
        let addresses = [
            "0.0.0.0",
            "0.1.2.3",
            "10.0.0.1",
            "100.64.0.1",
            "100.127.255.255",
            "127.0.0.1",
            "127.255.255.254",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.1",
            "192.0.2.1",
            "192.88.99.1",
            "192.168.1.1",
            "198.18.0.1",
            "198.19.255.255",
            "198.51.100.1",
            "203.0.113.1",
            "224.0.0.1",
            "239.255.255.255",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::127.0.0.1",
            "::1.1.1.1",
            "::ffff:127.0.0.1",
            "::ffff:169.254.169.254",
            "::ffff:0:127.0.0.1",
            "64:ff9b::10.0.0.1",
            "64:ff9b:1::1",
            "100::1",
            "2001::1",
            "2001:2::1",
            "2001:1ff::1",
            "2001:db8::1",
            "2002:7f00:1::1",
            "2002:c0a8:101::1",
            "3fff::1",
            "3fff:fff::1",
            "5f00::1",
            "fc00::1",
            "fd00::1",
            "fe80::1",
            "fec0::1",
            "ff02::1",
        ];
        for address in addresses {
            assert!(!public(address), "{address} is not public");
        }
    }
}
