/** Where a host can be reached. */
export interface Endpoint {
  readonly address: string
  /** Connect to this port instead of the URL's; only `--resolve` says so. */
  readonly port?: number
  /** The user named this address (`--resolve`): the address guard does not apply. */
  readonly trusted: boolean
}

export type Resolution =
  | { readonly ok: true; readonly endpoints: readonly Endpoint[] }
  | { readonly ok: false; readonly code: 'DNS_NOT_FOUND' | 'DNS_FAILED'; readonly detail: string }

/** Port: names to addresses. Never throws, always answers within `dnsMs`. Addresses are not guarded yet. */
export interface Resolver {
  /** `host` as it stands in a URL: a name, an IPv4 address, or an IPv6 address with or without brackets. */
  resolve(host: string): Promise<Resolution>
  /**
   * None of the addresses of `host` could be connected to: it is asked for again soon, whatever its TTL said.
   */
  invalidate?(host: string): void
}
