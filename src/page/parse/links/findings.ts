/**
 * What the scanner or the full parser collects from one page before its links are resolved. `collect` is the
 * only place that knows what an element's attributes mean to a crawler.
 */
import { LIMITS, LinkKind } from '../../../model/index.js'
import { Attribute, type AttributeSource, Tag } from '../tags/index.js'
import type { PendingLinks } from './pending-links.js'
import { refreshTarget } from './refresh.js'
import { Rel, relFlags } from './rel.js'
import { srcsetUrls } from './srcset.js'

export class Findings {
  readonly links: PendingLinks
  readonly wantRequisites: boolean
  /** The first `<base href>`. */
  base: string | null = null
  /** Number of `<base href>`. */
  bases = 0
  canonical: string | null = null
  title = ''
  /** The first title counts, even if it is empty. */
  titled = false
  description: string | null = null
  language: string | null = null
  /** From `<meta http-equiv=content-language>`; used if the html tag names no language. */
  metaLanguage: string | null = null
  robots = ''

  constructor(links: PendingLinks, wantRequisites: boolean) {
    this.links = links
    this.wantRequisites = wantRequisites
  }

  /** Takes links and facts from the start tag of an element. */
  collect(tag: number, attributes: AttributeSource): void {
    switch (tag) {
      case Tag.a:
      case Tag.area:
        this.#link(attributes, Attribute.href, LinkKind.anchor | followFlag(attributes))
        break
      case Tag.iframe:
      case Tag.frame:
        this.#link(attributes, Attribute.src, LinkKind.frame)
        break
      case Tag.link:
        this.#relation(attributes)
        break
      case Tag.meta:
        this.#meta(attributes)
        break
      case Tag.base:
        this.#base(attributes)
        break
      case Tag.html:
        this.language ??= attributes.text(Attribute.lang) ?? attributes.text(Attribute['xml:lang'])
        break
      default:
        if (this.wantRequisites) this.#requisites(tag, attributes)
    }
  }

  #link(attributes: AttributeSource, attribute: number, kind: number): void {
    const href = attributes.text(attribute)
    if (href !== null) this.links.addText(href, kind)
  }

  #relation(attributes: AttributeSource): void {
    const rel = attributes.text(Attribute.rel)
    if (rel === null) return
    const flags = relFlags(rel)
    if ((flags & Rel.canonical) !== 0) this.canonical ??= attributes.text(Attribute.href)
    if ((flags & Rel.related) !== 0) {
      const follow = (flags & Rel.nofollow) === 0 ? 0 : LinkKind.nofollow
      this.#link(attributes, Attribute.href, LinkKind.related | follow)
    } else if ((flags & Rel.requisite) !== 0 && this.wantRequisites) {
      this.#link(attributes, Attribute.href, LinkKind.requisite)
      this.#srcset(attributes, Attribute.imagesrcset)
    }
  }

  #meta(attributes: AttributeSource): void {
    const content = attributes.text(Attribute.content)
    if (content === null) return
    switch (attributes.text(Attribute.name)?.toLowerCase()) {
      case 'description':
        this.description ??= content
        break
      case 'robots':
      case 'orbweaver':
        this.#addRobots(content)
        break
    }
    switch (attributes.text(Attribute['http-equiv'])?.toLowerCase()) {
      case 'refresh': {
        const target = refreshTarget(content)
        if (target !== null) this.links.addText(target, LinkKind.refresh)
        break
      }
      case 'content-language':
        this.metaLanguage ??= content
        break
    }
  }

  #addRobots(content: string): void {
    const rules = content.trim().toLowerCase()
    if (this.robots.length + rules.length > LIMITS.robotsMetaChars) return
    this.robots = this.robots === '' ? rules : `${this.robots},${rules}`
  }

  #base(attributes: AttributeSource): void {
    const href = attributes.text(Attribute.href)
    if (href === null) return
    this.bases++
    this.base ??= href
  }

  #requisites(tag: number, attributes: AttributeSource): void {
    switch (tag) {
      case Tag.object:
        this.#link(attributes, Attribute.data, LinkKind.requisite)
        return
      case Tag.input:
        if (attributes.text(Attribute.type)?.toLowerCase() !== 'image') return
        break
      case Tag.video:
        this.#link(attributes, Attribute.poster, LinkKind.requisite)
        break
      case Tag.img:
      case Tag.image:
      case Tag.source:
        this.#srcset(attributes, Attribute.srcset)
        break
    }
    this.#link(attributes, Attribute.src, LinkKind.requisite)
  }

  #srcset(attributes: AttributeSource, attribute: number): void {
    const candidates = attributes.text(attribute)
    if (candidates === null) return
    for (const url of srcsetUrls(candidates)) this.links.addText(url, LinkKind.requisite)
  }
}

function followFlag(attributes: AttributeSource): number {
  const rel = attributes.text(Attribute.rel)
  return rel !== null && (relFlags(rel) & Rel.nofollow) !== 0 ? LinkKind.nofollow : 0
}
