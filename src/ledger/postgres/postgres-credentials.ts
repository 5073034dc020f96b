/**
 * Who may read the password of a ledger on its way. To another machine connections are encrypted and the
 * certificate is checked, unless the user's environment says otherwise: `PGSSLMODE=no-verify` (encrypted, to
 * anybody), or `PGSSLMODE=disable` (not encrypted: then a password is never sent as it is). A connection
 * string, which is stored in crawl.json, cannot say so.
 */
import { isIPv4 } from 'node:net'
import type { Client, ClientConfig } from 'pg'
import { LedgerError } from '../index.js'

/** Undefined: as `pg` reads it from the environment. */
export function tlsFor(host: string, mode = process.env.PGSSLMODE): ClientConfig['ssl'] {
  if (isThisMachine(host)) return undefined
  if (mode === 'disable') return false
  return mode === 'no-verify' ? { rejectUnauthorized: false } : true
}

/** Ends a connection on which the server asks for the password in the clear; `place` is for the message. */
export function keepPassword(client: Client, host: string, place: string): void {
  if (isThisMachine(host) || tlsFor(host) !== false) return
  const { connection } = client
  // Before the client's own listener: what it writes then goes to a socket that is closed.
  connection.on('authenticationCleartextPassword', () => {
    connection.stream.destroy(
      new LedgerError(
        'denied',
        `${place} asks for the password without TLS; it was not sent: unset PGSSLMODE`,
      ),
    )
  })
}

function isThisMachine(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'))
}
