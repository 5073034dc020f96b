/** The commands of owner and crawler as two processes, with a web server on loopback between them. */
import { afterEach, describe, expect, it } from 'vitest'
import { systemClock } from '../../src/compose/index.js'
import { openTables } from '../../src/data/query/index.js'
import { newKeyPair, sealBundle } from '../../src/migrate/bundle/index.js'
import { HttpCarrier } from '../../src/migrate/carrier/index.js'
import { orbweaver, type RunningCommand, start, temporary } from '../kit/orbweaver.js'
import { page, SmallWeb } from '../kit/small-web.js'
import { MANIFEST, row } from '../kit/tour.js'

const PAGES = 60
const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

/** A chain of pages with short cuts; every tenth links to another site. */
function chain(path: string) {
  const at = path === '/' ? 0 : Number(/^\/(\d+)$/.exec(path)?.[1] ?? Number.NaN)
  if (!(at < PAGES)) return null
  const links = [`/${at + 1}`, `/${at + 7}`]
  if (at % 10 === 0) links.push('http://b.test/')
  return page(`Page ${at}`, `text of ${at}`, links)
}

interface Setting {
  readonly web: SmallWeb
  readonly host: RunningCommand
  readonly flags: string[]
  readonly folder: string
}

/** A host with a source, and a crawler that it allows. */
async function setting(delayMs: number): Promise<Setting> {
  const web = await SmallWeb.listen({
    'a.test': chain,
    'b.test': path => (path === '/' ? page('B', '') : null),
  })
  closers.push(() => web.close())
  const [folder, key] = [temporary('host'), temporary('home.key')]
  const made = await orbweaver(['host', 'init', '--dir', folder, '--name', 'Example'])
  expect(made, made.stderr).toMatchObject({ code: 0, stdout: expect.stringMatching(/^ed25519:\S{43}\n$/) })
  const { stdout: home } = await orbweaver(['migrate', 'key', '--home-key', key])
  const allow = ['host', 'allow', home.trim(), '--dir', folder, '--delay', String(delayMs)]
  expect((await orbweaver(allow)).code).toBe(0)
  const source = `http://a.test=http://127.0.0.1:${web.port}`
  const host = start(['host', 'run', '--dir', folder, '--site', source, '--listen', '127.0.0.1:0'])
  closers.push(async () => {
    host.process.kill('SIGCONT')
    host.process.kill('SIGKILL')
    await host.ended
  })
  const port = await portOf(host)
  const runtime = `http://a.test=http://127.0.0.1:${port}`
  const flags = [...web.flags, '--scope', 'any', '--runtime', runtime, '--home-key', key]
  return { web, host, folder, flags }
}

async function portOf(host: RunningCommand): Promise<string> {
  let said = ''
  host.process.stdout?.on('data', chunk => {
    said += chunk
  })
  for (;;) {
    const port = /listening on http:\/\/127\.0\.0\.1:(\d+)\//.exec(said)?.[1]
    if (port !== undefined) return port
    if (host.process.exitCode !== null) throw new Error(host.said())
    await pause(20)
  }
}

const pause = (ms: number) => new Promise(resolve => setTimeout(resolve, ms))

/** Everything in the rows of the pages that does not depend on time. */
async function rowsOf(out: string): Promise<string[]> {
  const columns = 'url, outcome, fetch_status, content_digest, title, text, outlinks'
  const tables = await openTables(out)
  closers.push(() => tables.close())
  const rows: string[] = []
  for await (const row of tables.query(`SELECT ${columns} FROM pages ORDER BY url`))
    rows.push(JSON.stringify(row, (_, value) => (typeof value === 'bigint' ? Number(value) : value)))
  return rows
}

async function crawledOverHttp(web: SmallWeb): Promise<string[]> {
  const out = temporary('http')
  const end = await orbweaver(['crawl', 'http://a.test/', ...web.flags, '--scope', 'any', '--out', out])
  expect(end.code, end.stderr).toBe(0)
  return rowsOf(out)
}

