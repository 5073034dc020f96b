/**
 * The address of a ledger on PostgreSQL: `postgres://USER@HOST:PORT,HOST:PORT/DATABASE`. Passwords and TLS
 * settings come from the environment (PGPASSWORD, PGPASSFILE, PGSSLMODE), because the address is written to
 * files and messages.
 */
export interface PostgresPlace {
  /** Tried in turn until one accepts writes. */
  readonly hosts: readonly { readonly host: string; readonly port: number }[]
  /** Undefined: from the environment. */
  readonly user: string | undefined
  readonly database: string | undefined
}

const DEFAULT_PORT = 5432
const FORM = /^postgres(?:ql)?:\/\/(?:([^@/?]*)@)?([^/?@]+)(?:\/([^/?]*))?$/

/** The address, or one line about the error, which never contains a password. */
export function readPostgresUrl(text: string): PostgresPlace | string {
  const [, user = '', hosts, database = ''] = FORM.exec(text) ?? []
  if (hosts === undefined) return 'a ledger is named by postgres://USER@HOST:PORT/DATABASE'
  if (user.includes(':'))
    return 'a ledger is named without its password: set PGPASSWORD, or PGPASSFILE, in the environment'
  const places = hosts.split(',').map(readHost)
  if (places.some(place => place === null)) return 'a host of a ledger is HOST or HOST:PORT'
  return {
    hosts: places as PostgresPlace['hosts'],
    user: user === '' ? undefined : decodeURIComponent(user),
    database: database === '' ? undefined : decodeURIComponent(database),
  }
}

function readHost(text: string): PostgresPlace['hosts'][number] | null {
  const [, bracketed, plain, digits] = /^(?:\[([\da-fA-F:]+)\]|([^:[\]]+))(?::(\d+))?$/.exec(text) ?? []
  const host = bracketed ?? plain
  const port = digits === undefined ? DEFAULT_PORT : Number(digits)
  return host === undefined || port < 1 || port > 65_535 ? null : { host, port }
}
