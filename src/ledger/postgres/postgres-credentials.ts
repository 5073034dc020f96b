/**
 * Protection of the ledger's password in transit. Connections to another machine are encrypted and the
 * certificate is checked, unless the user's environment says otherwise: `PGSSLMODE=no-verify` (encrypted, but
 * any certificate) or `PGSSLMODE=disable` (not encrypted; then the password is never sent in the clear). The
 * connection string cannot weaken this, because it is stored in crawl.json.
 */
import { isIPv4 } from 'node:net'
import type { Client, ClientConfig } from 'pg'
import { LedgerError } from '../index.js'

/** Undefined: `pg` reads the setting from the environment. */
export function tlsFor(host: string, mode = process.env.PGSSLMODE): ClientConfig['ssl'] {
  if (isThisMachine(host)) return undefined
  if (mode === 'disable') return false
  return mode === 'no-verify' ? { rejectUnauthorized: false } : true
}

/** Ends a connection on which the server asks for the password in the clear; `place` is for the message. */
export function keepPassword(client: Client, host: string, place: string): void {
  if (isThisMachine(host) || tlsFor(host) !== false) return
  const { connection } = client
  // Runs before the client's own listener, which then writes to a closed socket.
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
