/** Crawl directories that come from somebody else: made by one user, copied, and opened by another. */
import { cpSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { orbweaver, temporary } from './orbweaver.js'
import { page, SmallWeb } from './small-web.js'

const LINKS = Array.from({ length: 8 }, (_, i) => `/p${i}`)

/** The site of all these crawls. */
export function smallSite(): Promise<SmallWeb> {
  return SmallWeb.listen({
    'a.test': path => (path === '/robots.txt' ? null : page(`Page ${path}`, 'text', LINKS)),
  })
}

/** A state folder of its own is another user. */
export function newUser(): { readonly ORBWEAVER_STATE: string } {
  return { ORBWEAVER_STATE: mkdtempSync(join(tmpdir(), 'state-')) }
}

/** A crawl with pages left to fetch; returns its directory. */
export async function stoppedCrawl(
  web: SmallWeb,
  user: Record<string, string>,
  ...flags: string[]
): Promise<string> {
  const out = temporary('crawl')
  const { code, stderr } = await orbweaver(
    ['crawl', 'http://a.test/', ...web.flags, '--max-pages', '3', '--out', out, ...flags],
    user,
  )
  if (code !== 10) throw new Error(`the crawl ended with ${code}: ${stderr}`)
  return out
}

export function copyOf(directory: string): string {
  const copy = temporary('copy')
  cpSync(directory, copy, { recursive: true })
  return copy
}

interface CrawlJson {
  id: string
  config: Record<string, unknown>
}

export function crawlJson(directory: string): CrawlJson {
  return JSON.parse(readFileSync(join(directory, 'crawl.json'), 'utf8')) as CrawlJson
}

export function configure(directory: string, settings: Record<string, unknown>): void {
  const file = crawlJson(directory)
  file.config = { ...file.config, ...settings }
  writeFileSync(join(directory, 'crawl.json'), JSON.stringify(file))
}

/** A module that leaves a mark as soon as it is loaded. */
export function markingGuest(): { readonly path: string; readonly mark: string } {
  const folder = mkdtempSync(join(tmpdir(), 'guest-'))
  const [path, mark] = [join(folder, 'guest.mjs'), join(folder, 'mark')]
  writeFileSync(
    path,
    `import { writeFileSync } from 'node:fs'
writeFileSync(${JSON.stringify(mark)}, 'was here')
export const accept = () => true\n`,
  )
  return { path, mark }
}

/** Every file below a directory with its size and time of change: what somebody wrote shows. */
export function everyFile(directory: string): string[] {
  const names = readdirSync(directory, { recursive: true, encoding: 'utf8' }).sort()
  return names.map(name => {
    const { size, mtimeMs } = statSync(join(directory, name))
    return `${name} ${size} ${mtimeMs}`
  })
}
