/**
 * Hostile guests: whatever a program does, its page has an outcome that says what happened, the next page is
 * judged, and the child process stays small.
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '../../src/compose/index.js'
import { startSandbox } from '../../src/compose/start-sandbox.js'
import { type JudgedPage, type Judgement, SandboxedGuest } from '../../src/page/guest/index.js'
import type { SandboxChild } from '../../src/page/sandbox/index.js'

const wasm = readFileSync(createRequire(import.meta.url).resolve('quickjs-wasi/quickjs.wasm'))
const MOST_RSS_BYTES = 256 * 1024 * 1024

/** What was seen of the children. */
let peakBytes = 0
let children = 0

function watchedChild(): SandboxChild {
  const child = startSandbox('guest-child')
  children++
  return {
    write: bytes => child.write(bytes),
    listen: (onBytes, onEnd) => child.listen(onBytes, onEnd),
    kill: () => child.kill(),
    usage: () => {
      const usage = child.usage()
      peakBytes = Math.max(peakBytes, usage?.rssBytes ?? 0)
      return usage
    },
  }
}

function open(code: string, state = ''): Promise<SandboxedGuest> {
  const selection = { keywords: [], minKeywords: 1, keep: undefined }
  const clock = systemClock
  return SandboxedGuest.open({
    clock,
    start: watchedChild,
    wasm,
    code,
    fileName: 'evil.js',
    selection,
    state,
  })
}

function page(name: string, html = '<p class=a>Text</p>'): JudgedPage {
  const facts = {
    url: `http://a.test/${name}`,
    ...{ status: 200, depth: 0, fetchedAt: 0, fetchMs: 1, mime: 'text/html', charset: 'utf-8', title: 'T' },
    ...{ description: '', language: '', canonical: '', bodyBytes: html.length, textBytes: 4, linkCount: 0 },
  }
  return { facts, links: [], text: () => 'Text', html: () => html, body: Buffer.from(html) }
}

const codeOf = (judgement: Judgement) => (judgement.ok ? judgement.verdict : judgement.failure.code)

