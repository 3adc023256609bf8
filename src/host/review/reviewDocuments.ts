import * as vscode from 'vscode';
import { disposeAll, type Disposable } from '../../core/support/event.ts';
import { newId } from '../../core/support/id.ts';
import { reviewScheme } from '../contributions.ts';

/**
 * The name of a document that only shows the text of a file. It selects one of Aside's own languages,
 * which colors like the file's and starts no language server. It contains nothing else of the path,
 * since extensions also act on names such as `Dockerfile` (threats: T25).
 */
export function reviewName(path: string): string {
  const extension = /\.(\w{1,12})$/.exec(path)?.[1] ?? 'txt';
  return `text.${extension.toLowerCase()}.aside-review`;
}

/** The name that gives a document without a file the colors of its language. */
export function nameByLanguage(name: string, language: string): string {
  return `${name}.${extensions[language] ?? language}`;
}

/** File extensions that differ from the id of their language. */
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

  /** @param path the path of the file, by which the language is chosen */
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

/** The tabs that show this document in a diff, or all tabs with such a document. */
export function reviewTabs(uri?: vscode.Uri): readonly vscode.Tab[] {
  return diffTabs(
    (modified) =>
      modified.scheme === reviewScheme &&
      (uri === undefined || modified.toString() === uri.toString()),
  );
}

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
