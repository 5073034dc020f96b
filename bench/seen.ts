/**
 * How fast the seen-set answers, in memory and within 64 MB: `npx tsx bench/seen.ts [urls]`. Every URL is
 * hashed as in a crawl; a third of the checks are new URLs, a third known ones from anywhere, a third from a
 * few hundred that stand on every page, as menus do.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { fingerprint, takeFingerprint } from '../src/model/bytes/index.js'
import { SeededRandom } from '../src/model/index.js'
import { SeenSet, SeenSpace } from '../src/page/frontier/seen/index.js'

const MIB = 1024 * 1024
const urls = Number(process.argv[2] ?? 10_000_000)
const random = new SeededRandom(1)
const urlOf = (n: number): string => `http://site.test/topic-${n % 1_000}/page-${n}.html`

function measure(name: string, limitBytes: number): void {
  const folder = mkdtempSync(join(tmpdir(), 'orbweaver-bench-'))
  const space = new SeenSpace({ folder, limitBytes, salt: 12345 })
  const set = new SeenSet(space)
  let peakBytes = 0
  const report = (step: string, checks: number, work: () => void): void => {
    const started = performance.now()
    const cpu = process.cpuUsage()
    work()
    const { user, system } = process.cpuUsage(cpu)
    const seconds = (performance.now() - started) / 1000
    console.log(
      `${name.padEnd(10)} ${step.padEnd(26)} ${Math.round(checks / seconds)
        .toLocaleString('en')
        .padStart(11)} checks/s  ${((user + system) / 1e6).toFixed(1)} CPU s  ` +
        `set ${(space.usedBytes / MIB).toFixed(1)} MiB (peak ${(peakBytes / MIB).toFixed(1)}), ` +
        `on disk ${space.entriesOnDisk.toLocaleString('en')}, RSS ${Math.round(process.memoryUsage.rss() / MIB)} MiB`,
    )
  }
  const check = (n: number): boolean => {
    takeFingerprint(urlOf(n))
    return set.add(fingerprint.low, fingerprint.high)
  }
  report('mix while growing', urls * 3, () => {
    let wrong = 0
    for (let n = 0; n < urls; n++) {
      if (!check(n)) wrong++
      if (check(Math.floor(random.next() * n))) wrong++
      if (check(Math.floor(random.next() * Math.min(n, 300)))) wrong++
      if (n % 4096 === 0) peakBytes = Math.max(peakBytes, space.usedBytes)
    }
    if (wrong > 0) throw new Error(`${wrong} wrong answers`)
  })
  const sample = Math.min(urls, 2_000_000)
  report('known, from anywhere', sample, () => {
    for (let i = 0; i < sample; i++)
      if (check(Math.floor(random.next() * urls))) throw new Error('lost a URL')
  })
  report('new', sample, () => {
    for (let i = 0; i < sample; i++) if (!check(urls + i)) throw new Error('a new URL was called known')
  })
  console.log(`${name.padEnd(10)} ${(space.usedBytes / set.size).toFixed(1)} bytes in memory a URL`)
  set.close()
  space.close()
  rmSync(folder, { recursive: true, force: true })
}

// Each case in a process of its own, so that its RSS says something.
const cases: Readonly<Record<string, number>> = { 'in memory': 4 * 1024 * MIB, '64 MB cap': 64_000_000 }
const wanted = process.argv[3]
if (wanted === undefined) {
  for (const name of Object.keys(cases)) {
    const args = [...process.execArgv, fileURLToPath(import.meta.url), String(urls), name]
    execFileSync(process.execPath, args, { stdio: 'inherit' })
  }
} else {
  measure(wanted, cases[wanted])
}