/** The body of `extract`, and what becomes of its page: several codes if several limits may be met first. */
const PROGRAMS: Readonly<Record<string, readonly [program: string, ...codes: string[]]>> = {
  'an endless loop': ['for (;;);', 'GUEST_TIMEOUT'],
  'an endless loop that catches': [
    'for (;;) { try { for (;;); } catch {} finally { continue } }',
    'GUEST_TIMEOUT',
  ],
  'a generator that never ends': [
    'return [...(function* () { for (;;) yield 1 })()]',
    'GUEST_TIMEOUT',
    'GUEST_MEMORY',
  ],
  'an iterator that never ends': [
    'const o = { [Symbol.iterator]: () => ({ next: () => ({ done: false, value: 1 }) }) }; for (const x of o);',
    'GUEST_TIMEOUT',
  ],
  'a memory bomb': [
    "const a = []; for (;;) a.push('x'.repeat(100000) + a.length)",
    'GUEST_MEMORY',
    'GUEST_TIMEOUT',
  ],
  'buffers without end': [
    'const a = []; for (;;) a.push(new ArrayBuffer(8e6))',
    'GUEST_MEMORY',
    'GUEST_THREW',
  ],
  'a huge string': ["let s = 'x'; for (;;) s += s", 'GUEST_MEMORY', 'GUEST_THREW'],
  'a join that no interrupt reaches': ['return new Array(1e8).join()', 'GUEST_TIMEOUT', 'GUEST_MEMORY'],
  'a regular expression that blows up': ["/^(a+)+$/.test('a'.repeat(40) + 'b')", 'GUEST_TIMEOUT'],
  'deep recursion': ['const f = () => f() + 1; f()', 'GUEST_THREW'],
  'recursion in a sort': ['const f = () => [3, 2, 1].sort(() => f()); f()', 'GUEST_THREW'],
  'a sort that never ends': [
    'Array.from({ length: 1e6 }, (_, i) => i).sort(() => { for (;;); })',
    'GUEST_TIMEOUT',
    'GUEST_MEMORY',
  ],
  'a return value of a gigabyte': [
    "return [{ a: 'x'.repeat(2 ** 30 - 1) }]",
    'GUEST_MEMORY',
    'GUEST_THREW',
    'GUEST_OUTPUT',
  ],
  'a return value of ten megabytes': ["return [{ a: 'x'.repeat(1e7) }]", 'GUEST_OUTPUT'],
  'a million rows': ['return Array.from({ length: 1e5 }, () => 1)', 'GUEST_OUTPUT'],
  'a row with a thousand fields': [
    "return [Object.fromEntries(Array.from({ length: 1000 }, (_, i) => ['f' + i, 1]))]",
    'GUEST_OUTPUT',
  ],
  'a getter that never returns': ['return [{ get a() { for (;;); } }]', 'GUEST_TIMEOUT'],
  'a proxy that throws': ["return new Proxy([], { get() { throw new Error('trap') } })", 'GUEST_THREW'],
  'a proxy that grows': ['return [new Proxy({}, { ownKeys: () => { for (;;); } })]', 'GUEST_TIMEOUT'],
  'a toJSON that never returns': ['return [{ a: { toJSON() { for (;;); } } }]', 'GUEST_TIMEOUT'],
  'a toJSON for everything': [
    "Object.prototype.toJSON = () => 'evil'; return [{ a: 1 }]",
    'GUEST_OUTPUT',
    'GUEST_CRASHED',
    'GUEST_THREW',
  ],
  'an object that contains itself': ['const o = {}; o.o = o; return [o]', 'GUEST_THREW'],
  'an error that cannot be shown': ['throw { toString() { for (;;); } }', 'GUEST_TIMEOUT'],
  'an error without a text': ['throw { toString() { throw 1 }, get stack() { throw 2 } }', 'GUEST_THREW'],
  'a throw of nothing': ['throw undefined', 'GUEST_THREW'],
  'a big integer': ['return [{ a: 1n }]', 'GUEST_THREW'],
  'text that is no UTF-16': ["return [{ a: '\\ud800' }]", 'page'],
  'a flood of promises': [
    'const f = () => Promise.resolve().then(f); for (let i = 0; i < 1e9; i++) f()',
    'GUEST_TIMEOUT',
    'GUEST_MEMORY',
  ],
  'a promise': ['return (async () => [])()', 'page'],
  'replaced built-ins': [
    "JSON.stringify = JSON.parse = () => 'x'; Reflect.apply = () => 1; Array.prototype.push = () => 1; return [{ a: 1 }]",
    'page',
  ],
  'another prototype of arrays': [
    'Object.setPrototypeOf(Array.prototype, null); return [{ a: 2 }]',
    'page',
    'GUEST_THREW',
  ],
  'setters on prototypes': [
    "Object.defineProperty(Object.prototype, 'failed', { value: 'x', configurable: true }); return [{ a: 3 }]",
    ...['page', 'GUEST_THREW', 'GUEST_CRASHED', 'GUEST_OUTPUT'],
  ],
  'shared memory and waiting': [
    'const a = new Int32Array(new SharedArrayBuffer(4)); Atomics.wait(a, 0, 0); return []',
    ...['GUEST_THREW', 'GUEST_TIMEOUT'],
  ],
  WebAssembly: ['return WebAssembly.Memory', 'GUEST_THREW'],
  'the globals of Node': ['return [process, require, Buffer, globalThis.fetch].length', 'GUEST_THREW'],
  'the constructor of a constructor': [
    "return [].constructor.constructor('return process')()",
    'GUEST_THREW',
  ],
  'the constructor of a function of the host': [
    "return page.find.constructor('return process')()",
    'GUEST_THREW',
  ],
  'a selector that is not one': ["return page.find('p:::')", 'GUEST_THREW'],
  'a selector of a megabyte': ["return page.find('p '.repeat(5e5))", 'GUEST_THREW'],
  'an element that is not there': ["return page.find('p')[0].find(')')", 'GUEST_THREW'],
}

