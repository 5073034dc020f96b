/**
 * Waits that sites ask for, and failures that make us wait: obeyed, durable, told, and nobody else's trouble.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'libsql'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { urlsWith } from '../kit/crawled.js'
import { type Host, NamedHosts, type Seen, sited } from '../kit/named-hosts.js'
import { orbweaver, start, temporary } from '../kit/orbweaver.js'

const pages = (log: readonly Seen[]) => log.filter(({ path }) => path !== '/robots.txt')

/** The longest wait that stands in the ledger, from now on. */
function knownWaitMs(out: string): number {
  const ledger = new Database(join(out, 'ledger.db'), { readonly: true })
  try {
    const [[until]] = ledger.prepare('SELECT max(next_allowed) FROM turn').raw().all() as [[number]]
    return until - Date.now()
  } finally {
    ledger.close()
  }
}

const pause = (ms: number) => new Promise(resolve => setTimeout(resolve, ms))

describe.concurrent('waits', { timeout: 300_000 }, () => {
  let web: NamedHosts
  beforeAll(async () => {
    web = await NamedHosts.start()
  })
  afterAll(() => web.close())

  const crawl = (out: string, ...args: string[]) => [
    'crawl',
    ...args,
    ...web.flags,
    '--out',
    out,
    '--delay',
    '0',
  ]

  /** Busy for the first `times` requests, with this Retry-After, then as usual. */
  const busyAtFirst = (host: string, times: number, status: number, retryAfter: () => string) => {
    let left = times
    const usual = sited(3)
    return web.set(host, (request, response, path) => {
      if (path === '/robots.txt' || left-- <= 0) return usual(request, response, path)
      response.writeHead(status, { 'retry-after': retryAfter() }).end()
      return true
    })
  }

  it('Retry-After of a 429 in seconds and of a 503 as a date are kept to, and the crawl goes on', async () => {
    const seconds = busyAtFirst('seconds.test', 1, 429, () => '2')
    let until = 0
    const date = busyAtFirst('date.test', 1, 503, () => {
      const now = Date.now()
      const date = Math.ceil(now / 1000 + 2) * 1000
      until = performance.now() + date - now
      return new Date(date).toUTCString()
    })
    const out = temporary('crawl')
    const end = await orbweaver(crawl(out, seconds, date))
    expect(end.code, end.stderr).toBe(0)
    expect(await urlsWith(out, 'OK')).toHaveLength(8)
    const [first, second] = pages(web.of('seconds.test'))
    expect(second.startMs - first.startMs).toBeGreaterThanOrEqual(2_000)
    const again = pages(web.of('date.test'))[1]
    expect(again.startMs).toBeGreaterThanOrEqual(until - 50)
  })

  it('a wait that was just learned outlives kill -9: resume keeps to it', async () => {
    const seed = busyAtFirst('killed.test', 1, 429, () => '20')
    const out = temporary('crawl')
    const first = start(crawl(out, seed))
    await web.asked('killed.test', 1)
    while (knownWaitMs(out) < 5_000) await pause(10)
    first.process.kill('SIGKILL')
    await first.ended
    const end = await orbweaver(['resume', out])
    expect(end.code, end.stderr).toBe(0)
    const [busy, next] = pages(web.of('killed.test'))
    expect(next.startMs - busy.endMs).toBeGreaterThanOrEqual(19_900)
    expect(await urlsWith(out, 'OK')).toHaveLength(4)
  })

  it('a site that asks for an hour is set aside and told; the others are finished; resume does not ask before', async () => {
    const hour = busyAtFirst('hour.test', 1, 503, () => '3600')
    const other = web.set('other.test', sited(20))
    const out = temporary('crawl')
    const end = await orbweaver(crawl(out, hour, other, '--json'))
    expect(end.code, end.stderr).toBe(12)
    expect(await urlsWith(out, 'OK')).toHaveLength(21)
    expect(end.stderr).toContain('Parked:')
    expect(end.stderr).toMatch(/hour\.test: 1 URL left, until .* UTC; .*Retry-After 3600 s/)
    expect(JSON.parse(end.stdout)).toMatchObject({
      finishReason: 'parked',
      parkedSites: 1,
      setAside: [{ site: 'hour.test', queued: 1 }],
    })
    expect((await orbweaver(['status', out])).stdout).toContain('hour.test: 1 URL left, until')
    const again = await orbweaver(['resume', out])
    expect(again.code, again.stderr).toBe(12)
    expect(pages(web.of('hour.test'))).toHaveLength(1)
  })

  it('more than --max-wait off: parked, and finished by a resume after that time', {
    tags: 'deep',
  }, async () => {
    const seed = busyAtFirst('parked.test', 1, 503, () => '15')
    const out = temporary('crawl')
    const end = await orbweaver(crawl(out, seed, '--max-wait', '2'))
    expect(end.code, end.stderr).toBe(5)
    await pause(15_000)
    const rest = await orbweaver(['resume', out])
    expect(rest.code, rest.stderr).toBe(0)
    expect(await urlsWith(out, 'OK')).toHaveLength(4)
  })

  it('errors in a row slow a site down more and more, and set it aside; resume goes on; a success resets', {
    tags: 'deep',
  }, async () => {
    let broken = true
    const usual = sited(8)
    const seed = web.set('broken.test', (request, response, path) => {
      if (path === '/robots.txt' || path === '/' || !broken) return usual(request, response, path)
      response.writeHead(500).end()
      return true
    })
    const out = temporary('crawl')
    const end = await orbweaver(crawl(out, seed, '--max-wait', '3'))
    expect(end.code, end.stderr).toBe(12)
    expect(end.stderr).toMatch(/broken\.test: 8 URLs left.*it failed 4 times in a row \(status 500\)/)
    const failed = pages(web.of('broken.test')).slice(1)
    expect(failed).toHaveLength(4)
    const gaps = failed.slice(1).map((one, i) => one.startMs - failed[i].endMs)
    expect(gaps[1]).toBeGreaterThanOrEqual(1_000)
    expect(gaps[2]).toBeGreaterThanOrEqual(2_000)
    await pause(6_000)
    // One more is enough: the count outlives the process.
    const again = await orbweaver(['resume', out])
    expect(again.stderr).toContain('it failed 5 times in a row (status 500)')
    expect(pages(web.of('broken.test'))).toHaveLength(6)
    broken = false
    for (let tries = 0; tries < 6; tries++) {
      await pause(3_000)
      if ((await orbweaver(['resume', out])).code === 0) break
    }
    expect((await urlsWith(out, 'OK')).sort()).toEqual(
      ['', 1, 2, 3, 4, 5, 6, 7, 8].map(path => `http://broken.test/${path}`).sort(),
    )
  })

  it('a site that is gone when the crawl is resumed, and back later: nothing of it is given up', {
    tags: 'deep',
  }, async () => {
    const first = await NamedHosts.start()
    const { flags, port } = first
    const usual = sited(400)
    const behave: Host = (request, response, path) => {
      setTimeout(() => usual(request, response, path), 20)
      return true
    }
    const seed = first.set('gone.test', behave)
    const out = temporary('crawl')
    const gently = ['--delay', '0', '--robots', 'ignore', '--max-wait', '3']
    const run = start(['crawl', seed, ...flags, '--out', out, ...gently])
    await first.asked('gone.test', 20)
    await orbweaver(['stop', out])
    expect((await run.ended).code).toBe(11)
    await first.close()
    expect((await urlsWith(out, 'OK')).length).toBeGreaterThan(0)
    const gone = await orbweaver(['resume', out])
    expect(gone.code, gone.stderr).toBe(12)
    expect(gone.stderr).toContain('refused the connection')
    expect(await urlsWith(out, 'SITE_DROPPED')).toEqual([])
    const again = await NamedHosts.start(port)
    again.set('gone.test', behave)
    let code = gone.code
    for (let tries = 0; tries < 6 && code !== 0; tries++) {
      await pause(3_000)
      code = (await orbweaver(['resume', out])).code
    }
    await again.close()
    expect(code).toBe(0)
    expect(await urlsWith(out, 'OK')).toHaveLength(401)
  })

  it('a few URLs that always fail keep nobody from the good pages of their site, and are settled in the end', {
    tags: 'deep',
  }, async () => {
    const usual = sited(30)
    const seed = web.set('some.test', (request, response, path) => {
      if (!(Number(path.slice(1)) <= 6)) return usual(request, response, path)
      if (path === '/') return usual(request, response, path)
      response.writeHead(500).end()
      return true
    })
    const out = temporary('crawl')
    const end = await orbweaver(crawl(out, seed))
    expect(end.code, end.stderr).toBe(0)
    expect(await urlsWith(out, 'OK')).toHaveLength(25)
    expect(await urlsWith(out, 'HTTP_SERVER_ERROR')).toHaveLength(6)
  })

  it('https that is shut takes nothing of what http answers with it', async () => {
    const seed = web.set('half.test', (_request, response, path) => {
      if (path === '/robots.txt') return false
      const shut = Array.from({ length: 12 }, (_, i) => `<a href="https://half.test/s${i}">no</a>`)
      const good = Array.from({ length: 12 }, (_, i) => `<a href="/${i}">yes</a>`)
      response
        .writeHead(200, { 'content-type': 'text/html' })
        .end(path === '/' ? [...shut, ...good].join('') : 'good')
      return true
    })
    const out = temporary('crawl')
    const end = await orbweaver(crawl(out, seed, '--robots', 'ignore'))
    expect(end.code, end.stderr).toBe(0)
    expect(await urlsWith(out, 'OK')).toHaveLength(13)
    expect(await urlsWith(out, 'TLS_FAILED')).toHaveLength(12)
  })

  it('any other answer begins the count of failures anew: many errors among good pages slow nothing down', async () => {
    const usual = sited(30)
    const seed = web.set('mixed.test', (request, response, path) => {
      if (Number(path.slice(1)) % 2 !== 1) return usual(request, response, path)
      response.writeHead(500).end()
      return true
    })
    const out = temporary('crawl')
    const end = await orbweaver(crawl(out, seed, '--tries', '1'))
    expect(end.code, end.stderr).toBe(0)
    expect(await urlsWith(out, 'OK')).toHaveLength(16)
    expect(await urlsWith(out, 'HTTP_SERVER_ERROR')).toHaveLength(15)
  })

  it('a Crawl-delay is kept to; one beyond the cap skips the site, with a code of its own', async () => {
    const robots = (text: string) => {
      const usual = sited(2)
      return (...[request, response, path]: Parameters<typeof usual>) => {
        if (path !== '/robots.txt') return usual(request, response, path)
        response.writeHead(200, { 'content-type': 'text/plain' }).end(text)
        return true
      }
    }
    const slow = web.set('slow.test', robots('User-agent: *\nCrawl-delay: 1'))
    const never = web.set('never.test', robots('User-agent: *\nCrawl-delay: 50'))
    const out = temporary('crawl')
    const end = await orbweaver(crawl(out, slow, never, '--max-crawl-delay', '10'))
    expect(end.code, end.stderr).toBe(0)
    const seen = web.of('slow.test')
    expect(pages(seen)).toHaveLength(3)
    for (let i = 1; i < seen.length; i++)
      expect(seen[i].startMs - seen[i - 1].endMs, seen[i].path).toBeGreaterThanOrEqual(990)
    expect(pages(web.of('never.test'))).toEqual([])
    expect(await urlsWith(out, 'CRAWL_DELAY_TOO_LONG')).toEqual(['http://never.test/'])
    expect(end.stderr).toContain('never.test: 1 x CRAWL_DELAY_TOO_LONG, Crawl-delay of 50 s')
  })

  it('status and progress name what is waited for', async () => {
    const seed = busyAtFirst('named.test', 1, 429, () => '60')
    const out = temporary('crawl')
    const running = start(crawl(out, seed))
    await web.asked('named.test', 1)
    let status = ''
    while (!status.includes('waiting ')) status = (await orbweaver(['status', out])).stdout
    expect(status).toMatch(
      /waiting {2}named\.test in [\d.]+ s: it asked for it \(status 429, Retry-After 60 s\)/,
    )
    await orbweaver(['stop', out])
    expect((await running.ended).code).toBe(11)
    const report = JSON.parse(readFileSync(join(out, 'report.json'), 'utf8')) as { finishReason: string }
    expect(report.finishReason).toBe('stopped')
  })
})
