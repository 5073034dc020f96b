import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { WebAnswers } from '../../src/simulate/web/answers.js'
import { loopbackAddress } from '../../src/simulate/web/authority.js'
import { ByteWriter } from '../../src/simulate/web/byte-writer.js'
import { addressAuthority, truth, WebPlan } from '../../src/simulate/web/index.js'
import { CACHE, type Corpus, fileOf, type Host, PORT } from './corpus.js'

/** What `orbweaver web` serves with the same figures. */
export const WEB = { sites: 60, pages: 60_000, seed: 1 } as const

/** Every file a page may ask for besides those that `truth` lists. */
const EXTRAS = ['/robots.txt', '/sitemap.xml', '/assets/site.css', '/assets/app.js'].concat(
  [0, 1, 2, 3].map(picture => `/assets/pic-${picture}.png`),
)

/** Pages of each site that go into the name of the cache. */
const SAMPLE = 20

const authority = addressAuthority(PORT)
const plan = new WebPlan(WEB)
const answers = new WebAnswers(plan, {}, authority)
const writer = new ByteWriter()

/** The pages of `orbweaver web`, each site on its loopback address. */
export function generatedCorpus(): Corpus {
  const root = rootFolder()
  const hosts = Array.from({ length: WEB.sites }, (_, site): Host => {
    const address = loopbackAddress(site)
    const pages = new Set(Array.from({ length: plan.sizeOf(site) }, (_, page) => plan.pathOf(site, page)))
    return { address, folder: join(root, address), start: '/', pages, redirects: redirectsOf(site) }
  })
  return { name: 'generated', hosts }
}

/** Writes the corpus as files, once, for a server that knows nothing else. */
export async function writeGenerated({ hosts }: Corpus): Promise<void> {
  const complete = join(rootFolder(), 'complete')
  if (existsSync(complete)) return
  for (const [site, host] of hosts.entries()) {
    await rm(host.folder, { recursive: true, force: true })
    for (const target of EXTRAS) await writeTarget(host, site, target)
  }
  const sites = new Map(hosts.map((host, site) => [host.address, site]))
  for (const url of truth(plan, authority, { robots: false })) {
    const { hostname, pathname, search } = new URL(url)
    const site = sites.get(hostname) ?? -1
    await writeTarget(hosts[site], site, pathname + search)
  }
  await writeFile(complete, '')
}

async function writeTarget(host: Host, site: number, target: string): Promise<void> {
  const bytes = bodyOf(site, target)
  if (bytes === undefined) return
  const file = fileOf(host.folder, target)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, bytes)
}

/** Valid until the next call. */
function bodyOf(site: number, target: string): Uint8Array | undefined {
  const answer = answers.answer(site, target, 0)
  if (answer.status !== 200) return undefined
  writer.length = 0
  answer.write(writer)
  return writer.bytes.subarray(0, writer.length)
}

function redirectsOf(site: number): Map<string, string> {
  const redirects = new Map<string, string>()
  for (let page = 1; page < plan.sizeOf(site); page++) {
    for (const target of [`/go/${page}`, `/go/${page}/on`]) {
      const { location } = answers.answer(site, target, 0)
      if (location !== '') redirects.set(target, location)
    }
  }
  return redirects
}

/** Named by a sample of the pages, so that an old cache is never taken for a web that has changed. */
function rootFolder(): string {
  const hash = createHash('sha256')
  for (let site = 0; site < WEB.sites; site++) {
    for (let page = 0; page < SAMPLE; page++) hash.update(bodyOf(site, plan.pathOf(site, page)) ?? '')
  }
  return join(CACHE, `generated-${hash.digest('hex').slice(0, 16)}`)
}
