/**
 * Which addresses a crawler must not touch (P10): everything that is not a public unicast address of somebody
 * else. For IPv6 the rule is turned round: only 2000::/3 is public, and parts of it are taken out again.
 */
import { BlockList, isIPv4, isIPv6 } from 'node:net'

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

interface Block {
  readonly words: readonly number[]
  readonly prefixBits: number
  readonly reason: string
}

/**
 * A network without IPv4 reaches the IPv4 web through this prefix, so the address inside is what counts.
 * Every other way to wrap one (mapped, 6to4, Teredo) is obsolete or never meant for the wire, and forbidden
 * whole.
 */
const NAT64: readonly number[] = [0x64, 0xff9b, 0, 0, 0, 0]

const toBlock = ([start, prefixBits, reason]: Range): Block => ({ words: wordsOf(start), prefixBits, reason })
const BLOCKS_4 = IPV4.map(toBlock)
const BLOCKS_6 = IPV6.map(toBlock)

/** Says why an address must not be connected to, or null when it may. */
export type AddressGuard = (address: string) => string | null

/**
 * The guard of a crawl: `networks` (`10.1.0.0/16`, `fd00::1`) are the user's own word, and `allowPrivate` all
 * of it.
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

/**
 * Why `address` must not be connected to, or null when it may. What is not an address at all is forbidden
 * too.
 */
export function isForbidden(address: string): string | null {
  const zone = address.indexOf('%')
  const bare = zone < 0 ? address : address.slice(0, zone)
  const words = wordsOf(bare)
  if (words.length === 0) return 'not an address'
  if (NAT64.every((word, i) => words[i] === word)) {
    const inside = BLOCKS_4.find(block => inBlock(words.slice(6), block))
    return inside === undefined ? null : `NAT64, ${inside.reason}`
  }
  for (const block of words.length === 2 ? BLOCKS_4 : BLOCKS_6) {
    if (inBlock(words, block)) return block.reason
  }
  return words.length === 8 && words[0] >> 13 !== 1 ? 'reserved' : null
}

function inBlock(words: readonly number[], block: Block): boolean {
  let bits = block.prefixBits
  for (let i = 0; bits > 0; i++, bits -= 16) {
    const ignored = bits >= 16 ? 0 : 16 - bits
    if (words[i] >> ignored !== block.words[i] >> ignored) return false
  }
  return true
}

/** 16-bit words of an address: two for IPv4, eight for IPv6, none when it is neither. */
function wordsOf(address: string): readonly number[] {
  if (isIPv4(address)) return ipv4Words(address)
  if (!isIPv6(address)) return []
  const gap = address.indexOf('::')
  if (gap < 0) return groupWords(address)
  const front = groupWords(address.slice(0, gap))
  const back = groupWords(address.slice(gap + 2))
  return [...front, ...new Array<number>(8 - front.length - back.length).fill(0), ...back]
}

function ipv4Words(address: string): number[] {
  const [a, b, c, d] = address.split('.').map(Number)
  return [(a << 8) | b, (c << 8) | d]
}

function groupWords(text: string): number[] {
  if (text === '') return []
  return text
    .split(':')
    .flatMap(group => (group.includes('.') ? ipv4Words(group) : [Number.parseInt(group, 16)]))
}
