/** Turns connection errors into outcome codes with one line of explanation. */
import type { OutcomeCode } from '../../../model/index.js'

export interface ConnectFailure {
  readonly ok: false
  readonly code: OutcomeCode
  readonly detail: string
}

const TLS_MEANINGS: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'the certificate has expired',
  CERT_NOT_YET_VALID: 'the certificate is not valid yet',
  CERT_REVOKED: 'the certificate was revoked',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'the certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'the certificate chain ends in an unknown authority',
  UNABLE_TO_GET_ISSUER_CERT: 'the certificate chain is incomplete',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'the certificate chain is incomplete or its authority unknown',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'the certificate chain is incomplete or its authority unknown',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate is for another host',
  ERR_SSL_WRONG_VERSION_NUMBER: 'the server does not speak TLS on this port',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'the server does not speak TLS on this port',
  ERR_SSL_UNSUPPORTED_PROTOCOL: 'the server speaks only outdated TLS',
  ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION: 'the server speaks only outdated TLS',
  ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL: 'the server does not speak HTTP/1.1',
  ECONNRESET: 'the server closed the connection during the handshake',
}

/** The TCP connection was established, but the handshake or the certificate failed. */
export function tlsFailure(host: string, error: NodeJS.ErrnoException): ConnectFailure {
  const code = error.code ?? ''
  const meaning =
    TLS_MEANINGS[code] ?? (code === '' ? 'the handshake failed' : `the handshake failed (${code})`)
  return { ok: false, code: 'TLS_FAILED', detail: `${host}: ${meaning}` }
}

export function tcpFailure(host: string, address: string, error: NodeJS.ErrnoException): ConnectFailure {
  const where = at(host, address)
  switch (error.code) {
    case 'ECONNREFUSED':
      return { ok: false, code: 'CONNECT_REFUSED', detail: `${where} refused the connection` }
    case 'ETIMEDOUT':
      return connectTimeout(host, address)
    default:
      return { ok: false, code: 'CONNECT_FAILED', detail: `${where}: ${error.code ?? 'connection failed'}` }
  }
}

export function connectTimeout(host: string, address: string): ConnectFailure {
  return { ok: false, code: 'CONNECT_TIMEOUT', detail: `${at(host, address)} did not answer in time` }
}

export function forbiddenAddress(host: string, address: string, reason: string): ConnectFailure {
  return { ok: false, code: 'ADDRESS_FORBIDDEN', detail: `${at(host, address)} is ${reason}` }
}

export function forbiddenPort(host: string, port: number): ConnectFailure {
  return { ok: false, code: 'ADDRESS_FORBIDDEN', detail: `${host}: port ${port} is not one of the web` }
}

function at(host: string, address: string): string {
  return host === address || host === `[${address}]` ? host : `${host} (${address})`
}
