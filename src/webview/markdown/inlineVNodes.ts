import type { Token } from 'markdown-it';
import { elementVNode, textVNode, vnodeText, type VNode } from './vnode.ts';

/** Maximum depth of nested emphasis; deeper nesting makes no visible difference. */
const maxDepth = 60;

/** Renders inline tokens to virtual nodes; markup is never inserted as HTML. */
export function inlineVNodes(tokens: readonly Token[]): VNode[] {
  const root: VNode[] = [];
  const open: OpenElement[] = [];
  for (const token of tokens) {
    const into = open.at(-1)?.vnode.children ?? root;
    const outer = open.at(-1);
    if (token.nesting === 1)
      open.push(outer !== undefined && open.length >= maxDepth ? outer : openElement(token, into));
    else if (token.nesting === -1) closeElement(open.pop());
    else addLeafToken(token, into);
  }
  return root;
}

const marks = new Set(['em', 'strong', 's', 'sub', 'sup', 'kbd']);

interface OpenElement {
  readonly vnode: VNode;
  /** The address of a link that may not be opened. */
  readonly address: string | undefined;
}

function openElement(token: Token, into: VNode[]): OpenElement {
  const element = token.type === 'link_open' ? openLink(token) : openEmphasis(token);
  into.push(element.vnode);
  return element;
}

function openEmphasis({ tag }: Token): OpenElement {
  return { vnode: elementVNode(marks.has(tag) ? tag : 'span'), address: undefined };
}

function openLink(token: Token): OpenElement {
  const address = String(token.attrGet('href') ?? '');
  const href = safeHref(address);
  if (href !== undefined)
    return { vnode: elementVNode('a', { href, title: href }), address: undefined };
  const isAuto = token.info === 'auto';
  const vnode = elementVNode('span', { class: 'plain-link' });
  return { vnode, address: isAuto ? undefined : address };
}

/** Appends the address to a link that may not be opened. */
function closeElement(element: OpenElement | undefined): void {
  const { vnode, address = '' } = element ?? {};
  if (vnode === undefined || address === '' || vnodeText(vnode) === address) return;
  addText(` (${address})`, vnode.children);
}

function addLeafToken(token: Token, into: VNode[]): void {
  switch (token.type) {
    case 'code_inline':
      into.push(elementVNode('code', undefined, [textVNode(token.content)]));
      break;
    case 'hardbreak':
      into.push(elementVNode('br'), textVNode('\n'));
      break;
    case 'softbreak':
      addText('\n', into);
      break;
    case 'image':
      into.push(imageVNode(token));
      break;
    default:
      addText(token.content, into);
  }
}

/** Images are never loaded: a request to their address could leak what the model has read. */
function imageVNode(token: Token): VNode {
  const address = String(token.attrGet('src') ?? '');
  const text = token.content === '' ? address : `${token.content} (${address})`;
  return elementVNode('span', { class: 'image-address' }, [textVNode(text)]);
}

/** Merges adjacent text, however the parser split it. */
function addText(text: string, into: VNode[]): void {
  const last = into.at(-1);
  if (last?.tag === '') into[into.length - 1] = textVNode(last.text + text);
  else if (text !== '') into.push(textVNode(text));
}

/**
 * Returns the normalized address of an absolute http or https URL, and undefined for every other: a
 * reply must not name a command, a file or a script.
 */
export function safeHref(address: string): string | undefined {
  if (!/^https?:\/\//i.test(address)) return undefined;
  const url = URL.parse(address);
  return url?.protocol === 'http:' || url?.protocol === 'https:' ? url.href : undefined;
}
