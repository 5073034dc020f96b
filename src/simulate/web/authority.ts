/**
 * How the sites of a generated web are addressed: by name (`s00.test:P`) or each by its own loopback address.
 */
import type { WebPlan } from './web-plan.js'

/** host[:port] of a site as it stands in a normalised http URL. */
export type Authority = (site: number) => string

const BLOCK = 250
/** A limit for the number of listening sockets. */
export const MOST_ADDRESSES = 4_096

export function namedAuthority(plan: WebPlan, port: number): Authority {
  const suffix = port === 80 ? '' : `:${port}`
  return site => plan.nameOf(site) + suffix
}

export function addressAuthority(port: number): Authority {
  const suffix = port === 80 ? '' : `:${port}`
  return site => loopbackAddress(site) + suffix
}

/** 127.0.1.1 for site 0, and so on; clients may use 127.0.0.x. */
export function loopbackAddress(site: number): string {
  const block = Math.floor(site / BLOCK)
  return `127.${Math.floor(block / BLOCK)}.${1 + (block % BLOCK)}.${1 + (site % BLOCK)}`
}

/** The site of a Host header or URL authority; -1 if it is not in this web. */
export function siteOfHost(plan: WebPlan, host: string): number {
  const colon = host.lastIndexOf(':')
  const name = (colon < 0 ? host : host.slice(0, colon)).toLowerCase()
  const site = name.startsWith('127.') ? siteOfAddress(name) : siteOfName(name)
  if (site < 0 || site >= plan.sites) return -1
  return name === plan.nameOf(site) || name === loopbackAddress(site) ? site : -1
}

function siteOfName(name: string): number {
  if (name.charCodeAt(0) !== 0x73 || !name.endsWith('.test')) return -1
  const number = Number(name.slice(1, -5))
  return Number.isInteger(number) ? number : -1
}

function siteOfAddress(name: string): number {
  const parts = name.split('.')
  if (parts.length !== 4) return -1
  const site = (Number(parts[1]) * BLOCK + Number(parts[2]) - 1) * BLOCK + Number(parts[3]) - 1
  return Number.isInteger(site) ? site : -1
}
