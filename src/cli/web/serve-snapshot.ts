/** `orbweaver web --snapshot`: serves a stored crawl until it is interrupted. */
import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { type Clock, forTerminal } from '../../model/index.js'
import { SnapshotServer } from '../../simulate/snapshot/index.js'

interface SnapshotSettings {
  /** As typed: a crawl directory, a WARC file, or a path with wildcards. */
  readonly what: string
  readonly port: number
  readonly latencyScale: number
}

export async function serveSnapshot(
  { what, port, latencyScale }: SnapshotSettings,
  clock: Clock,
  interrupted: () => Promise<void>,
  refuse: (why: string) => never,
): Promise<void> {
  const options = { clock, pattern: patternOf(what), port, latencyScale }
  const web = await SnapshotServer.listen(options).catch((error: Error) => refuse(error.message))
  const { files, captures, problems } = web.built
  for (const problem of problems) process.stderr.write(`${forTerminal(problem)}\n`)
  process.stderr.write(
    `Serving ${captures} captures of ${files} WARC ${files === 1 ? 'file' : 'files'} (Ctrl-C ends it). ` +
      `Crawl a site of it: orbweaver crawl URL --resolve HOST=127.0.0.1:${web.port} --delay 0; ` +
      `with https: --source https://HOST/=http://127.0.0.1:${web.port}\n`,
  )
  await interrupted()
  const { requests, missing } = web.counts
  await web.close()
  process.stderr.write(`requests ${requests}, not in the snapshot ${missing}\n`)
}

/** The archive of a crawl directory. */
function patternOf(text: string): string {
  const archive = resolve(text, 'archive')
  return statSync(archive, { throwIfNoEntry: false })?.isDirectory() ? archive : resolve(text)
}
