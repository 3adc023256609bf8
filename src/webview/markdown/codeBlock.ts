import * as l10n from '@vscode/l10n';
import { background } from '../../core/support/background.ts';
import { grammarFor } from './languages.ts';
import type { NamedFile } from './namedFile.ts';
import {
  ofPerson,
  patchNodes,
  createNode,
  elementVNode,
  textVNode,
  type Attributes,
  type BlockParts,
  type VNode,
} from './patchNodes.ts';
import type { Grammar } from './grammar.ts';

const actions = ['open', 'copy', 'insert', 'apply', 'run', 'preview', 'new-file'] as const;

export type CodeAction = (typeof actions)[number];

const icons: Readonly<Record<CodeAction, string>> = {
  open: 'file',
  copy: 'copy',
  insert: 'insert',
  apply: 'git-pull-request-go-to-changes',
  run: 'terminal',
  preview: 'open-preview',
  'new-file': 'new-file',
};

const shells = new Set(
  'bash bat batch cmd console fish powershell ps1 pwsh sh shell shell-session shellscript shellsession terminal zsh'.split(
    ' ',
  ),
);

interface CodeFrame {
  readonly block: VNode;
  readonly code: VNode;
}

/** Creates a complete code block: a header with the language and buttons, and the code. */
export function createCodeBlock(document: Document, language: string, text: string): ChildNode {
  const { block, code } = frameCode(language);
  addCode(code, text, { stableCount: 0, insideLine: false, grammar: grammarFor(language) }, true);
  return createNode(block, document);
}

/** Highlights code that was rendered before its grammar was loaded. */
export function recolourCode(block: Element): void {
  const code = block.querySelector('code');
  const text = code?.textContent ?? '';
  const language = block.getAttribute('data-language') ?? '';
  const vnode = elementVNode('code');
  addCode(vnode, text, { stableCount: 0, insideLine: false, grammar: grammarFor(language) }, true);
  if (code !== null) patchNodes(block.ownerDocument, code, vnode.children);
}

/** Creates an empty code block. */
export function frameCode(language: string, file?: NamedFile): CodeFrame {
  const frame = frameMoreCode(language);
  frame.block.children.unshift(codeHeader(language, file));
  return frame;
}

/** Creates the frame of a code block whose header has been rendered. */
export function frameMoreCode(language: string): CodeFrame {
  const code = elementVNode('code');
  const frame = elementVNode('pre', undefined, [code]);
  const attributes = { class: 'code-block', 'data-language': language };
  return { block: elementVNode('div', attributes, [frame]), code };
}

/** The code of the block whose button was clicked, and its file if the reply specifies one. */
export interface ShownCode {
  readonly text: string;
  readonly language: string;
  readonly file: NamedFile | undefined;
}

/** Runs an action. Resolves with true on success; the button then shows a check mark. */
export type RunCode = (action: CodeAction, code: ShownCode) => Promise<boolean>;

interface CodeMenuItem {
  readonly icon: string;
  readonly name: string;
  readonly isOn?: boolean;
  readonly isDeliberate?: boolean;
  readonly run: () => void;
}

export type OpenCodeMenu = (anchor: HTMLElement, items: readonly CodeMenuItem[]) => void;

/** Handles the buttons of all code blocks in `container`, including later ones. */
export function connectCodeButtons(
  container: HTMLElement,
  run: RunCode,
  openMenu: OpenCodeMenu,
): void {
  container.addEventListener('click', (event) => {
    const button = event.target instanceof Element ? event.target.closest('button') : null;
    const block = button?.closest<HTMLElement>('.code-block');
    if (!button || !block) return;
    const runAction = async (action: CodeAction): Promise<void> => {
      const text = block.querySelector('code')?.textContent ?? '';
      const language = block.dataset['language'] ?? '';
      const { path, line } = block.querySelector<HTMLElement>('.code-file')?.dataset ?? {};
      const file =
        path === undefined
          ? undefined
          : { path, ...(line !== undefined && { line: Number(line) }) };
      if (!(await run(action, { text, language, file }))) return;
      // A check mark in place of the icon.
      button.classList.add('done');
      setTimeout(() => button.classList.remove('done'), 1500);
    };
    if (button.dataset['look'] === 'fold') {
      const isFolded = changeLook(block, 'data-folded');
      button.setAttribute('aria-expanded', String(!isFolded));
      button.setAttribute(ofPerson, '');
    } else if (button.dataset['menu'] !== undefined)
      openMenu(
        button,
        menuOf(block, (action) => background(runAction(action))),
      );
    const action = actions.find((known) => known === button.dataset['action']);
    if (action !== undefined) background(runAction(action));
  });
}

function menuOf(block: HTMLElement, run: (action: CodeAction) => void): readonly CodeMenuItem[] {
  const item = (action: CodeAction, name: string): CodeMenuItem => ({
    icon: icons[action],
    name,
    run: () => run(action),
  });
  const isDiagram = block.dataset['language']?.toLowerCase() === 'mermaid';
  // The host found a Markdown preview that renders diagrams.
  const hasPreview = block.ownerDocument.documentElement.hasAttribute('data-diagrams');
  return [
    { ...item('insert', l10n.t('Insert at Cursor')), isDeliberate: true },
    item('new-file', l10n.t('New File')),
    ...(isDiagram && hasPreview ? [item('preview', l10n.t('Open Preview'))] : []),
    {
      icon: 'word-wrap',
      name: l10n.t('Word Wrap'),
      isOn: block.hasAttribute('data-wrapped'),
      run: () => changeLook(block, 'data-wrapped'),
    },
  ];
}

