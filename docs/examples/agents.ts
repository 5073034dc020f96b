/**
 * Gets the pages of several agents in one loop, leaves it early, and resumes the crawl:
 * `npx tsx docs/examples/agents.ts URL my-crawl`
 */
import { crawl, resume } from 'orbweaver'

const [seed = 'https://example.org/', out = 'my-crawl'] = process.argv.slice(2)
const contact = 'https://example.org/about-this-crawl'
const allowPrivate = new URL(seed).hostname === 'localhost'
// Each agent has a thread of its own; their pages come to this loop, and they wait while it is busy.
const first = crawl({ seeds: [seed], out, agents: 4, delay: 0, contact, allowPrivate })

for await (const page of first) {
  console.log('first', page.url)
  break
}
// After `break` or an exception the crawl has ended, and what was fetched is stored.
console.log((await first.report).finishReason)

const second = resume(out)
for await (const page of second) console.log('second', page.url)
const report = await second.report
console.log(`${report.pages} pages by ${report.agents.length} agents, ${report.finishReason}`)
