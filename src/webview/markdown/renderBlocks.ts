import type { Token } from 'markdown-it';
import { createCodeBlock } from './codeBlock.ts';
import { renderInline } from './renderInline.ts';

/** Elements that a reply may be made of; everything else becomes a `div` with its text. */
const known = new Set(
  'h1 h2 h3 h4 h5 h6 p ul ol li blockquote table thead tbody tr th td'.split(' '),
);

/** The top-level nodes of a parsed text. */
export function renderBlocks(tokens: readonly Token[], document: Document): ChildNode[] {
  const root = document.createElement('div');
  const open: HTMLElement[] = [root];
  for (const token of tokens) {
    const parent = open.at(-1) ?? root;
    if (token.hidden) continue;
    if (token.nesting === 1) open.push(openBlock(token, parent));
    else if (token.nesting === -1) open.pop();
    else appendLeaf(token, parent);
  }
  return [...root.childNodes];
}

function openBlock(token: Token, parent: HTMLElement): HTMLElement {
  const document = parent.ownerDocument;
  const element = document.createElement(known.has(token.tag) ? token.tag : 'div');
  if (token.tag === 'table') {
    // Wide tables scroll by themselves, so that the panel never does sideways.
    const scroller = document.createElement('div');
    scroller.className = 'table-scroll';
    scroller.append(element);
    parent.append(scroller);
    return element;
  }
  const start = token.attrGet('start');
  if (token.tag === 'ol' && start !== null) element.setAttribute('start', String(Number(start)));
  // Right to left where its words are; done by style, a line of a megabyte would take seconds.
  if (token.tag === 'p') element.dir = 'auto';
  const align = /text-align:(center|right)/.exec(String(token.attrGet('style') ?? ''))?.[1];
  if (align !== undefined) element.className = `align-${align}`;
  parent.append(element);
  return element;
}

function appendLeaf(token: Token, parent: HTMLElement): void {
  const document = parent.ownerDocument;
  switch (token.type) {
    case 'inline':
      appendInline(token, parent);
      break;
    case 'fence':
      parent.append(createCodeBlock(document, languageOf(token.info), token.content));
      break;
    case 'code_block':
      parent.append(createCodeBlock(document, '', token.content));
      break;
    case 'hr':
      parent.append(document.createElement('hr'));
      break;
    default:
      parent.append(token.content);
  }
}

/** The first word after the fence; what follows is for tools (`ts title=app.ts`). */
function languageOf(info: string): string {
  return info.trim().split(/[\s,{]/, 1)[0] ?? '';
}

function appendInline(token: Token, block: HTMLElement): void {
  const tokens = token.children ?? [];
  const [first] = tokens;
  const mark = startsListItem(block) ? /^\[([ xX])\] /.exec(token.content) : null;
  if (mark === null || first?.type !== 'text') {
    renderInline(tokens, block);
    return;
  }
  block.append(checkbox(block.ownerDocument, mark[1] !== ' '));
  block.closest('li')?.classList.add('task');
  first.content = first.content.slice(3);
  renderInline(tokens, block);
}

function startsListItem(block: HTMLElement): boolean {
  if (block.childNodes.length > 0) return false;
  if (block.tagName === 'LI') return true;
  const parent = block.parentElement;
  return block.tagName === 'P' && parent?.tagName === 'LI' && parent.firstChild === block;
}

function checkbox(document: Document, checked: boolean): HTMLElement {
  const box = document.createElement('input');
  box.type = 'checkbox';
  box.disabled = true;
  // The attribute, not the property: `patchNodes` compares attributes.
  if (checked) box.setAttribute('checked', '');
  return box;
}
