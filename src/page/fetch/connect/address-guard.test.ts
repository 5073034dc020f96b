import { BlockList, isIPv4 } from 'node:net'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { addressGuard, isForbidden } from './address-guard.js'

describe('addresses that are nobody else’s public ones are forbidden', () => {
  test.each([
    ['127.0.0.1', 'loopback'],
    ['127.255.255.254', 'loopback'],
    ['0.0.0.0', 'unspecified'],
    ['10.1.2.3', 'private'],
    ['172.16.0.1', 'private'],
    ['172.31.255.255', 'private'],
    ['192.168.1.1', 'private'],
    ['100.64.0.1', 'carrier-grade NAT'],
    ['100.127.255.255', 'carrier-grade NAT'],
    ['169.254.0.1', 'link-local'],
    ['169.254.169.254', 'cloud metadata'],
    ['168.63.129.16', 'cloud metadata'],
    ['192.0.0.8', 'reserved'],
    ['192.0.2.1', 'documentation'],
    ['198.18.0.1', 'benchmark'],
    ['198.19.255.255', 'benchmark'],
    ['198.51.100.7', 'documentation'],
    ['203.0.113.7', 'documentation'],
    ['224.0.0.1', 'multicast'],
    ['239.255.255.255', 'multicast'],
    ['240.0.0.1', 'reserved'],
    ['255.255.255.255', 'broadcast'],
    ['::', 'unspecified'],
    ['::1', 'loopback'],
    ['0:0:0:0:0:0:0:1', 'loopback'],
    ['::ffff:127.0.0.1', 'IPv4-mapped'],
    ['::ffff:8.8.8.8', 'IPv4-mapped'],
    ['::ffff:7f00:1', 'IPv4-mapped'],
    ['::127.0.0.1', 'IPv4-compatible'],
    ['64:ff9b::10.0.0.1', 'NAT64, private'],
    ['64:ff9b::7f00:1', 'NAT64, loopback'],
    ['64:ff9b::a9fe:a9fe', 'NAT64, cloud metadata'],
    ['64:ff9b::1:0:8.8.8.8', 'reserved'],
    ['64:ff9b:1::1', 'NAT64'],
    ['2001:0:1234::1', 'Teredo'],
    ['2001:2::1', 'benchmark'],
    ['2001:db8::1', 'documentation'],
    ['2002:7f00:1::', '6to4'],
    ['2002:a00:1::1', '6to4'],
    ['2001:0:53aa:64c:0:0:80ff:fffe', 'Teredo'],
    ['::ffff:0:127.0.0.1', 'IPv4-translated'],
    ['::7f00:1', 'IPv4-compatible'],
    ['0.1.2.3', 'unspecified'],
    ['100.100.100.200', 'cloud metadata'],
    ['3fff::1', 'documentation'],
    ['fc00::1', 'private'],
    ['fd12:3456::1', 'private'],
    ['fd00:ec2::254', 'cloud metadata'],
    ['fe80::1', 'link-local'],
    ['fe80::1%eth0', 'link-local'],
    ['febf::1', 'link-local'],
    ['fec0::1', 'site-local'],
    ['ff02::1', 'multicast'],
    ['100::1', 'discard-only'],
    ['4000::1', 'reserved'],
    ['1::1', 'reserved'],
    ['', 'not an address'],
    ['0x7f000001', 'not an address'],
    ['2130706433', 'not an address'],
    ['127.1', 'not an address'],
    ['example.org', 'not an address'],
  ])('%s is %s', (address, reason) => {
    expect(isForbidden(address)).toBe(reason)
  })

  test.each([
    '8.8.8.8',
    '1.1.1.1',
    '9.255.255.255',
    '11.0.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '172.15.255.255',
    '172.32.0.0',
    '192.0.1.1',
    '198.17.255.255',
    '198.20.0.0',
    '223.255.255.255',
    '2606:4700::1111',
    '64:ff9b::8.8.8.8',
    '2a00:1450:4001:82a::200e',
    '2003::1',
    '2001:4860:4860::8888',
  ])('%s is public', address => {
    expect(isForbidden(address)).toBeNull()
  })

  test('agrees with node’s own block list on any IPv4 address', () => {
    const list = new BlockList()
    for (const [start, bits] of [
      ['0.0.0.0', 8],
      ['10.0.0.0', 8],
      ['100.64.0.0', 10],
      ['127.0.0.0', 8],
      ['169.254.0.0', 16],
      ['172.16.0.0', 12],
      ['192.0.0.0', 24],
      ['192.0.2.0', 24],
      ['192.88.99.0', 24],
      ['192.168.0.0', 16],
      ['198.18.0.0', 15],
      ['198.51.100.0', 24],
      ['203.0.113.0', 24],
      ['224.0.0.0', 3],
      ['168.63.129.16', 32],
    ] as const)
      list.addSubnet(start, bits)
    const near = [0, 9, 10, 11, 100, 126, 127, 128, 169, 172, 192, 198, 203, 223, 224, 255]
    const octet = fc.oneof(fc.constantFrom(...near), fc.integer({ min: 0, max: 255 }))
    fc.assert(
      fc.property(fc.tuple(octet, octet, octet, octet), octets => {
        const address = octets.join('.')
        expect(isIPv4(address)).toBe(true)
        expect(isForbidden(address) !== null).toBe(list.check(address))
      }),
      { numRuns: 2000 },
    )
  })
})

test.each([
  ['10.1.2.3', null],
  ['10.2.0.1', 'private'],
  ['127.0.0.1', 'loopback'],
  ['fd00:1::5', null],
  ['fd00:2::5', 'private'],
  ['93.184.216.34', null],
  ['not an address', 'not an address'],
])('with networks of the user’s own, %s is judged: %s', (address, reason) => {
  expect(addressGuard(false, ['10.1.0.0/16', 'fd00:1::/32', '192.168.7.7'])(address)).toBe(reason)
})
