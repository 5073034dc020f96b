/**
 * The addresses to which a crawler must not connect (P10): all that are not public unicast addresses. Of IPv6
 * only 2000::/3 is public, except for some ranges in it.
 */
import { BlockList, type IPVersion, isIP, isIPv4, SocketAddress } from 'node:net'

type Range = readonly [start: string, prefixBits: number, reason: string]

const IPV4: readonly Range[] = [
  ['169.254.169.254', 32, 'cloud metadata'],
  ['168.63.129.16', 32, 'cloud metadata'],
  ['100.100.100.200', 32, 'cloud metadata'],
  ['255.255.255.255', 32, 'broadcast'],
  ['0.0.0.0', 8, 'unspecified'],
  ['10.0.0.0', 8, 'private'],
  ['100.64.0.0', 10, 'carrier-grade NAT'],
  ['127.0.0.0', 8, 'loopback'],
  ['169.254.0.0', 16, 'link-local'],
  ['172.16.0.0', 12, 'private'],
  ['192.0.0.0', 24, 'reserved'],
  ['192.0.2.0', 24, 'documentation'],
  ['192.88.99.0', 24, '6to4 relay'],
  ['192.168.0.0', 16, 'private'],
  ['198.18.0.0', 15, 'benchmark'],
  ['198.51.100.0', 24, 'documentation'],
  ['203.0.113.0', 24, 'documentation'],
  ['224.0.0.0', 4, 'multicast'],
  ['240.0.0.0', 4, 'reserved'],
]

const IPV6: readonly Range[] = [
  ['::', 128, 'unspecified'],
  ['::1', 128, 'loopback'],
  ['::ffff:0:0', 96, 'IPv4-mapped'],
  ['::ffff:0:0:0', 96, 'IPv4-translated'],
  ['::', 96, 'IPv4-compatible'],
  ['64:ff9b:1::', 48, 'NAT64'],
  ['100::', 64, 'discard-only'],
  ['2001::', 32, 'Teredo'],
  ['2001:2::', 48, 'benchmark'],
  ['2001:db8::', 32, 'documentation'],
  ['2001::', 23, 'reserved'],
  ['2002::', 16, '6to4'],
  ['3fff::', 20, 'documentation'],
  ['fd00:ec2::254', 128, 'cloud metadata'],
  ['fc00::', 7, 'private'],
  ['fe80::', 10, 'link-local'],
  ['fec0::', 10, 'site-local'],
  ['ff00::', 8, 'multicast'],
]

/**
 * A network without IPv4 reaches the IPv4 web through this prefix, so the address inside decides. All other
 * ways to embed an IPv4 address (mapped, 6to4, Teredo) are obsolete or not meant for the wire, and forbidden
 * as a whole.
 */
const NAT64 = '64:ff9b::'
const IN_NAT64 = IPV4.map(([start, bits, reason]): Range => [NAT64 + start, 96 + bits, `NAT64, ${reason}`])

const listOf = (family: IPVersion, ranges: readonly Range[]): BlockList => {
  const list = new BlockList()
  for (const [start, prefixBits] of ranges) list.addSubnet(start, prefixBits, family)
  return list
}
const tableOf = (family: IPVersion, ranges: readonly Range[]) => ({
  all: listOf(family, ranges),
  each: ranges.map(range => ({ list: listOf(family, [range]), reason: range[2] })),
})
const FORBIDDEN = { ipv4: tableOf('ipv4', IPV4), ipv6: tableOf('ipv6', [...IN_NAT64, ...IPV6]) }
const PUBLIC_IPV6 = listOf('ipv6', [
  ['2000::', 3, 'public'],
  [NAT64, 96, 'NAT64'],
])

/** Returns why an address is forbidden; null if it is allowed. */
export type AddressGuard = (address: string) => string | null

/**
 * The guard of a crawl. The user allows `networks` (`10.1.0.0/16`, `fd00::1`), or all with `allowPrivate`.
 */
export function addressGuard(allowPrivate: boolean, networks: readonly string[]): AddressGuard {
  if (allowPrivate) return () => null
  if (networks.length === 0) return isForbidden
  const allowed = new BlockList()
  for (const network of networks) {
    const [start, bits] = network.split('/') as [string, string | undefined]
    const family = isIPv4(start) ? 'ipv4' : 'ipv6'
    allowed.addSubnet(start, Number(bits ?? (family === 'ipv4' ? 32 : 128)), family)
  }
  return address => {
    const reason = isForbidden(address)
    return reason !== null && allowed.check(address, isIPv4(address) ? 'ipv4' : 'ipv6') ? null : reason
  }
}

/** Why `address` is forbidden; null if it is allowed. Text that is not an address is forbidden. */
export function isForbidden(address: string): string | null {
  const zone = address.indexOf('%')
  const bare = zone < 0 ? address : address.slice(0, zone)
  if (isIP(bare) === 0) return 'not an address'
  const family = isIPv4(bare) ? 'ipv4' : 'ipv6'
  const parsed = new SocketAddress({ address: bare, family })
  const { all, each } = FORBIDDEN[family]
  if (all.check(parsed)) return each.find(({ list }) => list.check(parsed))!.reason
  return family === 'ipv6' && !PUBLIC_IPV6.check(parsed) ? 'reserved' : null
}
