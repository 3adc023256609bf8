import type { Token } from 'markdown-it';
import { background } from '../../core/support/background.ts';
import { longestPart, type MathElement, type MathTree, loadTypesetter, typeset } from './mathml.ts';
import { patchNode, elementVNode, textVNode, vnodeText, type VNode } from './patchNodes.ts';

/** Maximum depth of nested emphasis; deeper nesting makes no visible difference. */
const maxDepth = 60;

/** Renders inline tokens to virtual nodes; markup is never inserted as HTML. */
export function inlineVNodes(tokens: readonly Token[]): VNode[] {
  const root: VNode[] = [];
  const open: OpenElement[] = [];
  for (const token of tokens) {
    const into = open.at(-1)?.vnode.children ?? root;
    const outer = open.at(-1);
    if (token.nesting === 1) {
      const isTooDeep = outer !== undefined && open.length >= maxDepth;
      const element = isTooDeep ? outer : openElement(token);
      if (element !== outer) into.push(element.vnode);
      open.push(element);
    } else if (token.nesting === -1) {
      const { vnode, address = '' } = open.pop() ?? {};
      // The address of a link that may not be opened follows its text.
      if (vnode !== undefined && address !== '' && vnodeText(vnode) !== address)
        addText(` (${address})`, vnode.children);
    } else addLeafToken(token, into);
  }
  return root;
}

const marks = new Set(['em', 'strong', 's', 'sub', 'sup', 'kbd']);

interface OpenElement {
  readonly vnode: VNode;
  /** The address of a link that can't be opened. */
  readonly address: string | undefined;
}

function openElement(token: Token): OpenElement {
  const { type, tag } = token;
  if (type !== 'link_open')
    return { vnode: elementVNode(marks.has(tag) ? tag : 'span'), address: undefined };
  const address = String(token.attrGet('href') ?? '');
  const href = safeHref(address);
  if (href !== undefined)
    return { vnode: elementVNode('a', { href, title: href }), address: undefined };
  const isAuto = token.info === 'auto';
  const vnode = elementVNode('span', { class: 'plain-link' });
  return { vnode, address: isAuto ? undefined : address };
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
    case 'image': {
      // Never loaded: a request to its address could leak what the model has read.
      const address = String(token.attrGet('src') ?? '');
      const text = token.content === '' ? address : `${token.content} (${address})`;
      into.push(elementVNode('span', { class: 'image-address' }, [textVNode(text)]));
      break;
    }
    case 'formula':
      into.push(formulaVNode(token));
      break;
    default:
      addText(token.content, into);
  }
}

interface WaitingFormula {
  readonly token: Token;
  readonly vnode: VNode;
}

/** Wider parts could exceed a narrow panel, so they scroll. In characters. */
const longestInLine = 24;

/** Formulas that are shown as source until the library is loaded. */
const waiting: WaitingFormula[] = [];

/**
 * A formula and its source, which is in the page to be selected, copied and found. The text doesn't
 * change when the formula is rendered, so that a selection stays.
 */
function formulaVNode(token: Token): VNode {
  const { content, markup, block } = token;
  const math = typeset(content.slice(markup.length, -markup.length), block);
  const source = elementVNode('span', { class: 'formula-source' }, [textVNode(content)]);
  const names = block ? 'formula display' : 'formula';
  if (math === 'source') return elementVNode('span', { class: `${names} as-source` }, [source]);
  const vnode = elementVNode('span', { class: names }, [source]);
  if (math === undefined) {
    if (waiting.push({ token, vnode }) === 1) background(loadTypesetter().then(drawWaiting));
    return vnode;
  }
  const isWide = !block && longestPart(math) > longestInLine;
  vnode.attributes = { class: `${names} drawn${isWide ? ' wide' : ''}` };
  source.attributes = { ...source.attributes, 'aria-hidden': 'true' };
  const drawn = drawnVNodes.get(math) ?? mathVNode(math);
  drawn.attributes = { ...math.attributes, 'data-tex': content };
  drawnVNodes.set(math, drawn);
  vnode.children.push(drawn);
  return vnode;
}

/** Cached by source, since each frame renders the open paragraph again. */
const drawnVNodes = new WeakMap<MathElement, VNode>();

function mathVNode(math: MathTree): VNode {
  if (typeof math === 'string') return textVNode(math);
  return elementVNode(math.tag, math.attributes, math.children.map(mathVNode));
}

function drawWaiting(isLoaded: boolean): void {
  const formulas = waiting.splice(0);
  if (!isLoaded) return;
  for (const { token, vnode } of formulas) {
    const document = vnode.node?.ownerDocument;
    if (vnode.node && document) patchNode(document, vnode.node, formulaVNode(token));
  }
}

/** Merges adjacent text, regardless of how the parser split it. */
function addText(text: string, into: VNode[]): void {
  const last = into.at(-1);
  if (last?.tag === '') into[into.length - 1] = textVNode(last.text + text);
  else if (text !== '') into.push(textVNode(text));
}

/**
 * The normalized address of an absolute http or https URL; undefined for all others, since a reply
 * must not link to a command, a file or a script.
 */
export function safeHref(address: string): string | undefined {
  if (!/^https?:\/\//i.test(address)) return undefined;
  const url = URL.parse(address);
  return url?.protocol === 'http:' || url?.protocol === 'https:' ? url.href : undefined;
}
