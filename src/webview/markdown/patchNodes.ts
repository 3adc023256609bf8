/**
 * Makes the children of `parent` from `first` on equal to `wanted`, changing as little as it can:
 * what did not change stays the same node, so that a selection, a focused button and the position
 * of a scrolled code block survive while the text below them grows.
 */
export function patchNodes(
  parent: Node,
  first: ChildNode | null,
  wanted: readonly ChildNode[],
): void {
  let current = first;
  for (const node of wanted) {
    if (current === null) {
      parent.appendChild(node);
      continue;
    }
    const next: ChildNode | null = current.nextSibling;
    if (!patchNode(current, node)) parent.replaceChild(node, current);
    current = next;
  }
  while (current !== null) {
    const next: ChildNode | null = current.nextSibling;
    parent.removeChild(current);
    current = next;
  }
}

/** False when the node is of another kind and has to be replaced. */
function patchNode(current: ChildNode, wanted: ChildNode): boolean {
  if (current.nodeName !== wanted.nodeName) return false;
  if (isElement(current) && isElement(wanted)) {
    patchAttributes(current, wanted);
    patchNodes(current, current.firstChild, [...wanted.childNodes]);
    return true;
  }
  return patchText(current, wanted);
}

function isElement(node: ChildNode): node is ChildNode & Element {
  return node.nodeType === node.ELEMENT_NODE;
}

function patchAttributes(current: Element, wanted: Element): void {
  for (const name of current.getAttributeNames())
    if (!wanted.hasAttribute(name)) current.removeAttribute(name);
  for (const { name, value } of wanted.attributes)
    if (current.getAttribute(name) !== value) current.setAttribute(name, value);
}

function patchText(current: ChildNode, wanted: ChildNode): boolean {
  const before = current.nodeValue ?? '';
  const after = wanted.nodeValue ?? '';
  if (before === after) return true;
  if (isText(current) && after.startsWith(before)) current.appendData(after.slice(before.length));
  else current.nodeValue = after;
  return true;
}

function isText(node: ChildNode): node is Text {
  return node.nodeType === node.TEXT_NODE;
}
