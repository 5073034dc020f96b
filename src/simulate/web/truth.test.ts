/**
 * A slow and simple crawler on parse5 and node:http, which shares nothing with ours, walks the web and must
 * find the truth.
 */
import { Agent, get, type IncomingMessage } from 'node:http'
import { type DefaultTreeAdapterTypes, parse } from 'parse5'
import { afterEach, describe, expect, it } from 'vitest'
import { linksOf } from '../../../test/kit/planned-links.js'
import { systemClock } from '../../compose/index.js'
import { WebAnswers } from './answers.js'
import { namedAuthority, siteOfHost } from './authority.js'
import { ByteWriter } from './byte-writer.js'
import { truth } from './truth.js'
import { WebPlan } from './web-plan.js'
import { WebServer, type WebServerOptions } from './web-server.js'

type Node = DefaultTreeAdapterTypes.Node
type Element = DefaultTreeAdapterTypes.Element

const FOLLOWED_RELS = ['canonical', 'next', 'prev', 'alternate']

function* elements(node: Node): Generator<Element> {
  if ('tagName' in node) yield node
  if ('childNodes' in node) for (const child of node.childNodes) yield* elements(child)
}

function attribute(element: Element, name: string): string | undefined {
  return element.attrs.find(attr => attr.name === name)?.value
}

function hrefOf(element: Element): string | undefined {
  switch (element.tagName) {
    case 'a':
    case 'area':
      return attribute(element, 'href')
    case 'iframe':
      return attribute(element, 'src')
    case 'link':
      return FOLLOWED_RELS.includes(attribute(element, 'rel') ?? '') ? attribute(element, 'href') : undefined
    case 'meta':
      return attribute(element, 'http-equiv')?.toLowerCase() === 'refresh'
        ? /url=(.*)/i.exec(attribute(element, 'content') ?? '')?.[1]
        : undefined
    default:
      return undefined
  }
}

/** Links a browser-like parser finds, resolved, without fragments, in order and with repeats. */
function linksIn(html: string, url: string): string[] {
  let base = url
  const links: string[] = []
  for (const element of elements(parse(html))) {
    if (element.tagName === 'base') base = new URL(attribute(element, 'href') ?? '', url).href
    const href = hrefOf(element)
    if (href === undefined) continue
    const link = new URL(href, base)
    link.hash = ''
    if (link.protocol === 'http:') links.push(link.href)
  }
  return links
}

interface Fetched {
  readonly response: IncomingMessage
  readonly body: string
}

class Crawler {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 4 })
  readonly #byAddress: boolean
  readonly #rules = new Map<string, Promise<string[]>>()
  readonly found: string[] = []

  constructor(byAddress: boolean) {
    this.#byAddress = byAddress
  }

  async crawl(seed: string): Promise<string[]> {
    const seen = new Set([seed])
    let level = [seed]
    while (level.length > 0) {
      const next: string[] = []
      await Promise.all(level.map(async url => next.push(...(await this.#visit(url)))))
      level = [...new Set(next)].filter(url => !seen.has(url))
      for (const url of level) seen.add(url)
    }
    this.#agent.destroy()
    return this.found
  }

  async #visit(url: string): Promise<string[]> {
    const { origin, pathname } = new URL(url)
    const known = this.#rules.get(origin) ?? this.#readRobots(origin)
    this.#rules.set(origin, known)
    if ((await known).some(prefix => pathname.startsWith(prefix))) return []
    const { response, body } = await this.#get(url, 2)
    const { location } = response.headers
    if (location !== undefined) return [new URL(location, url).href]
    if (response.statusCode !== 200) return []
    this.found.push(url)
    return response.headers['content-type']?.startsWith('text/html') ? linksIn(body, url) : []
  }

  async #readRobots(origin: string): Promise<string[]> {
    const { response, body } = await this.#get(`${origin}/robots.txt`, 1)
    if (response.statusCode !== 200) return []
    const ours = body.slice(body.indexOf('User-agent: *'))
    return [...ours.matchAll(/^Disallow: (.+)$/gm)].map(match => match[1])
  }

  /** One request, and another when the first fails as the knobs make it fail. */
  async #get(url: string, tries: number): Promise<Fetched> {
    try {
      const fetched = await this.#ask(url)
      return fetched.response.statusCode === 503 && tries > 1 ? this.#get(url, tries - 1) : fetched
    } catch (error) {
      if (tries <= 1) throw error
      return this.#get(url, tries - 1)
    }
  }

  #ask(url: string): Promise<Fetched> {
    const { host, hostname, port, pathname, search } = new URL(url)
    const options = {
      host: this.#byAddress ? hostname : '127.0.0.1',
      port,
      path: pathname + search,
      agent: this.#agent,
    }
    return new Promise((resolve, reject) => {
      get({ ...options, headers: { host } }, response => {
        let body = ''
        response.setEncoding('utf8')
        response.on('data', chunk => (body += chunk))
        response.on('end', () => resolve({ response, body }))
        response.on('error', reject)
      }).on('error', reject)
    })
  }
}

