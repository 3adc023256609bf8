import type { Token } from 'markdown-it';
import { sketchElement, sketchText, textOf, type Sketch } from './sketch.ts';

/** Sketches inline content. Every node is made from these, none from markup. */
export function sketchInline(tokens: readonly Token[]): Sketch[] {
  const root: Sketch[] = [];
  const open: OpenElement[] = [];
  for (const token of tokens) {
    const into = open.at(-1)?.sketch.children ?? root;
    const outer = open.at(-1);
    if (token.nesting === 1)
      open.push(outer !== undefined && open.length >= deepest ? outer : openElement(token, into));
    else if (token.nesting === -1) closeElement(open.pop());
    else addLeaf(token, into);
  }
  return root;
}

interface OpenElement {
  readonly sketch: Sketch;
  /** Of a link that may not be opened. */
  readonly address: string | undefined;
}

/** Emphasis nests so deep; what is nested deeper looks the same anyway. */
const deepest = 60;

function openElement(token: Token, into: Sketch[]): OpenElement {
  const element = token.type === 'link_open' ? openLink(token) : openEmphasis(token);
  into.push(element.sketch);
  return element;
}

function openEmphasis({ tag }: Token): OpenElement {
  const known = tag === 'em' || tag === 'strong' || tag === 's';
  return { sketch: sketchElement(known ? tag : 'span'), address: undefined };
}

function openLink(token: Token): OpenElement {
  const address = String(token.attrGet('href') ?? '');
  const href = safeHref(address);
  if (href !== undefined)
    return { sketch: sketchElement('a', { href, title: href }), address: undefined };
  const isAuto = token.info === 'auto';
  const sketch = sketchElement('span', { class: 'plain-link' });
  return { sketch, address: isAuto ? undefined : address };
}

/** A link that may not be opened tells where it leads. */
function closeElement(element: OpenElement | undefined): void {
  const { sketch, address = '' } = element ?? {};
  if (sketch === undefined || address === '' || textOf(sketch) === address) return;
  addText(` (${address})`, sketch.children);
}

function addLeaf(token: Token, into: Sketch[]): void {
  switch (token.type) {
    case 'code_inline':
      into.push(sketchElement('code', undefined, [sketchText(token.content)]));
      break;
    case 'hardbreak':
      into.push(sketchElement('br'), sketchText('\n'));
      break;
    case 'softbreak':
      addText('\n', into);
      break;
    case 'image':
      into.push(sketchImage(token));
      break;
    default:
      addText(token.content, into);
  }
}

/** Pictures are never loaded: their address could carry away what the model has read. */
function sketchImage(token: Token): Sketch {
  const address = String(token.attrGet('src') ?? '');
  const text = token.content === '' ? address : `${token.content} (${address})`;
  return sketchElement('span', { class: 'image-address' }, [sketchText(text)]);
}

/** One text for neighbouring pieces, however the parser cut them. */
function addText(text: string, into: Sketch[]): void {
  const last = into.at(-1);
  if (last?.tag === '') into[into.length - 1] = sketchText(last.text + text);
  else if (text !== '') into.push(sketchText(text));
}

/**
 * The address as it may be opened, or undefined for everything but absolute http and https: a
 * reply never gets to name a command, a file or a script.
 */
export function safeHref(address: string): string | undefined {
  if (!/^https?:\/\//i.test(address)) return undefined;
  const url = URL.parse(address);
  return url?.protocol === 'http:' || url?.protocol === 'https:' ? url.href : undefined;
}
