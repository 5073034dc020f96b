import { CheerioCrawler, Configuration, log } from '@crawlee/cheerio'

const CONCURRENCY = 50

log.setLevel(log.LEVELS.OFF)
const crawler = new CheerioCrawler(
  {
    minConcurrency: CONCURRENCY,
    maxConcurrency: CONCURRENCY,
    maxRequestRetries: 0,
    useSessionPool: false,
    async requestHandler({ enqueueLinks }) {
      await enqueueLinks({ strategy: 'same-hostname' })
    },
  },
  new Configuration({ persistStorage: false }),
)
await crawler.run(process.argv.slice(2))
