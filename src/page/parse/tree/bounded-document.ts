/**
 * Pages as trees, within bounds: parsing stops on pages built to take for ever, and the walk does not
 * recurse, because pages may nest to any depth.
 */

import {
  type DefaultTreeAdapterMap,
  type DefaultTreeAdapterTypes,
  defaultTreeAdapter,
  parse,
  type TreeAdapter,
} from 'parse5'
import { LIMITS } from '../../../model/index.js'

type Node = DefaultTreeAdapterTypes.ChildNode
export type Element = DefaultTreeAdapterTypes.Element
export type ParentNode = DefaultTreeAdapterTypes.ParentNode

/** Thrown inside the parser to leave it. */
class TreeTooLarge extends Error {}

/** The tree of `html`, with source locations if asked; null when it exceeds a limit. */
export function parseBounded(html: string, withPlaces = false): DefaultTreeAdapterTypes.Document | null {
  if (html.length > LIMITS.fullParseBytes) return null
  try {
    return parse<DefaultTreeAdapterMap>(html, {
      sourceCodeLocationInfo: withPlaces,
      scriptingEnabled: false,
      treeAdapter: boundedAdapter(),
    })
  } catch (error) {
    if (error instanceof TreeTooLarge) return null
    throw error
  }
}

/**
 * parse5's default adapter with a count of work. Moving a node searches its parent's children, so it counts
 * by their number.
 */
function boundedAdapter(): TreeAdapter<DefaultTreeAdapterMap> {
  let work = 0
  let depth = 0
  const spend = (amount: number) => {
    work += amount
    if (work > LIMITS.fullParseNodes) throw new TreeTooLarge()
  }
  const search = (parent: ParentNode | null) => spend((parent?.childNodes.length ?? 0) / 64)
  return {
    ...defaultTreeAdapter,
    createElement: (...values) => {
      spend(1)
      return defaultTreeAdapter.createElement(...values)
    },
    adoptAttributes: (element, attributes) => {
      spend(element.attrs.length)
      defaultTreeAdapter.adoptAttributes(element, attributes)
    },
    insertBefore: (parent, node, reference) => {
      search(parent)
      defaultTreeAdapter.insertBefore(parent, node, reference)
    },
    insertTextBefore: (parent, text, reference) => {
      search(parent)
      defaultTreeAdapter.insertTextBefore(parent, text, reference)
    },
    detachNode: node => {
      search(node.parentNode)
      defaultTreeAdapter.detachNode(node)
    },
    // parse5's own makes a new object at every step, which is half of its time.
    updateNodeSourceCodeLocation: (node, end) => {
      const place = node.sourceCodeLocation
      if (place && end.endOffset !== undefined) place.endOffset = end.endOffset
    },
    onItemPush: () => {
      if (++depth > LIMITS.exportDepth) throw new TreeTooLarge()
    },
    onItemPop: () => {
      depth--
    },
  }
}

export interface Visitor {
  /** False keeps the walk out of the element; `leave` is then not called. */
  enter(element: Element): boolean
  leave?(element: Element): void
  text?(value: string): void
}

export function walk(root: ParentNode, visitor: Visitor): void {
  const stack: { readonly node: Element | null; readonly children: readonly Node[]; next: number }[] = [
    { node: null, children: root.childNodes, next: 0 },
  ]
  while (stack.length > 0) {
    const frame = stack[stack.length - 1]
    if (frame.next >= frame.children.length) {
      if (frame.node) visitor.leave?.(frame.node)
      stack.pop()
      continue
    }
    const child = frame.children[frame.next++]
    if (isElement(child)) {
      if (visitor.enter(child)) stack.push({ node: child, children: childrenOf(child), next: 0 })
    } else if (child.nodeName === '#text' && 'value' in child) {
      visitor.text?.(child.value)
    }
  }
}

export function attribute(element: Element, name: string): string | undefined {
  return element.attrs.find(attr => attr.name === name)?.value
}

function isElement(node: Node): node is Element {
  return 'tagName' in node
}

/** The content of a template is not among its children. */
function childrenOf(element: Element): readonly Node[] {
  return 'content' in element
    ? (element as DefaultTreeAdapterTypes.Template).content.childNodes
    : element.childNodes
}
