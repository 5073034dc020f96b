/** The answers of the generated web, (site, path) -> answer, without a socket. */
import type { Millis } from '../../model/index.js'
import type { Authority } from './authority.js'
import type { ByteWriter } from './byte-writer.js'
import { revisionOf, type WebKnobs } from './conditions.js'
import { hashOf, Purpose } from './hash.js'
import { documentOf, forbiddenPage, requisiteOf, robotsOf, sitemapOf, type WebObject } from './objects.js'
import { type Place, WebPath } from './page-path.js'
import { PageText } from './page-text.js'
import type { WebPlan } from './web-plan.js'

export interface Answer {
  readonly status: number
  readonly place: Place
  readonly type: string
  /** Empty if the page has none: not every server sends both validators. */
  readonly etag: string
  readonly modifiedMs: Millis
  readonly location: string
  /** Whether the body is sent in chunks if the request is HTTP/1.1. */
  readonly chunked: boolean
  /** Appends the body, which is made only when it is needed. */
  write(writer: ByteWriter): void
}

const HTML_UTF8 = 'text/html; charset=utf-8'
const NOT_FOUND = '<!DOCTYPE html>\n<title>Not found</title>\n<p>There is nothing here.</p>\n'
const REDIRECT_STATUS = [301, 302, 301, 307, 308, 303]

export class WebAnswers {
  readonly #plan: WebPlan
  readonly #knobs: WebKnobs
  readonly #authority: Authority
  readonly #text: PageText

  constructor(plan: WebPlan, knobs: WebKnobs, authority: Authority) {
    this.#plan = plan
    this.#knobs = knobs
    this.#authority = authority
    this.#text = new PageText(plan, authority)
  }

  answer(site: number, target: string, nowMs: Millis): Answer {
    const place = this.#plan.placeOf(site, target)
    switch (place.is) {
      case 'page':
        return this.#page(site, place, place.number, nowMs)
      case 'alias':
      case 'alias-step':
        return this.#redirect(site, place, place.number)
      case 'object':
        return this.#document(site, place, place.number)
      case 'forbidden':
        return found(place, forbiddenPage(place.number))
      case 'requisite':
        return found(place, requisiteOf(target))
      case 'robots':
        return this.#plan.hasRobots(site) ? found(place, robotsOf(site, this.#authority)) : missing(place)
      case 'sitemap': {
        const sitemap = sitemapOf(this.#plan, site, place.number, this.#authority)
        return sitemap === null ? missing({ is: 'stray' }) : found(place, sitemap)
      }
      case 'gone':
      case 'decoy':
      case 'stray':
        return missing(place)
    }
  }

  #page(site: number, place: Place, page: number, nowMs: Millis): Answer {
    const { version, modifiedMs } = revisionOf(this.#plan, this.#knobs, site, page, nowMs)
    const hash = hashOf(this.#plan.seed, Purpose.validator, site, page)
    // Most pages have both validators, some have one, some none.
    const form = hash % 20
    const strength = form % 5 === 1 ? 'W/' : ''
    return {
      status: 200,
      place,
      type: form % 3 === 0 ? 'text/html' : HTML_UTF8,
      etag: form >= 3 ? `${strength}"${hash.toString(36)}-${version}"` : '',
      modifiedMs: form < 1 || form > 16 ? 0 : modifiedMs,
      location: '',
      chunked: hashOf(this.#plan.seed, Purpose.framing, site, page) % 16 === 0,
      write: writer => this.#text.write(writer, site, page, version),
    }
  }

  #redirect(site: number, place: Place, page: number): Answer {
    const onward = place.is === 'alias' && this.#plan.isChained(site, page)
    const path = onward ? new WebPath().aliasStep(page).toString() : this.#plan.pathOf(site, page)
    return {
      ...missing(place),
      status: REDIRECT_STATUS[page % REDIRECT_STATUS.length],
      location: page % 2 === 0 ? path : `http://${this.#authority(site)}${path}`,
      write: writer => writer.text('<p>Moved.</p>\n'),
    }
  }

  #document(site: number, place: Place, number: number): Answer {
    const { modifiedMs } = revisionOf(this.#plan, {}, site, number, 0)
    const etag = `"doc-${site.toString(36)}-${number.toString(36)}"`
    return { ...found(place, documentOf(this.#plan, site, number)), etag, modifiedMs }
  }
}

function found(place: Place, { type, body }: WebObject): Answer {
  return { ...missing(place), status: 200, type, write: writer => writer.text(body) }
}

function missing(place: Place): Answer {
  return {
    ...{ status: 404, place, type: HTML_UTF8, etag: '', modifiedMs: 0, location: '', chunked: false },
    write: writer => writer.text(NOT_FOUND),
  }
}
