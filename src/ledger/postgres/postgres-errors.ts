/** Errors of PostgreSQL and of the connection, as one line that says what to do and contains no password. */
import { LedgerError } from '../index.js'

/** The transaction was certainly rolled back and can be repeated: a conflict, or an idle timeout. */
export function isUndone(error: unknown): boolean {
  const code = codeOf(error)
  return code === '40P01' || code === '40001' || isIdleTimeout(error)
}

/** The server ended the connection because it was idle in a transaction; during a COMMIT it is not idle. */
export function isIdleTimeout(error: unknown): boolean {
  return codeOf(error) === '25P03'
}

/** `place` names hosts, database and user as given, without a password. */
export function ledgerErrorOf(place: string, error: unknown): unknown {
  if (error instanceof LedgerError) return error
  const code = codeOf(error)
  const { message } = error as Error
  const tls = tlsProblem(place, code, message)
  if (tls !== null) return new LedgerError('denied', tls)
  if (/^(28|42501)/.test(code) || /client password must be/.test(message))
    return new LedgerError(
      'denied',
      `${place} refuses this user; check the password in PGPASSWORD or PGPASSFILE, and what the user may do`,
    )
  if (code === '3D000') return new LedgerError('missing', `there is no such database: ${place}`)
  if (code === '53100' || /could not (?:extend|write to) file/.test(message))
    return new LedgerError('full', `the disk of ${place} is full; free some space there, then resume`)
  if (/^XX00[12]/.test(code))
    return new LedgerError('corrupt', `the database ${place} is damaged; restore it from a backup`)
  if (isAway(code, message))
    return new LedgerError('away', `${place} does not answer (${code === '' ? message : code})`)
  return error
}

/** A problem with the encryption of the connection, and what to do about it. */
function tlsProblem(place: string, code: string, message: string): string | null {
  if (/^28/.test(code) && /no encryption|SSL off/.test(message))
    return `${place} wants an encrypted connection; set PGSSLMODE=require`
  if (/server does not support SSL/.test(message))
    return `${place} does not support TLS; enable it on the server (ssl = on), or set PGSSLMODE=disable on a trusted network`
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return `the certificate of ${place} is for another host; name the host as the certificate does`
  if (/CERT|^UNABLE_TO_/.test(code))
    return `the certificate of ${place} is not trusted (${code}); name the file of its authority in NODE_EXTRA_CA_CERTS`
  return null
}

/**
 * Connection lost or refused, server starting or stopping, too many clients, not the primary, or too slow.
 */
function isAway(code: string, message: string): boolean {
  return (
    /^(08|53[34]|57P|25006|25P03|58030|55P03)/.test(code) ||
    /^(ECONN|ENOTFOUND|EAI_|ETIMEDOUT|EPIPE|EHOST|ENET|EADDR)/.test(code) ||
    /terminated|timeout|not queryable|Client was closed|Connection ended/i.test(message)
  )
}

function codeOf(error: unknown): string {
  const { code = '' } = error as { code?: unknown }
  return typeof code === 'string' ? code : ''
}
