import * as l10n from '@vscode/l10n';
import { addCode } from './codeLines.ts';
import { grammarFor } from './highlight/languages.ts';
import { patchNodes } from './patchNodes.ts';
import { build, sketchElement, sketchText, type Sketch } from './sketch.ts';

const actions = ['copy', 'insert', 'new-file'] as const;

/** What can be done with a code block. */
export type CodeAction = (typeof actions)[number];

/** What stands around lines of code, and where they go. */
interface CodeFrame {
  readonly block: Sketch;
  readonly code: Sketch;
}

/** A whole block of code under a header with its language and its buttons. */
export function createCodeBlock(document: Document, language: string, text: string): ChildNode {
  const { block, code } = frameCode(language);
  addCode(code, text, { settled: 0, insideLine: false, grammar: grammarFor(language) }, true);
  return build(block, document);
}

/** Colours code that was drawn before the grammar of its language was there. */
export function recolourCode(block: Element): void {
  const code = block.querySelector('code');
  const text = code?.textContent ?? '';
  const language = block.getAttribute('data-language') ?? '';
  const sketch = sketchElement('code');
  addCode(sketch, text, { settled: 0, insideLine: false, grammar: grammarFor(language) }, true);
  if (code !== null) patchNodes(block.ownerDocument, code, sketch.children);
}

/** A block whose lines are still to come. */
export function frameCode(language: string): CodeFrame {
  const frame = frameMoreCode(language);
  frame.block.children.unshift(header(language));
  return frame;
}

/** The same for a block whose header is in the page already. */
export function frameMoreCode(language: string): CodeFrame {
  const code = sketchElement('code');
  const frame = sketchElement('pre', undefined, [code]);
  const attributes = { class: 'code-block', 'data-language': language };
  return { block: sketchElement('div', attributes, [frame]), code };
}

/** Sets off an action; once it resolves, the button confirms with a check mark. */
export type RunCode = (action: CodeAction, text: string, language: string) => Promise<void>;

/** Makes the buttons of all code blocks in `container` work, also of those that come later. */
export function connectCodeButtons(container: HTMLElement, run: RunCode): void {
  container.addEventListener('click', (event) => {
    const button = event.target instanceof Element ? event.target.closest('button') : null;
    const block = button?.closest<HTMLElement>('.code-block');
    const action = actions.find((known) => known === button?.dataset['action']);
    if (!button || !block || action === undefined) return;
    const text = block.querySelector('code')?.textContent ?? '';
    void run(action, text, block.dataset['language'] ?? '').then(
      () => confirm(button),
      () => undefined,
    );
  });
}

/** A check mark in place of the icon for a moment. */
function confirm(button: HTMLElement): void {
  button.classList.add('done');
  setTimeout(() => button.classList.remove('done'), 1500);
}

function header(language: string): Sketch {
  return sketchElement('div', { class: 'code-header' }, [
    sketchElement('span', { class: 'code-language' }, [sketchText(language)]),
    button('copy', l10n.t('Copy Code')),
    button('insert', l10n.t('Insert at Cursor')),
    button('new-file', l10n.t('New File')),
  ]);
}

function button(action: CodeAction, name: string): Sketch {
  return sketchElement('button', {
    type: 'button',
    class: `icon-button codicon codicon-${action}`,
    'data-action': action,
    title: name,
    'aria-label': name,
  });
}
