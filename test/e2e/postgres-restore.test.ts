/**
 * A backup of a crawl, restored beside the original as docs/how-to/back-up-and-restore.md tells: each goes on
 * alone, and no wrong pair is taken.
 *
 * @module-tag deep
 */
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readGenerations } from '../../src/data/store/pair.js'
import { WebPlan } from '../../src/simulate/web/index.js'
import { ClusterWeb, SHORT_LEASES as env } from '../kit/cluster-web.js'
import { GENERATED, orbweaver, temporary } from '../kit/orbweaver.js'
import { PostgresServer } from '../kit/postgres.js'
import { canMoveServers, contentsOf, restoreDatabase, rowsOf } from '../kit/restored.js'

const PAGES = 900

interface Crawl {
  readonly url: string
  readonly store: string
}

describe('a backup that is restored beside the original', () => {
  let cluster: ClusterWeb
  let other: PostgresServer

  beforeAll(async () => {
    cluster = await ClusterWeb.start(new WebPlan({ sites: 15, pages: PAGES, seed: 7 }))
    other = canMoveServers() ? await PostgresServer.start() : cluster.postgres
  })
  afterAll(async () => {
    await cluster.close()
    if (other !== cluster.postgres) await other.remove()
  })

  const named = (url: string, name: string) => ['--ledger', url, '--name', name]
  const configOf = (store: string) =>
    (JSON.parse(readFileSync(join(store, 'crawl.json'), 'utf8')) as { config: { ledger: string } }).config
  const pagesAt = async (...address: string[]) => {
    const { stdout, stderr } = await orbweaver(['status', ...address, '--json'], env)
    expect(stderr).toBe('')
    return (JSON.parse(stdout) as { pages: number }).pages
  }

  /** Runs a crawl until so many pages more were asked for, then stops it. */
  async function runFor(requests: number, args: readonly string[]): Promise<string> {
    const command = cluster.begin(args)
    await cluster.untilAsked(cluster.web.counts().requests + requests, command)
    command.process.kill('SIGTERM')
    const { code, stderr } = await command.ended
    expect(code, stderr).toBe(11)
    return stderr
  }

  async function crawlPart(name: string): Promise<Crawl> {
    const store = temporary('crawl')
    const url = cluster.postgres.url()
    await runFor(200, [
      'crawl',
      cluster.web.seed,
      ...GENERATED,
      ...named(url, name),
      '--store',
      store,
      '--rate',
      '150',
    ])
    return { url, store }
  }

  async function backUp(name: string, original: Crawl, url: string): Promise<Crawl> {
    const store = temporary('restored')
    await restoreDatabase(original.url, name, url)
    cpSync(original.store, store, { recursive: true, preserveTimestamps: true })
    return { url, store }
  }

  /** Each command ends with one line and code 9, and nothing in the directory or the databases is another. */
  async function expectRefused(
    name: string,
    crawls: readonly Crawl[],
    commands: readonly (readonly string[])[],
  ): Promise<void> {
    const look = async () => ({
      stores: crawls.map(({ store }) => contentsOf(store)),
      ledgers: await Promise.all(crawls.map(({ url }) => rowsOf(url, name))),
    })
    const before = await look()
    for (const args of commands) {
      const { code, stderr } = await orbweaver(args, env)
      expect(stderr, args.join(' ')).toMatch(/^orbweaver: [^\n]+; nothing was changed\n$/)
      expect(code, args.join(' ')).toBe(9)
    }
    expect(await look()).toEqual(before)
  }

  it('goes on alone, by the command that the summary names; the original too; wrong pairs are refused', async () => {
    const name = 'stopped'
    const original = await crawlPart(name)
    const restored = await backUp(name, original, other.url('restored_stopped'))
    const summary = await runFor(150, ['resume', ...named(restored.url, name), '--store', restored.store])
    expect(summary).toContain(`Go on:  orbweaver resume ${restored.store}\n`)
    expect(configOf(restored.store).ledger).toBe(restored.url)
    expect(configOf(original.store).ledger).toBe(original.url)
    expect(await pagesAt(restored.store)).toBe(await pagesAt(...named(restored.url, name)))
    expect(await pagesAt(restored.store)).toBeGreaterThan(await pagesAt(original.store))

    const crossed = (command: string, { url }: Crawl, { store }: Crawl) => [
      command,
      ...named(url, name),
      '--store',
      store,
    ]
    const wrong = ['resume', 'agent'].flatMap(command => [
      crossed(command, original, restored),
      crossed(command, restored, original),
    ])
    const copies = [
      ['ledger', 'copy', original.url, restored.store, '--name', name],
      ['ledger', 'copy', restored.url, original.store, '--name', name],
    ]
    await expectRefused(name, [original, restored], [...wrong, ...copies])

    await runFor(150, ['resume', original.store])
    await expectRefused(name, [original, restored], [...wrong, ...copies])
    // As a directory was left by a version that did not follow the ledger: crawl.json names the wrong
    // database.
    const right = readFileSync(join(restored.store, 'crawl.json'))
    writeFileSync(join(restored.store, 'crawl.json'), readFileSync(join(original.store, 'crawl.json')))
    const byDirectory = ['resume', 'agent', 'status', 'stop', 'checkpoint'].map(command => [
      command,
      restored.store,
    ])
    await expectRefused(name, [original, restored], [...byDirectory, ['set', restored.store, 'rate=1']])
    const again = [
      'crawl',
      cluster.web.seed,
      ...GENERATED,
      '--previous',
      restored.store,
      '--out',
      temporary('again'),
    ]
    expect((await orbweaver(again, env)).code).toBe(9)
    writeFileSync(join(restored.store, 'crawl.json'), right)

    for (const { store } of [restored, original]) {
      const { code, stdout, stderr } = await orbweaver(['resume', store, '--json'], env)
      expect(code, stderr).toBe(0)
      expect(JSON.parse(stdout)).toMatchObject({ pages: cluster.expected.length, overlap: 0 })
      await cluster.expectWhole(store)
    }
  })

  it('can be taken of a crawl that is paused, while its processes go on', async () => {
    const name = 'paused'
    const store = temporary('crawl')
    const url = cluster.postgres.url()
    const asked = cluster.web.counts().requests
    const first = cluster.begin([
      'crawl',
      cluster.web.seed,
      ...[...GENERATED, ...named(url, name), '--store', store, '--rate', '150'],
    ])
    await cluster.untilAsked(asked + 200, first)
    expect((await orbweaver(['set', store, 'pause=true'], env)).code).toBe(0)
    expect((await orbweaver(['checkpoint', store], env)).code).toBe(0)
    const restored = await backUp(name, { url, store }, cluster.postgres.url('restored_paused'))
    expect((await orbweaver(['set', store, 'pause=false', 'rate=0'], env)).code).toBe(0)
    expect((await first.ended).code).toBe(0)
    await cluster.expectWhole(store)

    // Both went on in the same generation: what they hold tells them apart.
    const look = () => [contentsOf(store), contentsOf(restored.store)]
    const before = look()
    const behind = await orbweaver(['resume', ...named(url, name), '--store', restored.store], env)
    expect(behind.stderr).toMatch(/^orbweaver: [^\n]+ committed bytes of [^\n]+ are gone[^\n]+\n$/)
    expect(behind.code).toBe(8)
    const ahead = await orbweaver(['resume', ...named(restored.url, name), '--store', store], env)
    expect(ahead.stderr).toMatch(/^orbweaver: the ledger [^\n]+ is older than [^\n]+ nothing was changed\n$/)
    expect(ahead.code).toBe(9)
    expect(look()).toEqual(before)

    const second = cluster.begin([
      'resume',
      ...named(restored.url, name),
      '--store',
      restored.store,
      '--json',
    ])
    while (configOf(restored.store).ledger !== restored.url) {
      expect(second.process.exitCode, second.said()).toBeNull()
      await sleep(20)
    }
    expect((await orbweaver(['set', restored.store, 'pause=false', 'rate=0'], env)).code).toBe(0)
    const { code, stdout, stderr } = await second.ended
    expect(code, stderr).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ pages: cluster.expected.length, overlap: 0 })
    await cluster.expectWhole(restored.store)
  })

  it('of the directory alone takes the crawl over: an agent that is at work in the other one ends', async () => {
    const name = 'moved'
    const { url, store } = await crawlPart(name)
    await orbweaver(['set', store, 'rate=20'], env)
    const coordinator = cluster.begin(['resume', store])
    await cluster.untilAsked(cluster.web.counts().requests + 20, coordinator)
    const agent = cluster.begin(['agent', store])
    while (!agent.said().includes('joins')) {
      expect(agent.process.exitCode, agent.said()).toBeNull()
      await sleep(20)
    }
    expect((await orbweaver(['set', store, 'pause=true'], env)).code).toBe(0)
    expect((await orbweaver(['checkpoint', store], env)).code).toBe(0)
    const copy = temporary('moved')
    cpSync(store, copy, { recursive: true, preserveTimestamps: true })
    // Both: an agent that is awake might coordinate before `next` does, which is then refused.
    coordinator.process.kill('SIGSTOP')
    agent.process.kill('SIGSTOP')
    const runs = readGenerations(copy).generations.length
    const next = cluster.begin(['resume', ...named(url, name), '--store', copy, '--json'])
    while (readGenerations(copy).generations.length === runs) {
      expect(next.process.exitCode, next.said()).toBeNull()
      await sleep(20)
    }
    agent.process.kill('SIGCONT')
    const { code, stderr } = await agent.ended
    expect(stderr).toMatch(/joins[^\n]+\norbweaver: [^\n]+ is older than [^\n]+\n$/)
    expect(code).toBe(9)
    coordinator.process.kill('SIGCONT')
    expect((await coordinator.ended).code, coordinator.said()).toBe(9)
    expect((await orbweaver(['set', ...named(url, name), 'pause=false', 'rate=0'], env)).code).toBe(0)
    const ended = await next.ended
    expect(ended.code, ended.stderr).toBe(0)
    expect(JSON.parse(ended.stdout)).toMatchObject({ pages: cluster.expected.length, overlap: 0 })
    await cluster.expectWhole(copy)
  })
})
