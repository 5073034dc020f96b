import Crawler from 'crawler'

const seeds = process.argv.slice(2)
const hosts = new Set(seeds.map(seed => new URL(seed).host))
const seen = new Set(seeds)

const crawler = new Crawler({
  maxConnections: 20,
  retries: 0,
  silence: true,
  callback(error, response, done) {
    if (!error && response.$) follow(response)
    done()
  },
})

function follow({ $, options }) {
  $('a[href]').each((_, anchor) => {
    const href = $(anchor).attr('href')
    if (!URL.canParse(href, options.url)) return
    const url = new URL(href, options.url)
    url.hash = ''
    if (!hosts.has(url.host) || seen.has(url.href)) return
    seen.add(url.href)
    crawler.add(url.href)
  })
}

crawler.add(seeds)
