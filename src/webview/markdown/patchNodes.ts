import { createNode, type Attributes, type VNode } from './vnode.ts';

/** What is settled: by parent, the last child that is not touched any more; null where none is. */
export type StableNodes = ReadonlyMap<Node, ChildNode | null>;

/** The first child that may still change. */
export function firstOpen(parent: Node, stableNodes: StableNodes): ChildNode | null {
  const last = stableNodes.get(parent);
  return last === undefined || last === null ? parent.firstChild : last.nextSibling;
}

/**
 * Makes the open children of `parent` what was sketched, changing as little as it can: what did not
 * change stays the same node, so that a selection, a focused button and the position of a scrolled
 * code block survive while the text below them grows.
 */
export function patchNodes(
  document: Document,
  parent: Node,
  wanted: readonly VNode[],
  stableNodes: StableNodes = new Map(),
): void {
  let current = firstOpen(parent, stableNodes);
  for (const [index, vnode] of wanted.entries()) {
    if (current === null) parent.appendChild(createNode(vnode, document));
    else if (insertsBefore(current, wanted, index))
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

/** Makes one node what was sketched; false where it is of another kind and has to be replaced. */
export function patchNode(
  document: Document,
  current: ChildNode,
  vnode: VNode,
  stableNodes: StableNodes = new Map(),
): boolean {
  if (!isSame(current, vnode)) return false;
  vnode.node = current;
  if (isTextNode(current)) {
    patchText(current, vnode.text);
    return true;
  }
  if (isElement(current) && !stableNodes.has(current)) patchAttributes(current, vnode.attributes);
  patchNodes(document, current, vnode.children, stableNodes);
  return true;
}

/** Puts another node in the place of one; the result is what stands behind it. */
function replaceNode(
  document: Document,
  current: ChildNode,
  vnode: VNode,
  stableNodes: StableNodes,
): ChildNode | null {
  const kept = keepBlock(current, vnode, stableNodes);
  if (kept !== undefined) {
    patchNode(document, kept, vnode, stableNodes);
    return kept.nextSibling;
  }
  const next = current.nextSibling;
  current.after(createNode(vnode, document));
  // What is settled only looks like something else for a while, by a line that is not complete.
  if (!stableNodes.has(current)) current.remove();
  return next;
}

/** Blocks that readers scroll, select in and press buttons of. */
const keptBlocks = new Set(['div', 'ul', 'ol', 'blockquote']);
/** So many nodes may stand before one, where loose text became a paragraph. */
const maxLookahead = 100;

/** Removes what stands before the block that was sketched; undefined where there is no such block. */
function keepBlock(
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

/** Plain text that got colours keeps its text node for what is plain in it. */
function insertsBefore(current: ChildNode, wanted: readonly VNode[], index: number): boolean {
  if (!isTextNode(current) || wanted[index]?.tag === '') return false;
  for (let next = index + 1; next < wanted.length; next++)
    if (wanted[next]?.tag === '') return true;
  return false;
}

/** What holds settled nodes stays, without what was open in it. */
function removeFrom(parent: Node, first: ChildNode | null, stableNodes: StableNodes): void {
  let current = first;
  while (current !== null) {
    const next: ChildNode | null = current.nextSibling;
    if (stableNodes.has(current)) removeFrom(current, firstOpen(current, stableNodes), stableNodes);
    else parent.removeChild(current);
    current = next;
  }
}

function isSame(current: ChildNode, { tag }: VNode): boolean {
  return isElement(current) ? current.localName === tag : tag === '';
}

function isElement(node: ChildNode): node is ChildNode & Element {
  return node.nodeType === node.ELEMENT_NODE;
}

/** Whether a node is text and nothing else. */
export function isTextNode(node: Node): node is Text {
  return node.nodeType === node.TEXT_NODE;
}

function patchAttributes(current: Element, wanted: Attributes): void {
  let count = 0;
  for (const name in wanted) {
    const value = wanted[name] ?? '';
    if (current.getAttribute(name) !== value) current.setAttribute(name, value);
    count += 1;
  }
  if (current.attributes.length === count) return;
  // What was measured in the page stands in the style, which no text sets.
  for (const name of current.getAttributeNames())
    if (!Object.hasOwn(wanted, name) && name !== 'style') current.removeAttribute(name);
}

function patchText(current: Text, text: string): void {
  const before = current.data;
  if (before === text) return;
  if (text.startsWith(before)) current.appendData(text.slice(before.length));
  else current.data = text;
}
