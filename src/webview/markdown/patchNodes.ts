import { createNode, type Attributes, type VNode } from './vnode.ts';

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
    patchText(current, vnode.text);
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
  const reused = reuseBlock(current, vnode, stableNodes);
  if (reused !== undefined) {
    patchNode(document, reused, vnode, stableNodes);
    return reused.nextSibling;
  }
  const next = current.nextSibling;
  current.after(createNode(vnode, document));
  // A stable node looks different only temporarily, until an incomplete line is completed.
  if (!stableNodes.has(current)) current.remove();
  return next;
}

/** Removes the nodes before an existing block that matches; undefined if there is none. */
function reuseBlock(
  first: ChildNode,
  vnode: VNode,
  stableNodes: StableNodes,
): ChildNode | undefined {
  if (!keptBlocks.has(vnode.tag)) return undefined;
  const passed: ChildNode[] = [];
  let node: ChildNode | null = first;
  while (node !== null && !isSame(node, vnode)) {
    if (stableNodes.has(node) || passed.length === maxLookahead) return undefined;
    passed.push(node);
    node = node.nextSibling;
  }
  if (node !== null) for (const before of passed) before.remove();
  return node ?? undefined;
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

function patchText(current: Text, text: string): void {
  const before = current.data;
  if (before === text) return;
  if (text.startsWith(before)) current.appendData(text.slice(before.length));
  else current.data = text;
}