describe('a crawl with a host', () => {
  it('finds the pages of a crawl over HTTP; each was read once, by the host', async () => {
    const { web, flags, folder } = await setting(0)
    const out = temporary('crawl')
    const end = await orbweaver(['crawl', 'http://a.test/', ...flags, '--out', out])
    expect(end.code, end.stderr).toBe(0)
    const asked = web.askedOf('a.test')
    expect(asked).toHaveLength(PAGES + 7)
    expect(new Set(asked).size).toBe(asked.length)
    expect(web.askedOf('b.test')).toEqual(['b.test/'])
    const audit = await orbweaver(['host', 'audit', '--dir', folder, '--json'])
    const { entries, problems } = JSON.parse(audit.stdout)
    expect(problems).toEqual([])
    const ended = entries.filter(({ event }: { event: string }) => event === 'ended')
    expect(ended).toMatchObject([{ detail: 'done', kept: PAGES + 7 }])
    expect(await rowsOf(out)).toEqual(await crawledOverHttp(web))
    expect((await orbweaver(['verify', out])).code).toBe(0)
  })

  it.each<[string, (at: Setting) => unknown]>([
    ['is killed', ({ host }) => host.process.kill('SIGKILL')],
    ['is frozen beyond its lease', ({ host }) => host.process.kill('SIGSTOP')],
  ])(
    'that %s in the middle goes on over HTTP, with all that had come',
    { tags: 'deep' },
    async (_, fault) => {
      const at = await setting(40)
      const out = temporary('crawl')
      const crawl = start(['crawl', 'http://a.test/', ...at.flags, '--out', out])
      while (at.web.askedOf('a.test').length < 15) await pause(5)
      fault(at)
      const end = await crawl.ended
      expect(end.code, end.stderr).toBe(0)
      // A host that wakes up after its lease reads nothing more.
      const { length } = at.web.asked
      at.host.process.kill('SIGCONT')
      await pause(500)
      expect(at.web.asked).toHaveLength(length)
      expect(await rowsOf(out)).toEqual(await crawledOverHttp(at.web))
    },
  )

  it('that is killed itself is resumed with another tour; every page is there once', {
    tags: 'deep',
  }, async () => {
    const at = await setting(40)
    const out = temporary('crawl')
    const crawl = start(['crawl', 'http://a.test/', ...at.flags, '--out', out])
    while (at.web.askedOf('a.test').length < 30) await pause(5)
    crawl.process.kill('SIGKILL')
    await crawl.ended
    const end = await orbweaver(['resume', out])
    expect(end.code, end.stderr).toBe(0)
    expect(await rowsOf(out)).toEqual(await crawledOverHttp(at.web))
    expect((await orbweaver(['verify', out])).code).toBe(0)
  })
})

it('a host that was killed and started again refuses a bundle that it had accepted', async () => {
  const folder = temporary('host')
  const { stdout } = await orbweaver(['host', 'init', '--dir', folder])
  const keys = newKeyPair()
  expect((await orbweaver(['host', 'allow', keys.publicKey, '--dir', folder])).code).toBe(0)
  const [issued, expires] = [Date.now(), Date.now() + 3_600_000]
  const manifest = { ...MANIFEST, home: keys.publicKey, host: stdout.trim(), issued, expires }
  const sections = { frontier: Buffer.from(row('/')), seen: Buffer.alloc(0) }
  const bundle = await sealBundle({ manifest, ...sections }, keys.privateKey)
  const send = async () => {
    const host = start([
      'host',
      'run',
      '--dir',
      folder,
      '--site',
      'http://a.test=http://127.0.0.1:9',
      '--listen',
      '127.0.0.1:0',
    ])
    const carrier = new HttpCarrier(systemClock, `http://127.0.0.1:${await portOf(host)}`, keys.privateKey)
    const sent = await carrier.send(bundle)
    host.process.kill('SIGKILL')
    await host.ended
    return sent
  }
  expect(await send()).toMatchObject({ is: 'accepted' })
  expect(await send()).toEqual({ is: 'refused', why: 'this bundle was accepted before' })
})

describe('bad input gets one line', () => {
  it.each<[string[], RegExp]>([
    [['host', 'run', '--dir', '/nowhere/at/all', '--site', 'http://a.test=http://127.0.0.1:1'], /host init/],
    [['host', 'run'], /--site is required/],
    [['host', 'run', '--site', 'http://a.test=http://192.0.2.1:80'], /a server on this machine/],
    [['host', 'run', '--site', 'a.test=http://127.0.0.1:1'], /write it like/],
    [['host', 'allow', 'no-key'], /host init/],
    [['migrate', 'key', '--home-key', '/nowhere/at/all'], /no such file/i],
    [['crawl', 'http://a.test/', '--runtime', 'a.test'], /--runtime must be SITE=URL/],
    [['crawl', 'http://a.test/', '--runtime', 'http://a.test/x=http://b.test'], /--runtime must be SITE=URL/],
  ])('%s', async (args, message) => {
    const end = await orbweaver(args, {}, temporary('.'))
    expect(end).toMatchObject({ code: 4, stderr: expect.stringMatching(message) })
    expect(end.stderr.trim().split('\n')).toHaveLength(1)
  })
})
