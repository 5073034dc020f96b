/** The slow and exact way to read a page: parse5 builds a tree, whose elements are collected. */
import { html, parse, type Token } from 'parse5'
import { LIMITS } from '../../../model/index.js'
import { Findings, PendingLinks } from '../links/index.js'
import {
  ATTRIBUTE_NAMES,
  Attribute,
  type AttributeSource,
  TAG_TRAITS,
  Tag,
  Trait,
  tagNumber,
} from '../tags/index.js'
import { oneLine } from '../text/index.js'
import { BoundedTree, type BoundedTreeTypes, type TreeNode, TreeTooLarge } from './bounded-tree.js'

/** The findings of the page; null if its tree would be too large. */
export function fullParse(page: string, wantRequisites: boolean): Findings | null {
  let document: TreeNode
  try {
    document = parse<BoundedTreeTypes>(page, { treeAdapter: new BoundedTree(), scriptingEnabled: false })
  } catch (error) {
    if (error instanceof TreeTooLarge) return null
    throw error
  }
  const findings = new Findings(new PendingLinks(), wantRequisites)
  for (const node of elements(document)) collectNode(node, findings)
  return findings
}

/** Elements in document order; without recursion, because a tree can be of any depth. */
function* elements(root: TreeNode): Generator<TreeNode> {
  let node = root.first
  while (node !== null) {
    yield node
    let next = node.first
    for (let up: TreeNode | null = node; next === null && up !== null && up !== root; up = up.parent)
      next = up.next
    node = next
  }
}

/** In svg and math only these count: an extra link is better than a missed one. */
const LINKS_ANYWHERE = new Set<number>([Tag.a, Tag.area, Tag.iframe, Tag.frame, Tag.link])

function collectNode(node: TreeNode, findings: Findings): void {
  const tag = tagNumber(node.name)
  if (node.namespace !== html.NS.HTML && !LINKS_ANYWHERE.has(tag)) return
  if (tag === Tag.title) {
    if (findings.titled) return
    findings.titled = true
    findings.title = oneLine(node.text, LIMITS.titleChars)
  } else if ((TAG_TRAITS[tag]! & (Trait.facts | Trait.requisites)) !== 0)
    findings.collect(tag, new NodeAttributes(node.attributes))
}

class NodeAttributes implements AttributeSource {
  readonly #attributes: readonly Token.Attribute[]

  constructor(attributes: readonly Token.Attribute[]) {
    this.#attributes = attributes
  }

  text(attribute: number): string | null {
    const name = ATTRIBUTE_NAMES[attribute]!
    const value = this.#value(name, '') ?? (attribute === Attribute.href ? this.#value(name, 'xlink') : null)
    return value === null || value.length > LIMITS.attributeBytes ? null : value
  }

  #value(name: string, prefix: string): string | null {
    for (const attribute of this.#attributes)
      if (attribute.name === name && (attribute.prefix ?? '') === prefix) return attribute.value
    return null
  }
}
