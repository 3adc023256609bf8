import type { Token } from 'markdown-it';
import { safeHref } from './links.ts';

/** Appends the inline content of a block. Every node is made here, none from markup. */
export function renderInline(tokens: readonly Token[], block: HTMLElement): void {
  const open: HTMLElement[] = [block];
  for (const token of tokens) {
    const parent = open.at(-1) ?? block;
    if (token.nesting === 1) open.push(openElement(token, parent));
    else if (token.nesting === -1) closeElement(token, open);
    else appendLeaf(token, parent);
  }
}

function openElement(token: Token, parent: HTMLElement): HTMLElement {
  const element = token.type === 'link_open' ? linkElement(token, parent) : emphasis(token, parent);
  parent.append(element);
  return element;
}

function emphasis(token: Token, parent: HTMLElement): HTMLElement {
  const known = token.tag === 'em' || token.tag === 'strong' || token.tag === 's';
  return parent.ownerDocument.createElement(known ? token.tag : 'span');
}

function linkElement(token: Token, parent: HTMLElement): HTMLElement {
  const address = String(token.attrGet('href') ?? '');
  const href = safeHref(address);
  if (href !== undefined) {
    const link = parent.ownerDocument.createElement('a');
    link.href = href;
    link.title = href;
    return link;
  }
  const text = parent.ownerDocument.createElement('span');
  text.className = 'plain-link';
  if (token.info !== 'auto') text.dataset['address'] = address;
  return text;
}

function closeElement(token: Token, open: HTMLElement[]): void {
  if (open.length < 2) return;
  const element = open.pop();
  const address = element?.dataset['address'];
  if (token.type !== 'link_close' || element === undefined || address === undefined) return;
  delete element.dataset['address'];
  if (address !== '' && element.textContent !== address) appendText(element, ` (${address})`);
}

function appendLeaf(token: Token, parent: HTMLElement): void {
  switch (token.type) {
    case 'code_inline':
      parent.append(codeElement(token, parent.ownerDocument));
      break;
    case 'hardbreak':
      parent.append(parent.ownerDocument.createElement('br'));
      break;
    case 'softbreak':
      appendText(parent, '\n');
      break;
    case 'image':
      parent.append(imageText(token, parent.ownerDocument));
      break;
    default:
      appendText(parent, token.content);
  }
}

function codeElement(token: Token, document: Document): HTMLElement {
  const code = document.createElement('code');
  code.textContent = token.content;
  return code;
}

/** Pictures are never loaded: their address could carry away what the model has read. */
function imageText(token: Token, document: Document): HTMLElement {
  const text = document.createElement('span');
  text.className = 'image-address';
  const address = String(token.attrGet('src') ?? '');
  text.textContent = token.content === '' ? address : `${token.content} (${address})`;
  return text;
}

/** One text node for neighbouring pieces, however the parser cut them. */
function appendText(parent: HTMLElement, text: string): void {
  const last = parent.lastChild;
  if (last !== null && last.nodeType === last.TEXT_NODE)
    last.nodeValue = `${last.nodeValue ?? ''}${text}`;
  else if (text !== '') parent.append(text);
}
