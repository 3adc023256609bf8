import { actionOf, codeHeader, fileOf, type CodeAction } from './codeHeader.ts';
import { addCode } from './codeLines.ts';
import type { NamedFile } from './filePath.ts';
import { grammarFor } from './highlight/languages.ts';
import { patchNodes } from './patchNodes.ts';
import { build, sketchElement, type Sketch } from './sketch.ts';

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
export function frameCode(language: string, file?: NamedFile): CodeFrame {
  const frame = frameMoreCode(language);
  frame.block.children.unshift(codeHeader(language, file));
  return frame;
}

/** The same for a block whose header is in the page already. */
export function frameMoreCode(language: string): CodeFrame {
  const code = sketchElement('code');
  const frame = sketchElement('pre', undefined, [code]);
  const attributes = { class: 'code-block', 'data-language': language };
  return { block: sketchElement('div', attributes, [frame]), code };
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
