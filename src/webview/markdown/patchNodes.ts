import * as l10n from '@vscode/l10n';
import type { Token } from 'markdown-it';
import type { Grammar } from './grammar.ts';

/**
 * A virtual node. Virtual nodes are cheap: most of each frame's content is already in the page, and
 * only the rest becomes DOM nodes.
 */
export interface VNode {
  /** Empty for text. */
  readonly tag: string;
  readonly text: string;
  attributes: Attributes;
  readonly children: VNode[];
  node: ChildNode | undefined;
}

/** Lines of a code block, rows of a table, or pieces of a paragraph. */
export interface BlockParts {
  readonly holder: VNode;
  /** The first node of each part. */
  readonly starts: readonly VNode[];
  /** The state of the grammar after the last complete line. */
  readonly grammar?: Grammar | undefined;
}

export type Attributes = Readonly<Record<string, string>>;

const none: Attributes = {};

export function elementVNode(
  tag: string,
  attributes: Attributes = none,
  children: VNode[] = [],
): VNode {
  return { tag, text: '', attributes, children, node: undefined };
}

export function textVNode(text: string): VNode {
  return { tag: '', text, attributes: none, children: [], node: undefined };
}

export function vnodeText({ tag, text, children }: VNode): string {
  return tag === '' ? text : children.map(vnodeText).join('');
}

/** Creates the DOM node of a virtual node and its children. */
export function createNode(vnode: VNode, document: Document): ChildNode {
  const { tag, text, attributes, children } = vnode;
  let node: Text | Element;
  if (tag === '') node = document.createTextNode(text);
  else if (tag === 'math') node = mathElement(vnode, document);
  else {
    node = document.createElement(tag);
    for (const name in attributes) node.setAttribute(name, attributes[name] ?? '');
    for (const child of children) node.appendChild(createNode(child, document));
  }
  vnode.node = node;
  return node;
}

const mathNamespace = 'http://www.w3.org/1998/Math/MathML';

/** All elements within a formula are MathML. */
function mathElement({ tag, attributes, children }: VNode, document: Document): Element {
  const node = document.createElementNS(mathNamespace, tag);
  for (const name in attributes) node.setAttribute(name, attributes[name] ?? '');
  for (const child of children)
    node.append(child.tag === '' ? child.text : mathElement(child, document));
  return node;
}

/** Elements that a reply may contain; others become a `div` with their text. */
const known = new Set(
  'h1 h2 h3 h4 h5 h6 p ul ol li blockquote table thead tbody tr th td hr'.split(' '),
);

/** The element of a block, and its wrapper if it has one. */
export function blockVNode(token: Token): { outer: VNode; inner: VNode } {
  const start = token.tag === 'ol' ? token.attrGet('start') : null;
  const align = /text-align:(center|right)/.exec(String(token.attrGet('style') ?? ''))?.[1];
  let attributes: Attributes | undefined;
  const level = /^h(\d)$/.exec(token.tag)?.[1];
  if (start !== null) attributes = { start: String(Number(start)) };
  // The heading of a turn, level 2, is above all headings of its reply.
  else if (level !== undefined)
    attributes = { 'aria-level': String(Math.min(Number(level) + 2, 6)) };
  else if (align !== undefined) attributes = { class: `align-${align}` };
  const inner = elementVNode(known.has(token.tag) ? token.tag : 'div', attributes);
  // A wide table scrolls within its wrapper, so that the panel never scrolls sideways.
  const outer =
    token.tag === 'table' ? elementVNode('div', { class: 'table-scroll' }, [inner]) : inner;
  return { outer, inner };
}

/** The text beside it isn't its name: it is read separately, and may be long. */
export function checkboxVNode(checked: boolean): VNode {
  const attributes = { type: 'checkbox', disabled: '', 'aria-label': l10n.t('Task') };
  return elementVNode('input', checked ? { ...attributes, checked: '' } : attributes);
}

const firstLetter = /\p{L}/u;
const rightToLeft =
  /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

/**
 * True if the first letter of a block, or of the first piece of a long one, is right-to-left. The
 * browser's own detection, by style or `dir="auto"`, would take seconds for a paragraph of a
 * megabyte.
 */
export function isRightToLeft(content: string): boolean {
  return rightToLeft.test(firstLetter.exec(content)?.[0] ?? '');
}

/** Last stable child of each parent, which is never changed again; null if there is none. */
export type StableNodes = ReadonlyMap<Node, ChildNode | null>;

/** Elements that people scroll, select text in, or focus buttons of. */
const keptBlocks = new Set(['div', 'ul', 'ol', 'blockquote']);
/** Maximum number of nodes before a reusable block, for loose text that became a paragraph. */
const maxLookahead = 100;

