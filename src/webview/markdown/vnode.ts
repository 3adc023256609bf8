import type { Token } from 'markdown-it';

/**
 * What a node is to look like. Sketches are cheap: most of what is drawn with each frame is in the
 * page already, and only the rest of it becomes nodes.
 */
export interface VNode {
  /** Empty for text. */
  readonly tag: string;
  readonly text: string;
  attributes: Attributes;
  readonly children: VNode[];
  /** The node in the page, once there is one. */
  node: ChildNode | undefined;
}

/** Values by name. */
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

/** All text inside. */
export function vnodeText({ tag, text, children }: VNode): string {
  return tag === '' ? text : children.map(vnodeText).join('');
}

/** Makes the node of a sketch, with all that is inside. */
export function createNode(vnode: VNode, document: Document): ChildNode {
  vnode.node = vnode.tag === '' ? document.createTextNode(vnode.text) : element(vnode, document);
  return vnode.node;
}

function element({ tag, attributes, children }: VNode, document: Document): HTMLElement {
  const node = document.createElement(tag);
  for (const name in attributes) node.setAttribute(name, attributes[name] ?? '');
  for (const child of children) node.appendChild(createNode(child, document));
  return node;
}

/** Elements that a reply may be made of; everything else becomes a `div` with its text. */
const known = new Set(
  'h1 h2 h3 h4 h5 h6 p ul ol li blockquote table thead tbody tr th td hr'.split(' '),
);

/** The element of a block, and the one around it where there is one. */
export function blockVNode(token: Token): { outer: VNode; inner: VNode } {
  const inner = elementVNode(known.has(token.tag) ? token.tag : 'div', attributesOf(token));
  // Wide tables scroll by themselves, so that the panel never does sideways.
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

export function checkboxVNode(checked: boolean): VNode {
  const attributes = { type: 'checkbox', disabled: '' };
  return elementVNode('input', checked ? { ...attributes, checked: '' } : attributes);
}

const firstLetter = /\p{L}/u;
const rightToLeft =
  /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

/**
 * A block runs in the direction of its first letter, a long one in that of its first piece. Left to
 * the browser, by style or by `dir="auto"`, a paragraph of a megabyte would take seconds.
 */
export function isRightToLeft(content: string): boolean {
  return rightToLeft.test(firstLetter.exec(content)?.[0] ?? '');
}
