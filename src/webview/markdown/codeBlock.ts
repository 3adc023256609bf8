import * as l10n from '@vscode/l10n';

const actions = ['copy', 'insert', 'new-file'] as const;

/** What can be done with a code block. */
export type CodeAction = (typeof actions)[number];

/** A block of code under a header with its language and its buttons. */
export function createCodeBlock(document: Document, language: string, text: string): HTMLElement {
  const block = document.createElement('div');
  block.className = 'code-block';
  block.dataset['language'] = language;
  const code = document.createElement('code');
  code.textContent = text;
  const frame = document.createElement('pre');
  frame.append(code);
  block.append(header(document, language), frame);
  return block;
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

function header(document: Document, language: string): HTMLElement {
  const row = document.createElement('div');
  row.className = 'code-header';
  const name = document.createElement('span');
  name.className = 'code-language';
  name.textContent = language;
  row.append(
    name,
    button(document, 'copy', 'copy', l10n.t('Copy Code')),
    button(document, 'insert', 'insert', l10n.t('Insert at Cursor')),
    button(document, 'new-file', 'new-file', l10n.t('New File')),
  );
  return row;
}

function button(document: Document, action: CodeAction, icon: string, name: string): HTMLElement {
  const element = document.createElement('button');
  element.type = 'button';
  element.className = 'icon-button';
  element.dataset['action'] = action;
  element.title = name;
  element.setAttribute('aria-label', name);
  const glyph = document.createElement('span');
  glyph.className = `codicon codicon-${icon}`;
  element.append(glyph);
  return element;
}