const CODE = `let name
export const extract = page => programs[page.url.split('/').at(-1)](page)
const programs = {
  good: page => page.find('p.a').map(p => ({ text: p.text })),
${Object.values(PROGRAMS)
  .map(([program], i) => `  p${i}: page => { ${program} },`)
  .join('\n')}
}`

describe('a hostile program', { timeout: 300_000 }, () => {
  let guest: SandboxedGuest
  beforeAll(async () => {
    guest = await open(CODE)
  }, 300_000)
  afterAll(() => guest?.close())

  it.each(Object.keys(PROGRAMS))('%s: its page has an outcome, and the next page is judged', async name => {
    const place = Object.keys(PROGRAMS).indexOf(name)
    const [, ...codes] = PROGRAMS[name]
    const [bad, good] = await Promise.all([guest.judge(page(`p${place}`)), guest.judge(page('good'))])
    expect(codes, JSON.stringify(bad)).toContain(codeOf(bad))
    // A program may have broken the machine for itself: a new machine judges as ever.
    if (good.ok) expect(JSON.stringify(good.items)).toContain('Text')
    else {
      await guest.close()
      guest = await open(CODE)
    }
    expect(codeOf(await guest.judge(page('good')))).toBe('page')
  })

  it('never makes the child larger than 256 MiB', () => {
    expect(peakBytes).toBeGreaterThan(0)
    expect(peakBytes).toBeLessThan(MOST_RSS_BYTES)
  })
})

describe('a sandboxed guest', { timeout: 300_000 }, () => {
  it('keeps its memory between pages, and what it saved when its machine is replaced', async () => {
    const guest = await open(`
let pages = 0
export const load = state => { pages = state.pages }
export const save = () => ({ pages })
export const extract = page => { if (page.url.endsWith('/bad')) for (;;); return [{ n: ++pages }] }`)
    const countOf = async () => {
      const judgement = await guest.judge(page('x'))
      return judgement.ok ? judgement.items[0][0].value : judgement.failure
    }
    expect(await countOf()).toBe(1)
    expect(await countOf()).toBe(2)
    expect(await guest.save()).toBe('{"pages":2}')
    expect(codeOf(await guest.judge(page('bad')))).toBe('GUEST_TIMEOUT')
    expect(await countOf()).toBe(3)
    const state = await guest.save()
    await guest.close()
    const next = await open(
      'let n = 0; export const load = s => { n = s.pages }; export const extract = () => [{ n }]',
      state,
    )
    const judgement = await next.judge(page('x'))
    expect(judgement.ok && judgement.items[0][0].value).toBe(3)
    await next.close()
  })

  it('that the child cannot interrupt is killed, and the pages behind it go to another child', async () => {
    const before = children
    const guest = await open(`
export const select = ({ url }) => { if (url.endsWith('/bad')) new Array(2e8).join(); return 'meta' }`)
    const names = ['1', '2', 'bad', '3', '4', '5']
    const judged = await Promise.all(names.map(name => guest.judge(page(name))))
    expect(judged.filter(({ ok }) => ok)).toHaveLength(5)
    expect(['GUEST_TIMEOUT', 'GUEST_MEMORY']).toContain(codeOf(judged[2]))
    expect(children).toBeGreaterThan(before)
    await guest.close()
  })

  it('gets the body of a page only if it asks for it', async () => {
    const guest = await open(
      "export const select = f => (f.html === undefined && f.text === undefined ? 'links' : 'page')",
    )
    const shy = {
      ...page('x'),
      html: () => expect.fail('the body was read'),
      text: () => expect.fail('the text was read'),
    }
    expect(codeOf(await guest.judge(shy))).toBe('links')
    await guest.close()
  })
})
