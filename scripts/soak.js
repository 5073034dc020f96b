/**
 * `npm run soak`: what takes too long for every commit. Parts, each with a script of its own: small 10,000
 * small faulty crawls in virtual time large one with 1,000 agents and a million sites, within 8 GB trial a
 * real crawl of 20,000 pages by four agents, the process killed 20 times and single agents 20 times failover
 * a real crawl on PostgreSQL whose primary is killed ten times, under load, and its standby promoted
 */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const orbweaver = fileURLToPath(new URL('../bin/orbweaver.js', import.meta.url))
const seed = String(Math.floor(Date.now() / 86_400_000) * 100_000)

const parts = {
  small: () => simulate(HEAP, '--small', '--runs', '10000', '--seed', seed),
  // Little more than a page a site: the largest site alone decides how long a thousand agents wait for the
  // end. Few lanes: what is in hand at once is copied by the collector again and again.
  large: () =>
    simulate(
      LARGE_HEAP,
      ...['--agents', '1000', '--sites', '1000000', '--pages', '1020000'],
      ...['--lanes', '8', '--delay', '100', '--faults', 'heavy', '--seed', seed],
    ),
  trial: () => run('npx', ['vitest', 'run', 'test/faults/many-agents.test.ts'], { ORBWEAVER_SOAK: '1' }),
  failover: () =>
    run('npx', ['vitest', 'run', 'test/e2e/postgres-failover.test.ts'], { ORBWEAVER_SOAK: '1' }),
}

// Thousands of sites are in hand at once: with less room for what is young, most of them are copied to the
// old.
const LARGE_HEAP = ['--max-old-space-size=6000', '--min-semi-space-size=512', '--max-semi-space-size=512']
const HEAP = ['--min-semi-space-size=64', '--max-semi-space-size=64']

function simulate(heap, ...args) {
  run(process.execPath, [...heap, orbweaver, 'simulate', ...args])
}

function run(command, args, env = {}) {
  process.stdout.write(`${[command, ...args].join(' ')}\n`)
  const { status } = spawnSync(command, args, { stdio: 'inherit', env: { ...process.env, ...env } })
  if (status !== 0) process.exit(status ?? 1)
}

const wanted = process.argv.slice(2)
for (const name of wanted.length > 0 ? wanted : Object.keys(parts)) {
  if (!parts[name]) throw new Error(`${name}? There are ${Object.keys(parts).join(', ')}`)
  parts[name]()
}