/** Toggles an attribute, which later renderings preserve: see `patchAttributes`. */
function changeLook(block: HTMLElement, attribute: 'data-folded' | 'data-wrapped'): boolean {
  const isOn = block.toggleAttribute(attribute);
  block.setAttribute(ofPerson, '');
  // The sticky header of long code would otherwise be out of view.
  if (isOn) block.scrollIntoView({ block: 'nearest' });
  return isOn;
}

function codeHeader(language: string, file: NamedFile | undefined): VNode {
  const isShell = shells.has(language.toLowerCase()) && file === undefined;
  return elementVNode('div', { class: 'code-header' }, [
    iconButton('chevron-down', l10n.t('Show Code'), {
      'data-look': 'fold',
      'aria-expanded': 'true',
    }),
    file === undefined
      ? elementVNode(
          'span',
          { class: 'code-language' },
          language === '' ? [] : [textVNode(language)],
        )
      : fileButton(file),
    button('copy', l10n.t('Copy Code')),
    isShell ? button('run', l10n.t('Run in Terminal')) : button('apply', l10n.t('Apply to File')),
    iconButton('ellipsis', l10n.t('More Code Actions…'), {
      'data-menu': '',
      'aria-haspopup': 'menu',
      'aria-expanded': 'false',
    }),
  ]);
}

/** A narrow panel truncates the folder, not the file name. */
function fileButton({ path, line }: NamedFile): VNode {
  const name = path.lastIndexOf('/') + 1;
  const location = line === undefined ? path : `${path}:${line}`;
  const attributes = {
    type: 'button',
    class: 'code-file',
    'data-action': 'open',
    'data-path': path,
    title: l10n.t('Open {0}', location),
    'aria-label': l10n.t('Open {0}', location),
  };
  return elementVNode(
    'button',
    line === undefined ? attributes : { ...attributes, 'data-line': String(line) },
    [
      iconVNode(icons.open),
      ...(name === 0 ? [] : [piece('file-folder', path.slice(0, name))]),
      piece('file-base', location.slice(name)),
    ],
  );
}

function piece(name: string, text: string): VNode {
  return elementVNode('span', { class: name }, [textVNode(text)]);
}

function button(action: CodeAction, name: string): VNode {
  return iconButton(icons[action], name, { 'data-action': action });
}

function iconButton(icon: string, name: string, attributes: Attributes): VNode {
  return elementVNode(
    'button',
    { type: 'button', class: 'icon-button', ...attributes, title: name, 'aria-label': name },
    [iconVNode(icon)],
  );
}

/** Hidden from screen readers, which would read the icon's character. */
function iconVNode(icon: string): VNode {
  return elementVNode('span', { class: `codicon codicon-${icon}`, 'aria-hidden': 'true' });
}

/** Number of lines in a page of code. The browser skips the layout of invisible pages. */
const linesPerPage = 100;

/** Longer lines are data rather than code: they are split, and not highlighted. */
export const maxHighlightedLineLength = 4000;

/** The state of a code block before more code is added. */
export interface CodeStart {
  /** Number of pieces in the block. */
  readonly stableCount: number;
  /** True if these end within a long line. */
  readonly insideLine: boolean;
  readonly grammar: Grammar | undefined;
}

export interface CodePiece {
  readonly text: string;
  readonly isLong: boolean;
}

/**
 * Adds highlighted code. An incomplete last line is highlighted only if it is `final`, since the
 * kind of an unfinished word is unknown.
 */
export function addCode(code: VNode, text: string, start: CodeStart, final: boolean): BlockParts {
  const grammar = start.grammar?.copy();
  const starts: VNode[] = [];
  let page: VNode | undefined;
  let number = start.stableCount;
  for (const piece of splitCode(text, start.insideLine)) {
    const isFirst = number % linesPerPage === 0;
    if (page === undefined || isFirst) {
      // Only later pages can be skipped: most code fits on the first.
      const name = number < linesPerPage ? 'code-page' : 'code-page later';
      page = elementVNode('span', { class: name });
      code.children.push(page);
    }
    const isComplete = final || piece.text.endsWith('\n');
    const line = lineVNodes(piece.text, isComplete && !piece.isLong ? grammar : undefined);
    page.children.push(...line);
    starts.push(isFirst ? page : (line[0] ?? page));
    number += 1;
  }
  const isFull = number % linesPerPage === 0;
  return { holder: page === undefined || isFull ? code : page, starts, grammar };
}

export function splitCode(text: string, insideLine: boolean): CodePiece[] {
  const lines = text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  return lines.flatMap((line, index): CodePiece | CodePiece[] => {
    const isLong = line.length > maxHighlightedLineLength || (index === 0 && insideLine);
    if (!isLong) return { text: line, isLong };
    const count = Math.ceil(line.length / maxHighlightedLineLength);
    return Array.from({ length: count }, (_, part) => ({
      text: line.slice(part * maxHighlightedLineLength, (part + 1) * maxHighlightedLineLength),
      isLong,
    }));
  });
}

function lineVNodes(line: string, grammar: Grammar | undefined): VNode[] {
  const end = line.endsWith('\n') ? '\n' : '';
  const tokens = grammar?.read(end === '' ? line : line.slice(0, -1));
  if (tokens === undefined) return [textVNode(line)];
  const vnodes = tokens.map(({ text, kind }) => {
    const content = textVNode(text);
    return kind === undefined
      ? content
      : elementVNode('span', { class: `token-${kind}` }, [content]);
  });
  const last = tokens.at(-1);
  if (last === undefined || last.kind !== undefined) return [...vnodes, textVNode(end)];
  return [...vnodes.slice(0, -1), textVNode(last.text + end)];
}
