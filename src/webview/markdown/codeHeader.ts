import * as l10n from '@vscode/l10n';
import type { NamedFile } from './filePath.ts';
import { sketchElement, sketchText, type Sketch } from './sketch.ts';

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
export function codeHeader(language: string, file: NamedFile | undefined): Sketch {
  const isShell = shells.has(language.toLowerCase()) && file === undefined;
  return sketchElement('div', { class: 'code-header' }, [
    file === undefined
      ? sketchElement(
          'span',
          { class: 'code-language' },
          language === '' ? [] : [sketchText(language)],
        )
      : fileButton(file),
    button('copy', l10n.t('Copy Code')),
    button('insert', l10n.t('Insert at Cursor')),
    isShell ? button('run', l10n.t('Run in Terminal')) : button('apply', l10n.t('Apply to File')),
    button('new-file', l10n.t('New File')),
  ]);
}

/** The action of a button; undefined for what is no button of a header. */
export function actionOf(button: HTMLElement): CodeAction | undefined {
  const action = button.dataset['action'];
  return actions.find((known) => known === action);
}

/** The file that the header of a block names. */
export function fileOf(block: Element): NamedFile | undefined {
  const { path, line } = block.querySelector<HTMLElement>('.code-file')?.dataset ?? {};
  if (path === undefined) return undefined;
  return line === undefined ? { path } : { path, line: Number(line) };
}

/** Where there is little room, the folder is what gets short. */
function fileButton({ path, line }: NamedFile): Sketch {
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
  return sketchElement(
    'button',
    line === undefined ? attributes : { ...attributes, 'data-line': String(line) },
    [
      sketchElement('span', { class: `codicon codicon-${icons.open}`, 'aria-hidden': 'true' }),
      ...(name === 0 ? [] : [piece('file-folder', path.slice(0, name))]),
      piece('file-base', place.slice(name)),
    ],
  );
}

function piece(name: string, text: string): Sketch {
  return sketchElement('span', { class: name }, [sketchText(text)]);
}

function button(action: CodeAction, name: string): Sketch {
  return sketchElement('button', {
    type: 'button',
    class: `icon-button codicon codicon-${icons[action]}`,
    'data-action': action,
    title: name,
    'aria-label': name,
  });
}
