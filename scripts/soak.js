/** `npm run soak`: 10,000 small faulty crawls, then one with 1,000 agents and a million sites, then a real one of 20,000 pages with 40 faults. */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const orbweaver = fileURLToPath(new URL('../bin/orbweaver.js', import.meta.url))
const seed = String(Math.floor(Date.now() / 86_400_000) * 100_000)

/** At most 8 GB, as promised. */
function run(...args) {
  process.stdout.write(`orbweaver simulate ${args.join(' ')}\n`)
  const { status } = spawnSync(
    process.execPath,
    ['--max-old-space-size=8000', orbweaver, 'simulate', ...args],
    {
      stdio: 'inherit',
    },
  )
  if (status !== 0) process.exit(status ?? 1)
}

run('--small', '--runs', '10000', '--seed', seed)
run('--agents', '1000', '--sites', '1000000', '--faults', 'heavy', '--seed', seed)

process.stdout.write('test/faults/many-agents.test.ts in full\n')
const trial = spawnSync('npx', ['vitest', 'run', 'test/faults/many-agents.test.ts'], {
  stdio: 'inherit',
  env: { ...process.env, ORBWEAVER_SOAK: '1' },
})
process.exit(trial.status ?? 1)
