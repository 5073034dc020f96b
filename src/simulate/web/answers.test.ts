import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { locate } from '../../../test/kit/planned-links.js'
import { WebAnswers } from './answers.js'
import { namedAuthority } from './authority.js'
import { ByteWriter } from './byte-writer.js'
import { revisionOf } from './conditions.js'
import { WebPlan } from './web-plan.js'

const options = { sites: 10, pages: 2_000, seed: 1 }
const plan = new WebPlan(options)
const authority = namedAuthority(plan, 8080)

function answersOf(seed: number, knobs = {}): WebAnswers {
  const other = new WebPlan({ ...options, seed })
  return new WebAnswers(other, knobs, namedAuthority(other, 8080))
}

function bytesOf(answers: WebAnswers, site: number, path: string, nowMs = 0): Buffer {
  const writer = new ByteWriter()
  answers.answer(site, path, nowMs).write(writer)
  return writer.bytes.subarray(0, writer.length)
}

function digest(answers: WebAnswers, web: WebPlan): string {
  const hash = createHash('sha1')
  for (let id = 0; id < 500; id++) {
    const { site, page } = locate(web, id * 4)
    hash.update(bytesOf(answers, site, web.pathOf(site, page)))
  }
  return hash.digest('hex')
}

describe('pages', () => {
  it('have the same bytes for the same seed, whoever asked before, and others for another', () => {
    const first = digest(answersOf(1), plan)
    const used = answersOf(1)
    bytesOf(used, 3, plan.pathOf(3, 3))
    expect(digest(used, plan)).toBe(first)
    expect(digest(answersOf(2), new WebPlan({ ...options, seed: 2 }))).not.toBe(first)
  })

  it('are 12 to 20 KB, 16 on average, and no two alike', () => {
    const answers = answersOf(1)
    const seen = new Set<string>()
    let total = 0
    for (let id = 0; id < plan.pages; id++) {
      const { site, page } = locate(plan, id)
      const bytes = bytesOf(answers, site, plan.pathOf(site, page))
      expect(bytes.length).toBeGreaterThan(12 * 1024)
      expect(bytes.length).toBeLessThan(20 * 1024)
      total += bytes.length
      seen.add(createHash('sha1').update(bytes).digest('hex'))
    }
    expect(total / plan.pages / 1024).toBeGreaterThan(15)
    expect(total / plan.pages / 1024).toBeLessThan(17)
    expect(seen.size).toBe(plan.pages)
  })

  it('are UTF-8 with a title, a description and a language', () => {
    const html = bytesOf(answersOf(1), 1, plan.pathOf(1, 5)).toString('utf8')
    expect(html).not.toContain('\ufffd')
    expect(html).toContain('café</p>')
    expect(html).toMatch(/<title>\w+ &amp; \w+: \w+ 5 of s01\.test:8080<\/title>/)
    expect(html).toMatch(/<meta name="description" content="About \w+/)
    expect(html).toMatch(/<html lang="en/)
  })

  it('change text, tag and date with time, each at its own moment, by the share asked for', () => {
    const knobs = { changeRate: 0.25, changePeriodMs: 60_000 }
    const answers = answersOf(1, knobs)
    let changed = 0
    for (let page = 0; page < 400; page++) {
      const path = plan.pathOf(0, page % plan.sizeOf(0))
      const now = 1_800_000_000_000
      const before = answers.answer(0, path, now)
      const after = answers.answer(0, path, now + 60_000)
      const differs = !bytesOf(answers, 0, path, now).equals(bytesOf(answers, 0, path, now + 60_000))
      expect(before.etag !== after.etag || before.etag === '').toBe(differs || before.etag === '')
      expect(before.modifiedMs !== after.modifiedMs || before.modifiedMs === 0).toBe(
        differs || before.modifiedMs === 0,
      )
      expect(before.modifiedMs).toBeLessThanOrEqual(now)
      if (differs) changed++
    }
    expect(changed).toBeGreaterThan(60)
    expect(changed).toBeLessThan(140)
    const always = { ...knobs, changeRate: 1 }
    const moments = Array.from({ length: 50 }, (_, page) => revisionOf(plan, always, 0, page, 9e11))
    expect(new Set(moments.map(moment => moment.modifiedMs)).size).toBeGreaterThan(40)
    for (const [page, { version, modifiedMs }] of moments.entries()) {
      expect(revisionOf(plan, always, 0, page, modifiedMs).version).toBe(version)
      expect(revisionOf(plan, always, 0, page, modifiedMs - 1).version).toBe(version - 1)
    }
  })
})

describe('what is not a page', () => {
  const answers = answersOf(1)

  it('redirects lead to their page, some in two steps, by every status', () => {
    const statuses = new Set<number>()
    let chained = 0
    for (let site = 0; site < plan.sites; site++) {
      for (let page = 0; page < plan.sizeOf(site); page++) {
        if (!plan.isMoved(site, page)) continue
        let answer = answers.answer(site, `/go/${page}`, 0)
        statuses.add(answer.status)
        if (answer.location.endsWith('/on')) {
          chained++
          answer = answers.answer(site, `/go/${page}/on`, 0)
        }
        const url = new URL(answer.location, `http://${authority(site)}/go/`).href
        expect(url).toBe(plan.urlOf(site, page, authority))
      }
    }
    expect([...statuses].sort()).toEqual([301, 302, 303, 307, 308])
    expect(chained).toBeGreaterThan(2)
  })

  it('documents have bytes that fit their type', () => {
    const magic: Record<string, RegExp> = {
      'text/plain; charset=utf-8': /^s00\.test document/,
      'application/pdf': /^%PDF-1\.4.*%%EOF\n$/s,
      'image/png': /^\x89PNG\r\n/,
      'text/css': /^\/\*/,
      'application/json': /^\{/,
    }
    for (let number = 0; number < plan.objectsOf(0); number++) {
      const path = `/files/doc-${number}.${['txt', 'pdf', 'png', 'css', 'json'][number % 5]}`
      const { type, status } = answers.answer(0, path, 0)
      expect(status).toBe(200)
      expect(bytesOf(answers, 0, path).toString('latin1')).toMatch(magic[type])
    }
    expect(plan.objectsOf(0)).toBeGreaterThanOrEqual(3)
  })

  it('the offsets of a PDF point at its objects', () => {
    const pdf = bytesOf(answers, 0, '/files/doc-1.pdf').toString('latin1')
    const offsets = [...pdf.matchAll(/^(\d{10}) 00000 n /gm)].map(match => Number(match[1]))
    expect(offsets.map(at => pdf.slice(at, at + 7))).toEqual([1, 2, 3, 4, 5].map(n => `${n} 0 obj`))
    expect(pdf.slice(Number(/startxref\n(\d+)/.exec(pdf)?.[1])).startsWith('xref')).toBe(true)
  })

  it('most sites have robots.txt, a few none; the forbidden folder is in it', () => {
    const without = Array.from({ length: plan.sites }, (_, site) =>
      answers.answer(site, '/robots.txt', 0),
    ).filter(answer => answer.status === 404)
    const many = new WebPlan({ sites: 400, pages: 400, seed: 1 })
    const lacking = Array.from({ length: 400 }, (_, site) => many.hasRobots(site)).filter(has => !has).length
    expect(lacking).toBeGreaterThan(25)
    expect(lacking).toBeLessThan(80)
    expect(without.length).toBe(
      Array.from({ length: 10 }, (_, site) => plan.hasRobots(site)).filter(has => !has).length,
    )
    expect(bytesOf(answers, 0, '/robots.txt').toString()).toContain('\nUser-agent: *\nDisallow: /private/\n')
  })

  it('sitemaps list pages that exist, in parts where there are many', () => {
    const locs = (path: string, from: WebAnswers) =>
      [
        ...bytesOf(from, 0, path)
          .toString()
          .matchAll(/<loc>(.*?)<\/loc>/g),
      ].map(match => match[1].replace('&amp;', '&'))
    const listed = locs('/sitemap.xml', answers)
    const pages = new Set(Array.from({ length: plan.sizeOf(0) }, (_, page) => plan.urlOf(0, page, authority)))
    expect(listed.length).toBe(Math.ceil(plan.sizeOf(0) / 3))
    for (const url of listed) expect(pages.has(url)).toBe(true)
    expect(answers.answer(0, '/sitemap-1.xml', 0).status).toBe(404)
    const large = new WebPlan({ sites: 1, pages: 70_000, seed: 1 })
    const largeAnswers = new WebAnswers(large, {}, authority)
    const parts = locs('/sitemap.xml', largeAnswers)
    expect(parts).toEqual([1, 2, 3].map(part => `http://s00.test:8080/sitemap-${part}.xml`))
    const all = parts.flatMap(part => locs(new URL(part).pathname, largeAnswers))
    expect(new Set(all).size).toBe(23_334)
    expect(largeAnswers.answer(0, '/sitemap-4.xml', 0).status).toBe(404)
  })
})
