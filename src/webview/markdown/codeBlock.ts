import * as l10n from '@vscode/l10n';
import { addCode } from './codeLines.ts';
import { grammarFor } from './highlight/languages.ts';
import type { NamedFile } from './namedFile.ts';
import { patchNodes } from './patchNodes.ts';
import { createNode, elementVNode, textVNode, type VNode } from './vnode.ts';

/** What stands around lines of code, and where they go. */
interface CodeFrame {
  readonly block: VNode;
  readonly code: VNode;
}

/** A whole block of code under a header with its language and its buttons. */
export function createCodeBlock(document: Document, language: string, text: string): ChildNode {
  const { block, code } = frameCode(language);
  addCode(code, text, { stableCount: 0, insideLine: false, grammar: grammarFor(language) }, true);
  return createNode(block, document);
}

/** Colours code that was drawn before the grammar of its language was there. */
export function recolourCode(block: Element): void {
  const code = block.querySelector('code');
  const text = code?.textContent ?? '';
  const language = block.getAttribute('data-language') ?? '';
  const vnode = elementVNode('code');
  addCode(vnode, text, { stableCount: 0, insideLine: false, grammar: grammarFor(language) }, true);
  if (code !== null) patchNodes(block.ownerDocument, code, vnode.children);
}

/** A block whose lines are still to come. */
export function frameCode(language: string, file?: NamedFile): CodeFrame {
  const frame = frameMoreCode(language);
  frame.block.children.unshift(codeHeader(language, file));
  return frame;
}

/** The same for a block whose header is in the page already. */
export function frameMoreCode(language: string): CodeFrame {
  const code = elementVNode('code');
  const frame = elementVNode('pre', undefined, [code]);
  const attributes = { class: 'code-block', 'data-language': language };
  return { block: elementVNode('div', attributes, [frame]), code };
}

/** The code of a block whose button was used, and the file that it is of where the reply says so. */
export interface ShownCode {
  readonly text: string;
  readonly language: string;
  readonly file: NamedFile | undefined;
}

/** Sets off an action; once it resolves, the button confirms with a check mark. */
export type RunCode = (action: CodeAction, code: ShownCode) => Promise<void>;

/** Makes the buttons of all code blocks in `container` work, also of those that come later. */
export function connectCodeButtons(container: HTMLElement, run: RunCode): void {
  container.addEventListener('click', (event) => {
    const button = event.target instanceof Element ? event.target.closest('button') : null;
    const block = button?.closest<HTMLElement>('.code-block');
    if (!button || !block) return;
    const action = actionOf(button);
    if (action === undefined) return;
    void run(action, codeOf(block)).then(
      () => confirm(button),
      () => undefined,
    );
  });
}

function codeOf(block: HTMLElement): ShownCode {
  const text = block.querySelector('code')?.textContent ?? '';
  return { text, language: block.dataset['language'] ?? '', file: fileOf(block) };
}

/** A check mark in place of the icon for a moment. */
function confirm(button: HTMLElement): void {
  button.classList.add('done');
  setTimeout(() => button.classList.remove('done'), 1500);
}

const actions = ['open', 'copy', 'insert', 'apply', 'run', 'new-file'] as const;

/** What can be done with a code block. */
export type CodeAction = (typeof actions)[number];

const icons: Readonly<Record<CodeAction, string>> = {
  open: 'file',
  copy: 'copy',
  insert: 'insert',
  apply: 'git-pull-request-go-to-changes',
  run: 'terminal',
  'new-file': 'new-file',
};

const shells = new Set(
  'bash bat batch cmd console fish powershell ps1 pwsh sh shell shell-session shellscript shellsession terminal zsh'.split(
    ' ',
  ),
);

/** The file or else the language of a block, and its buttons. */
function codeHeader(language: string, file: NamedFile | undefined): VNode {
  const isShell = shells.has(language.toLowerCase()) && file === undefined;
  return elementVNode('div', { class: 'code-header' }, [
    file === undefined
      ? elementVNode(
          'span',
          { class: 'code-language' },
          language === '' ? [] : [textVNode(language)],
        )
      : fileButton(file),
    button('copy', l10n.t('Copy Code')),
    button('insert', l10n.t('Insert at Cursor')),
    isShell ? button('run', l10n.t('Run in Terminal')) : button('apply', l10n.t('Apply to File')),
    button('new-file', l10n.t('New File')),
  ]);
}

/** The action of a button; undefined for what is no button of a header. */
function actionOf(button: HTMLElement): CodeAction | undefined {
  const action = button.dataset['action'];
  return actions.find((known) => known === action);
}

/** The file that the header of a block names. */
function fileOf(block: Element): NamedFile | undefined {
  const { path, line } = block.querySelector<HTMLElement>('.code-file')?.dataset ?? {};
  if (path === undefined) return undefined;
  return line === undefined ? { path } : { path, line: Number(line) };
}

/** Where there is little room, the folder is what gets short. */
function fileButton({ path, line }: NamedFile): VNode {
  const name = path.lastIndexOf('/') + 1;
  const place = line === undefined ? path : `${path}:${line}`;
  const attributes = {
    type: 'button',
    class: 'code-file',
    'data-action': 'open',
    'data-path': path,
    title: l10n.t('Open {0}', place),
    'aria-label': l10n.t('Open {0}', place),
  };
  return elementVNode(
    'button',
    line === undefined ? attributes : { ...attributes, 'data-line': String(line) },
    [
      elementVNode('span', { class: `codicon codicon-${icons.open}`, 'aria-hidden': 'true' }),
      ...(name === 0 ? [] : [piece('file-folder', path.slice(0, name))]),
      piece('file-base', place.slice(name)),
    ],
  );
}

function piece(name: string, text: string): VNode {
  return elementVNode('span', { class: name }, [textVNode(text)]);
}

function button(action: CodeAction, name: string): VNode {
  return elementVNode('button', {
    type: 'button',
    class: `icon-button codicon codicon-${icons[action]}`,
    'data-action': action,
    title: name,
    'aria-label': name,
  });
}
