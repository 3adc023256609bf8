import * as l10n from '@vscode/l10n';
import type { Token } from 'markdown-it';

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
  vnode.node = vnode.tag === '' ? document.createTextNode(vnode.text) : element(vnode, document);
  return vnode.node;
}

function element(vnode: VNode, document: Document): Element {
  const { tag, attributes, children } = vnode;
  if (tag === 'math') return mathElement(vnode, document);
  const node = document.createElement(tag);
  for (const name in attributes) node.setAttribute(name, attributes[name] ?? '');
  for (const child of children) node.appendChild(createNode(child, document));
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
  const inner = elementVNode(known.has(token.tag) ? token.tag : 'div', attributesOf(token));
  // A wide table scrolls within its wrapper, so that the panel never scrolls sideways.
  const outer =
    token.tag === 'table' ? elementVNode('div', { class: 'table-scroll' }, [inner]) : inner;
  return { outer, inner };
}

function attributesOf(token: Token): Attributes | undefined {
  const start = token.tag === 'ol' ? token.attrGet('start') : null;
  if (start !== null) return { start: String(Number(start)) };
  const align = /text-align:(center|right)/.exec(String(token.attrGet('style') ?? ''))?.[1];
  return align === undefined ? undefined : { class: `align-${align}` };
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
