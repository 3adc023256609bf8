import * as vscode from 'vscode';
import { disposeAll, type Disposable } from '../../core/support/event.ts';
import { newId } from '../../core/support/id.ts';
import { reviewScheme } from '../contributions.ts';

/**
 * The name of a document with the text of a file, which only has to be shown: its language is one of
 * Aside's own, which colors like that of the file and wakes no language server. Nothing else of the
 * path is in it, since extensions also go by names such as `Dockerfile` (threats: T25).
 */
export function reviewName(path: string): string {
  const extension = /\.(\w{1,12})$/.exec(path)?.[1] ?? 'txt';
  return `text.${extension.toLowerCase()}.aside-review`;
}

/** The name that gives a document without a file the colors of its language. */
export function nameByLanguage(name: string, language: string): string {
  return `${name}.${extensions[language] ?? language}`;
}

/** Those that aren't called like their language. */
const extensions: Readonly<Record<string, string>> = {
  clojure: 'clj',
  csharp: 'cs',
  fsharp: 'fs',
  javascript: 'js',
  javascriptreact: 'jsx',
  julia: 'jl',
  markdown: 'md',
  perl: 'pl',
  powershell: 'ps1',
  python: 'py',
  ruby: 'rb',
  rust: 'rs',
  shellscript: 'sh',
  typescript: 'ts',
  typescriptreact: 'tsx',
};

/** Read-only documents whose text is computed when VS Code asks for it, and may change. */
export class ReviewDocuments implements Disposable {
  readonly #texts = new Map<string, () => string>();
  readonly #changed = new vscode.EventEmitter<vscode.Uri>();
  readonly #disposables: readonly Disposable[];

  constructor() {
    const provider = vscode.workspace.registerTextDocumentContentProvider(reviewScheme, {
      onDidChange: this.#changed.event,
      provideTextDocumentContent: (uri) =>
        this.#texts.get(uri.toString())?.() ?? vscode.l10n.t('This change is no longer available.'),
    });
    this.#disposables = [provider, this.#changed];
  }

  /** @param path that of the file, by which the language is chosen */
  add(path: string, text: () => string): vscode.Uri {
    // After a reload, a tab from before it must not show another text.
    const uri = vscode.Uri.from({ scheme: reviewScheme, path: `/${newId()}/${reviewName(path)}` });
    this.#texts.set(uri.toString(), text);
    return uri;
  }

  /** Asks VS Code to show the text as it is now. */
  update(uri: vscode.Uri): void {
    this.#changed.fire(uri);
  }

  remove(uri: vscode.Uri): void {
    this.#texts.delete(uri.toString());
  }

  dispose(): void {
    disposeAll(this.#disposables);
  }
}

/** The tabs that show such a document in a diff, or any of them. */
export function reviewTabs(uri?: vscode.Uri): readonly vscode.Tab[] {
  return diffTabs(
    (shown) =>
      shown.scheme === reviewScheme && (uri === undefined || shown.toString() === uri.toString()),
  );
}

/** The tabs of diffs, by what is on their right side. */
export function diffTabs(isMeant: (modified: vscode.Uri) => boolean): readonly vscode.Tab[] {
  return vscode.window.tabGroups.all
    .flatMap(({ tabs }) => tabs)
    .filter(({ input }) => input instanceof vscode.TabInputTextDiff && isMeant(input.modified));
}

/** The proposed text that a tab shows in a diff. */
export function reviewOfTab(tab: vscode.Tab | undefined): vscode.Uri | undefined {
  const input = tab?.input;
  if (!(input instanceof vscode.TabInputTextDiff)) return undefined;
  return input.modified.scheme === reviewScheme ? input.modified : undefined;
}
