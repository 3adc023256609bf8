import { build, type Attributes, type Sketch } from './sketch.ts';

/** What is settled: by parent, the last child that is not touched any more; null where none is. */
export type Settled = ReadonlyMap<Node, ChildNode | null>;

/** The first child that may still change. */
export function firstOpen(parent: Node, settled: Settled): ChildNode | null {
  const last = settled.get(parent);
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
  wanted: readonly Sketch[],
  settled: Settled = new Map(),
): void {
  let current = firstOpen(parent, settled);
  for (const [index, sketch] of wanted.entries()) {
    if (current === null) parent.appendChild(build(sketch, document));
    else if (insertsBefore(current, wanted, index))
      parent.insertBefore(build(sketch, document), current);
    else {
      const next: ChildNode | null = current.nextSibling;
      current = patchNode(document, current, sketch, settled)
        ? next
        : replaceNode(document, current, sketch, settled);
    }
  }
  removeFrom(parent, current, settled);
}

/** Makes one node what was sketched; false where it is of another kind and has to be replaced. */
export function patchNode(
  document: Document,
  current: ChildNode,
  sketch: Sketch,
  settled: Settled = new Map(),
): boolean {
  if (!isSame(current, sketch)) return false;
  sketch.node = current;
  if (isText(current)) {
    patchText(current, sketch.text);
    return true;
  }
  if (isElement(current) && !settled.has(current)) patchAttributes(current, sketch.attributes);
  patchNodes(document, current, sketch.children, settled);
  return true;
}

/** Puts another node in the place of one; the result is what stands behind it. */
function replaceNode(
  document: Document,
  current: ChildNode,
  sketch: Sketch,
  settled: Settled,
): ChildNode | null {
  const kept = keepBlock(current, sketch, settled);
  if (kept !== undefined) {
    patchNode(document, kept, sketch, settled);
    return kept.nextSibling;
  }
  const next = current.nextSibling;
  current.after(build(sketch, document));
  // What is settled only looks like something else for a while, by a line that is not complete.
  if (!settled.has(current)) current.remove();
  return next;
}

/** Blocks that readers scroll, select in and press buttons of. */
const keptBlocks = new Set(['div', 'ul', 'ol', 'blockquote']);
/** So many nodes may stand before one, where loose text became a paragraph. */
const farthest = 100;

/** Removes what stands before the block that was sketched; undefined where there is no such block. */
function keepBlock(first: ChildNode, sketch: Sketch, settled: Settled): ChildNode | undefined {
  if (!keptBlocks.has(sketch.tag)) return undefined;
  const passed: ChildNode[] = [];
  let node: ChildNode | null = first;
  while (node !== null && !isSame(node, sketch)) {
    if (settled.has(node) || passed.length === farthest) return undefined;
    passed.push(node);
    node = node.nextSibling;
  }
  if (node !== null) for (const before of passed) before.remove();
  return node ?? undefined;
}

/** Plain text that got colours keeps its text node for what is plain in it. */
function insertsBefore(current: ChildNode, wanted: readonly Sketch[], index: number): boolean {
  if (!isText(current) || wanted[index]?.tag === '') return false;
  for (let next = index + 1; next < wanted.length; next++)
    if (wanted[next]?.tag === '') return true;
  return false;
}

/** What holds settled nodes stays, without what was open in it. */
function removeFrom(parent: Node, first: ChildNode | null, settled: Settled): void {
  let current = first;
  while (current !== null) {
    const next: ChildNode | null = current.nextSibling;
    if (settled.has(current)) removeFrom(current, firstOpen(current, settled), settled);
    else parent.removeChild(current);
    current = next;
  }
}

function isSame(current: ChildNode, { tag }: Sketch): boolean {
  return isElement(current) ? current.localName === tag : tag === '';
}

function isElement(node: ChildNode): node is ChildNode & Element {
  return node.nodeType === node.ELEMENT_NODE;
}

/** Whether a node is text and nothing else. */
export function isText(node: Node): node is Text {
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
