import { ConfigError } from '../../config/index.js'

/** DuckDB's error message in one line, with its suggestion. */
export function sqlError(error: unknown): Error {
  // DuckDB throws plain errors, no subclasses.
  if (!(error instanceof Error) || Object.getPrototypeOf(error) !== Error.prototype) return error as Error
  const lines = error.message.split('\n').filter(line => line.trim() !== '')
  const first = (lines[0] ?? 'the query failed').replace(/^(Failed to extract statements: )/, '')
  if (/file system operations are disabled|disabled through configuration/.test(first))
    return new ConfigError('query reads the tables of the crawl only, no other file and no network')
  if (/^Catalog Error: Table with name .* does not exist/.test(first))
    return new ConfigError(`${first} The tables are pages, links and sites`)
  const hint = lines.find((line, i) => i > 0 && /^(Candidate bindings|Did you mean)/.test(line.trim()))
  return new ConfigError(hint === undefined ? first : `${first} ${hint.trim()}`)
}