const open: WebServer[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map(server => server.close()))
})

async function start(plan: WebPlan, options: Partial<WebServerOptions> = {}): Promise<WebServer> {
  const server = await WebServer.listen(plan, { clock: systemClock, port: 0, ...options })
  open.push(server)
  return server
}

function pageOf(plan: WebPlan, site: number, page: number): string {
  const writer = new ByteWriter()
  const answers = new WebAnswers(plan, {}, namedAuthority(plan, 8080))
  answers.answer(site, plan.pathOf(site, page), 0).write(writer)
  return writer.bytes.toString('utf8', 0, writer.length)
}

describe('a full crawl finds the truth, each URL once, and asks for nothing else', () => {
  const webs = [
    { sites: 6, pages: 300, seed: 1 },
    { sites: 30, pages: 200, seed: 2 },
    { sites: 1, pages: 150, seed: 3 },
    { sites: 12, pages: 12, seed: 4 },
    { sites: 3, pages: 600, seed: 987_654_321 },
    { sites: 1, pages: 1, seed: 5 },
  ]
  it.each(webs)('$sites sites, $pages pages, seed $seed', async options => {
    const plan = new WebPlan(options)
    const server = await start(plan)
    const found = await new Crawler(false).crawl(server.seed)
    const wanted = [...truth(plan, server.authority)]
    expect([...found].sort()).toEqual([...wanted].sort())
    expect(wanted[0]).toBe(server.seed)
    expect(server.counts()).toMatchObject({
      covered: wanted.length,
      repeats: 0,
      violations: 0,
      decoys: 0,
      strays: 0,
      badRequests: 0,
    })
  })

  it('by loopback addresses, one for each site', async () => {
    const plan = new WebPlan({ sites: 5, pages: 60, seed: 6 })
    const server = await start(plan, { addresses: true })
    const found = await new Crawler(true).crawl(server.seed)
    expect([...found].sort()).toEqual([...truth(plan, server.authority)].sort())
    expect(server.seed).toBe(`http://127.0.1.1:${server.port}/`)
    expect(server.counts().strays).toBe(0)
  })

  it('also when requests fail once, are cut off once, wait, and pages change meanwhile', async () => {
    const plan = new WebPlan({ sites: 4, pages: 120, seed: 7 })
    const knobs = {
      failRate: 0.2,
      dropRate: 0.1,
      latencyMs: 2,
      latencyJitter: 1,
      changeRate: 1,
      changePeriodMs: 1,
    }
    const server = await start(plan, knobs)
    const found = await new Crawler(false).crawl(server.seed)
    expect([...found].sort()).toEqual([...truth(plan, server.authority)].sort())
    const counts = server.counts()
    expect(counts.failed).toBeGreaterThan(5)
    expect(counts.dropped).toBeGreaterThan(2)
    expect(counts).toMatchObject({ repeats: 0, strays: 0, decoys: 0, violations: 0 })
  })
})

