/**
 * The tree adapter for parse5: elements in linked lists, without text except that of titles. Appending,
 * moving and removing take constant time, and building stops at a limit, because closing and re-opening
 * formatting elements can expand a small page to millions of nodes.
 */
import type { html, Token, TreeAdapter, TreeAdapterTypeMap } from 'parse5'
import { LIMITS } from '../../../model/index.js'

export class TreeNode {
  parent: TreeNode | null = null
  first: TreeNode | null = null
  last: TreeNode | null = null
  previous: TreeNode | null = null
  next: TreeNode | null = null
  /** The content of a template, a tree of its own. */
  content: TreeNode | null = null
  text = ''
  readonly name: string
  readonly namespace: string
  attributes: readonly Token.Attribute[]

  constructor(name: string, namespace = '', attributes: readonly Token.Attribute[] = []) {
    this.name = name
    this.namespace = namespace
    this.attributes = attributes
  }
}

/** Thrown to leave the parser, and caught by its caller. */
export class TreeTooLarge extends Error {}

const COMMENT = '#comment'

export type BoundedTreeTypes = TreeAdapterTypeMap<
  TreeNode,
  TreeNode,
  TreeNode,
  TreeNode,
  TreeNode,
  TreeNode,
  TreeNode,
  TreeNode,
  TreeNode,
  TreeNode
>

export class BoundedTree implements TreeAdapter<BoundedTreeTypes> {
  #work = 0
  #mode = 'no-quirks' as html.DOCUMENT_MODE

  createDocument(): TreeNode {
    return new TreeNode('#document')
  }

  createDocumentFragment(): TreeNode {
    return new TreeNode('#fragment')
  }

  createElement(name: string, namespace: string, attributes: Token.Attribute[]): TreeNode {
    this.#spend(1)
    return new TreeNode(name, namespace, attributes)
  }

  createCommentNode(): TreeNode {
    return new TreeNode(COMMENT)
  }

  createTextNode(): TreeNode {
    return new TreeNode('#text')
  }

  adoptAttributes(element: TreeNode, attributes: Token.Attribute[]): void {
    const known = new Set(element.attributes.map(attribute => attribute.name))
    const added = attributes.filter(attribute => !known.has(attribute.name))
    this.#spend(element.attributes.length)
    if (added.length > 0) element.attributes = [...element.attributes, ...added]
  }

  appendChild(parent: TreeNode, node: TreeNode): void {
    if (node.name === COMMENT) return
    node.parent = parent
    node.previous = parent.last
    node.next = null
    if (parent.last === null) parent.first = node
    else parent.last.next = node
    parent.last = node
  }

  insertBefore(parent: TreeNode, node: TreeNode, reference: TreeNode): void {
    node.parent = parent
    node.previous = reference.previous
    node.next = reference
    if (reference.previous === null) parent.first = node
    else reference.previous.next = node
    reference.previous = node
  }

  detachNode(node: TreeNode): void {
    const { parent, previous, next } = node
    if (parent === null) return
    if (previous === null) parent.first = next
    else previous.next = next
    if (next === null) parent.last = previous
    else next.previous = previous
    node.parent = null
    node.previous = null
    node.next = null
  }

  insertText(parent: TreeNode, text: string): void {
    if (parent.name === 'title' && parent.text.length < LIMITS.titleChars * 8) parent.text += text
  }

  insertTextBefore(): void {}

  getChildNodes(node: TreeNode): TreeNode[] {
    const children: TreeNode[] = []
    for (let child = node.first; child !== null; child = child.next) children.push(child)
    this.#spend(children.length)
    return children
  }

  #spend(work: number): void {
    this.#work += work
    if (this.#work > LIMITS.fullParseNodes) throw new TreeTooLarge()
  }

  getFirstChild(node: TreeNode): TreeNode | null {
    return node.first
  }

  getParentNode(node: TreeNode): TreeNode | null {
    return node.parent
  }

  getAttrList(element: TreeNode): Token.Attribute[] {
    return [...element.attributes]
  }

  getTagName(element: TreeNode): string {
    return element.name
  }

  getNamespaceURI(element: TreeNode): html.NS {
    return element.namespace as html.NS
  }

  setTemplateContent(template: TreeNode, content: TreeNode): void {
    template.content = content
  }

  getTemplateContent(template: TreeNode): TreeNode {
    return template.content ?? template
  }

  setDocumentMode(_document: TreeNode, mode: html.DOCUMENT_MODE): void {
    this.#mode = mode
  }

  getDocumentMode(): html.DOCUMENT_MODE {
    return this.#mode
  }

  isTextNode(_node: TreeNode): _node is TreeNode {
    return false
  }

  isCommentNode(node: TreeNode): node is TreeNode {
    return node.name === COMMENT
  }

  isElementNode(node: TreeNode): node is TreeNode {
    return !node.name.startsWith('#')
  }

  isDocumentTypeNode(_node: TreeNode): _node is TreeNode {
    return false
  }

  // Required by parse5, but unused here.
  setDocumentType(): void {}
  setNodeSourceCodeLocation(): void {}
  updateNodeSourceCodeLocation(): void {}
  getNodeSourceCodeLocation(): null {
    return null
  }
  getTextNodeContent(): string {
    return ''
  }
  getCommentNodeContent(): string {
    return ''
  }
  getDocumentTypeNodeName(): string {
    return ''
  }
  getDocumentTypeNodePublicId(): string {
    return ''
  }
  getDocumentTypeNodeSystemId(): string {
    return ''
  }
}