/** The first child that may still change. */
export function firstOpen(parent: Node, stableNodes: StableNodes): ChildNode | null {
  const last = stableNodes.get(parent);
  return last === undefined || last === null ? parent.firstChild : last.nextSibling;
}

/**
 * Updates the open children of `parent` to match the virtual nodes. Unchanged nodes stay, so that a
 * selection, a focused button and the scroll position of a code block survive while the text below
 * grows.
 */
export function patchNodes(
  document: Document,
  parent: Node,
  vnodes: readonly VNode[],
  stableNodes: StableNodes = new Map(),
): void {
  let current = firstOpen(parent, stableNodes);
  for (const [index, vnode] of vnodes.entries()) {
    if (current === null) parent.appendChild(createNode(vnode, document));
    else if (insertsBefore(current, vnodes, index))
      parent.insertBefore(createNode(vnode, document), current);
    else {
      const next: ChildNode | null = current.nextSibling;
      current = patchNode(document, current, vnode, stableNodes)
        ? next
        : replaceNode(document, current, vnode, stableNodes);
    }
  }
  removeFrom(parent, current, stableNodes);
}

/**
 * Updates a node to match a virtual node. Returns false if it has another kind and must be
 * replaced.
 */
export function patchNode(
  document: Document,
  current: ChildNode,
  vnode: VNode,
  stableNodes: StableNodes = new Map(),
): boolean {
  if (!isSame(current, vnode)) return false;
  vnode.node = current;
  if (vnode.tag === 'math') return true;
  if (isTextNode(current)) {
    const { text } = vnode;
    const before = current.data;
    if (before === text) return true;
    if (text.startsWith(before)) current.appendData(text.slice(before.length));
    else current.data = text;
    return true;
  }
  if (isElement(current) && !stableNodes.has(current)) patchAttributes(current, vnode.attributes);
  patchNodes(document, current, vnode.children, stableNodes);
  return true;
}

function replaceNode(
  document: Document,
  current: ChildNode,
  vnode: VNode,
  stableNodes: StableNodes,
): ChildNode | null {
  if (keptBlocks.has(vnode.tag)) {
    // An existing block that matches stays, and the nodes before it go.
    const passed: ChildNode[] = [];
    let node: ChildNode | null = current;
    while (node !== null && !isSame(node, vnode)) {
      const isLast: boolean = stableNodes.has(node) || passed.length === maxLookahead;
      passed.push(node);
      node = isLast ? null : node.nextSibling;
    }
    if (node !== null) {
      for (const before of passed) before.remove();
      patchNode(document, node, vnode, stableNodes);
      return node.nextSibling;
    }
  }
  const next = current.nextSibling;
  current.after(createNode(vnode, document));
  // A stable node looks different only temporarily, until an incomplete line is completed.
  if (!stableNodes.has(current)) current.remove();
  return next;
}

/** Text that gets highlighted reuses its text node for its plain part. */
function insertsBefore(current: ChildNode, vnodes: readonly VNode[], index: number): boolean {
  if (!isTextNode(current) || vnodes[index]?.tag === '') return false;
  for (let next = index + 1; next < vnodes.length; next++)
    if (vnodes[next]?.tag === '') return true;
  return false;
}

/** An element with stable nodes stays; only its open children are removed. */
function removeFrom(parent: Node, first: ChildNode | null, stableNodes: StableNodes): void {
  let current = first;
  while (current !== null) {
    const next: ChildNode | null = current.nextSibling;
    if (stableNodes.has(current)) removeFrom(current, firstOpen(current, stableNodes), stableNodes);
    else parent.removeChild(current);
    current = next;
  }
}

/** A formula is a single node, identified by its TeX, and never changed. */
function isSame(current: ChildNode, { tag, attributes }: VNode): boolean {
  if (!isElement(current)) return tag === '';
  if (current.localName !== tag) return false;
  return tag !== 'math' || current.getAttribute('data-tex') === attributes['data-tex'];
}

function isElement(node: ChildNode): node is ChildNode & Element {
  return node.nodeType === node.ELEMENT_NODE;
}

export function isTextNode(node: Node): node is Text {
  return node.nodeType === node.TEXT_NODE;
}

/** Marks an element whose attributes a person has changed. */
export const ofPerson = 'data-of-person';

function patchAttributes(current: Element, attributes: Attributes): void {
  if (current.hasAttribute(ofPerson)) return;
  let count = 0;
  for (const name in attributes) {
    const value = attributes[name] ?? '';
    if (current.getAttribute(name) !== value) current.setAttribute(name, value);
    count += 1;
  }
  if (current.attributes.length === count) return;
  // The style contains measured values and is never set from the text.
  for (const name of current.getAttributeNames())
    if (!Object.hasOwn(attributes, name) && name !== 'style') current.removeAttribute(name);
}
