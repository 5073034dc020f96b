/** A walk over parse5's tree without recursion: pages nest as deep as they like. */
import type { DefaultTreeAdapterTypes } from 'parse5'

export type Node = DefaultTreeAdapterTypes.ChildNode
export type Element = DefaultTreeAdapterTypes.Element
export type ParentNode = DefaultTreeAdapterTypes.ParentNode

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

/** What stands in a template is not among its children. */
function childrenOf(element: Element): readonly Node[] {
  return 'content' in element
    ? (element as DefaultTreeAdapterTypes.Template).content.childNodes
    : element.childNodes
}
