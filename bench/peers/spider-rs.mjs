import { Website } from '@spider-rs/spider-rs'

// One site after the other, each with the crawler's own concurrency: less CPU and more pages/s than all sites at
// once, or one site with the others as external domains.
for (const seed of process.argv.slice(2)) {
  await new Website(seed).withRespectRobotsTxt(true).build().crawl()
}
