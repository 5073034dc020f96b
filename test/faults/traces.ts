/** What a crawl leaves behind of the faults it went through: files, rows of the ledger, lines of its log. */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'libsql'

/** Bytes of the archive that no committed pack knows of. */
export function strayBytes(out: string, ledger: Database.Database): number {
  const rows = ledger.prepare('SELECT name, bytes FROM file').raw().all() as [string, number][]
  const known = new Map(rows)
  const folder = join(out, 'archive')
  const sizeOf = (name: string) => statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0
  return readdirSync(folder)
    .filter(name => name.includes('.warc'))
    .reduce(
      (sum, name) =>
        sum + Math.max(0, sizeOf(name) - (known.get(`archive/${name.replace(/\.open$/, '')}`) ?? 0)),
      0,
    )
}

/** Agents that brought pages. */
export function agentsAtWork(out: string): number {
  const ledger = new Database(join(out, 'ledger.db'), { timeout: 10_000 })
  const [agents] = ledger
    .prepare('SELECT count(DISTINCT name) FROM agent WHERE lanes > 0 AND pages > 0')
    .raw()
    .get() as [number]
  ledger.close()
  return agents
}

interface LogLine {
  readonly event: string
  readonly how?: string
  readonly answer?: string
}

/** Sites that could not be finished because a late link had come. */
export function lateLinks(out: string): number {
  return linesOf(out).filter(({ event, how }) => event === 'fault' && how === 'finish').length
}

/** What the ledger answered agents that were frozen with a pack in their hands, one after the other. */
export function thawed(out: string): string[] {
  return linesOf(out)
    .filter(({ event, how }) => event === 'fault' && how === 'thawed')
    .map(({ answer }) => answer ?? '')
}

/** Agents that died alone. */
export function deaths(out: string): number {
  return linesOf(out).filter(({ event }) => event.startsWith('an agent died')).length
}

function linesOf(out: string): LogLine[] {
  const lines = readFileSync(join(out, 'crawl.log'), 'utf8').split('\n')
  // The last one may be half written.
  return lines.slice(0, -1).map(line => JSON.parse(line) as LogLine)
}
