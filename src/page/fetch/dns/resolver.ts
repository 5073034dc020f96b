/** An address of a host. */
export interface Endpoint {
  readonly address: string
  /** Replaces the URL's port; only `--resolve` sets it. */
  readonly port?: number
  /** The user gave this address (`--resolve`), so the address guard does not apply. */
  readonly trusted: boolean
}

export type Resolution =
  | { readonly ok: true; readonly endpoints: readonly Endpoint[] }
  | { readonly ok: false; readonly code: 'DNS_NOT_FOUND' | 'DNS_FAILED'; readonly detail: string }

/** Port: resolves names within `dnsMs`; never throws. The addresses are not guarded yet. */
export interface Resolver {
  /** `host` as in a URL: a name, an IPv4 address, or an IPv6 address with or without brackets. */
  resolve(host: string): Promise<Resolution>
  /** No address of `host` could be connected to: shortens the TTL. */
  invalidate?(host: string): void
}
