import { existsSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import {
  addressAuthority,
  ByteWriter,
  loopbackAddress,
  truth,
  WebAnswers,
  WebPlan,
} from '../../src/simulate/web/index.js'
import { CACHE, type Corpus, fileOf, type Host, PORT } from './corpus.js'

/** What `orbweaver web` serves with the same figures. */
export const WEB = { sites: 40, pages: 20_000, seed: 1 } as const

/** To be raised when `orbweaver web` changes its pages, so that an old cache is not taken for a new one. */
const EDITION = 1

/** Every file a page may ask for besides those that `truth` lists. */
const EXTRAS = ['robots.txt', 'sitemap.xml', 'assets/site.css', 'assets/app.js'].concat(
  [0, 1, 2, 3].map(picture => `assets/pic-${picture}.png`),
)

/** The pages of `orbweaver web`, each site on its loopback address. */
export function generatedCorpus(): Corpus {
  const plan = new WebPlan(WEB)
  const answers = new WebAnswers(plan, {}, addressAuthority(PORT))
  const hosts = Array.from({ length: WEB.sites }, (_, site): Host => {
    const address = loopbackAddress(site)
    const pages = Array.from({ length: plan.sizeOf(site) }, (_, page) => plan.pathOf(site, page))
    const redirects = redirectsOf(answers, site, pages.length)
    return { address, folder: join(rootFolder(), address), start: '/', pages: new Set(pages), redirects }
  })
  return { name: 'generated', hosts }
}

/** Writes the corpus as files for a server that knows nothing else. */
export async function writeGenerated(): Promise<void> {
  const complete = join(rootFolder(), 'complete')
  if (existsSync(complete)) return
  await rm(rootFolder(), { recursive: true, force: true })
  const authority = addressAuthority(PORT)
  const plan = new WebPlan(WEB)
  const answers = new WebAnswers(plan, {}, authority)
  const writer = new ByteWriter()
  for (const url of urlsOf(plan)) {
    const { host, pathname, search } = new URL(url)
    const site = Number(host.split(/[.:]/)[3]) - 1
    const answer = answers.answer(site, pathname + search, 0)
    if (answer.status !== 200) continue
    writer.length = 0
    answer.write(writer)
    const file = fileOf(join(rootFolder(), loopbackAddress(site)), pathname + search)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, writer.bytes.subarray(0, writer.length))
  }
  await writeFile(complete, '')
}

function* urlsOf(plan: WebPlan): Generator<string> {
  const authority = addressAuthority(PORT)
  yield* truth(plan, authority, { robots: false })
  for (let site = 0; site < plan.sites; site++) {
    for (const extra of EXTRAS) yield `http://${authority(site)}/${extra}`
  }
}

function redirectsOf(answers: WebAnswers, site: number, pages: number): Map<string, string> {
  const redirects = new Map<string, string>()
  for (let page = 1; page < pages; page++) {
    for (const target of [`/go/${page}`, `/go/${page}/on`]) {
      const { location } = answers.answer(site, target, 0)
      if (location !== '') redirects.set(target, location)
    }
  }
  return redirects
}

function rootFolder(): string {
  return join(CACHE, `generated-${WEB.sites}-${WEB.pages}-${WEB.seed}-${EDITION}`)
}
