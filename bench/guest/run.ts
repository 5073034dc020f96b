/**
 * Pages a second through a sandboxed guest, apart from any crawl: `npx tsx bench/guest/run.ts` after
 * `npm run build`. The child is one process; the figures are those of the best of several rounds. On a busy
 * machine, its CPU time a page says more.
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { startSandbox } from '../../src/compose/start-sandbox.js'
import { systemClock } from '../../src/compose/system-clock.js'
import { type JudgedPage, KeywordGuest, SandboxedGuest } from '../../src/page/guest/index.js'
import type { SandboxChild } from '../../src/page/sandbox/index.js'

const ROUNDS = 5
const BODY = '<div class="item"><h2>A product</h2><p>Words of sixteen letters</p></div>\n'.repeat(220)
const TEXT = 'A product\nWords of sixteen letters about flu\n'.repeat(220)

const wasm = readFileSync(createRequire(import.meta.url).resolve('quickjs-wasi/quickjs.wasm'))
const selection = { keywords: ['flu', 'vaccine'], minKeywords: 1, keep: undefined }

function pageOf(number: number): JudgedPage {
  const facts = {
    ...{ url: `http://a.test/page/${number}`, status: 200, depth: 1, fetchedAt: 0, fetchMs: 1 },
    ...{
      mime: 'text/html',
      charset: 'utf-8',
      title: 'A page',
      description: '',
      language: 'en',
      canonical: '',
    },
    ...{ bodyBytes: BODY.length, textBytes: TEXT.length, linkCount: 40 },
  }
  return { facts, links: [], text: () => TEXT, html: () => BODY, body: Buffer.alloc(0) }
}

const CASES: Readonly<Record<string, readonly [pages: number, code: string | null]>> = {
  'keywords alone, no sandbox': [5_000, null],
  'select on facts': [5_000, "export const select = f => (f.counts.flu > 3 ? 'meta' : 'none')"],
  'extract that strips tags of 16 KB': [
    500,
    "export const extract = page => ({ words: page.html.replace(/<[^>]*>/g, ' ').split(/\\s+/).length })",
  ],
  'extract that finds an element in 16 KB': [
    500,
    "export const extract = page => ({ name: page.find('div.item h2')[0].text })",
  ],
}

for (const [name, [pages, code]] of Object.entries(CASES)) {
  let child: SandboxChild | null = null
  const start = () => (child = startSandbox('guest-child'))
  const cpuMs = () => child?.usage()?.cpuMs ?? 0
  const parts = { clock: systemClock, start, wasm, code: code ?? '', fileName: 'bench.js', selection }
  const guest = code === null ? new KeywordGuest(selection) : await SandboxedGuest.open(parts)
  let best = 0
  let least = Number.POSITIVE_INFINITY
  for (let round = 0; round < ROUNDS; round++) {
    const [from, cpuFrom] = [performance.now(), cpuMs()]
    await Promise.all(Array.from({ length: pages }, (_, number) => guest.judge(pageOf(number))))
    best = Math.max(best, (1_000 * pages) / (performance.now() - from))
    least = Math.min(least, (1_000 * (cpuMs() - cpuFrom)) / pages)
  }
  process.stdout.write(
    `${name.padEnd(40)} ${Math.round(best).toString().padStart(7)} pages/s, ${Math.round(least)} us of CPU in the child\n`,
  )
  await guest.close()
}
