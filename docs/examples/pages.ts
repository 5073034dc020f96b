/** Every page of a site as it comes: `npx tsx docs/examples/pages.ts https://example.org/ my-crawl` */
import { crawl } from 'orbweaver'

const [seed = 'https://example.org/', out = 'my-crawl'] = process.argv.slice(2)
const contact = 'https://example.org/about-this-crawl'
// Your own machine is crawled only when you say so.
const allowPrivate = new URL(seed).hostname === 'localhost'
const run = crawl({ seeds: [seed], out, maxPages: 50, contact, allowPrivate })

for await (const page of run) {
  console.log(page.status, page.url, JSON.stringify(page.title), `${page.text.length} characters of text`)
}

const report = await run.report
console.log(`${report.pages} pages, ${report.finishReason}`)