describe('truth', () => {
  const plan = new WebPlan({ sites: 20, pages: 3_000, seed: 8 })
  const authority = namedAuthority(plan, 8080)
  const urls = [...truth(plan, authority)]

  it('holds normalised URLs, each once', () => {
    for (const url of urls) expect(new URL(url).href).toBe(url)
    expect(new Set(urls).size).toBe(urls.length)
  })

  it('names what answers with 200, and with robots ignored also what is forbidden', () => {
    const answers = new WebAnswers(plan, {}, authority)
    const all = [...truth(plan, authority, { robots: false })]
    expect(all.length).toBeGreaterThan(urls.length + 20)
    for (const url of all) {
      const { host, pathname, search } = new URL(url)
      expect(answers.answer(siteOfHost(plan, host), pathname + search, 0).status).toBe(200)
    }
    const forbidden = all.filter(url => !urls.includes(url))
    for (const url of forbidden) expect(url).toContain('/private/')
  })
})

describe('a page shows exactly the links of the plan', () => {
  const plan = new WebPlan({ sites: 8, pages: 900, seed: 9 })
  const authority = namedAuthority(plan, 8080)

  it('in whatever spelling, and no decoy among them', () => {
    const spellings = new Map<string, number>()
    for (let site = 0; site < plan.sites; site++) {
      for (let page = 0; page < plan.sizeOf(site); page++) {
        const url = plan.urlOf(site, page, authority)
        const html = pageOf(plan, site, page)
        const planned = new Set(linksOf(plan, site, page, authority).map(link => link.url))
        // "Back to top" is a link to the page itself, or to what <base> says.
        planned.add(html.includes('<base') ? `http://${authority(site)}/` : url)
        if (html.includes('rel="canonical"')) planned.add(url)
        expect(new Set(linksIn(html, url)), url).toEqual(planned)
        countSpellings(html, spellings)
      }
    }
    for (const [spelling, count] of spellings) expect(count, spelling).toBeGreaterThan(0)
  })
})

/** Each of these forms must occur somewhere, or the test above proves little. */
function countSpellings(html: string, counts: Map<string, number>): void {
  const forms: Record<string, RegExp> = {
    absolute: /<a href="http:\/\//,
    root: /<a href="\/[a-z]/,
    climbing: /<a href="\.\.\//,
    query: /href="\?id=/,
    fragment: /href="[^"]+#s1"/,
    entity: /id=\d+&amp;lang/,
    numericEntity: /id=\d+&#38;lang/,
    hexEntity: /id=\d+&#x26;lang/,
    rawAmpersand: /id=\d+&lang/,
    singleQuotes: /<a href='/,
    noQuotes: /<a href=[/h.]/,
    upperCaseTag: /<A HREF=/,
    spacedEquals: /href = /,
    upperCaseHost: /HTTP:\/\/S/,
    schemeRelative: /href="\/\/s/,
    dotSegments: /\/\.\/x\/\.\./,
    padded: /href=" [^"]*\n"/,
    rawLetter: /caf\u00e9-\d/,
    letterEntity: /r&eacute;sum-/,
    percent: /caf%C3%A9-/,
    rawSpace: / notes-\d+\.html/,
    area: /<area/,
    frame: /<iframe[^>]* src=/,
    next: /<link rel="next"/,
    refresh: /http-equiv="Refresh"/,
    base: /<base href="\/">/,
    canonical: /rel="canonical"/,
    nofollow: /rel=nofollow/,
    comment: /<!-- <a href/,
    textarea: /<textarea/,
    form: /<form action/,
    redirect: /\/go\/\d+/,
    gone: /\/gone\/\d+/,
    forbidden: /\/private\/\d+/,
    object: /\/files\/doc-\d+/,
  }
  for (const [name, form] of Object.entries(forms)) {
    counts.set(name, (counts.get(name) ?? 0) + (form.test(html) ? 1 : 0))
  }
}
