import { Configuration, HttpCrawler, log } from '@crawlee/http'
import { Parser } from 'htmlparser2'

const CONCURRENCY = 50

log.setLevel(log.LEVELS.OFF)
const seeds = process.argv.slice(2)
const hosts = new Set(seeds.map(seed => new URL(seed).host))

const crawler = new HttpCrawler(
  {
    minConcurrency: CONCURRENCY,
    maxConcurrency: CONCURRENCY,
    maxRequestRetries: 0,
    useSessionPool: false,
    async requestHandler({ request, body }) {
      await crawler.addRequests([...linksOf(body.toString(), request.loadedUrl)])
    },
  },
  new Configuration({ persistStorage: false }),
)

// This crawler leaves links to its user: a parser without a tree finds them for the least CPU.
function linksOf(html, pageUrl) {
  const urls = new Set()
  let base = pageUrl
  const parser = new Parser({
    onopentag(name, { href }) {
      if (href === undefined || !URL.canParse(href, base)) return
      if (name === 'base') base = new URL(href, base).href
      if (name !== 'a') return
      const url = new URL(href, base)
      url.hash = ''
      if (hosts.has(url.host)) urls.add(url.href)
    },
  })
  parser.end(html)
  return urls
}

await crawler.run(seeds)
