import * as vscode from 'vscode';
import type { Disposable } from '../../core/support/event.ts';
import { revealInvisible } from '../../core/support/text.ts';
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

/** The path of such a document. VS Code shows it above the text, so its folders name the file. */
export function reviewPath(path: string): string {
  return `${revealInvisible(path).text.replace(/^[\\/]+/, '')}/${reviewName(path)}`;
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

interface StoredFile {
  readonly bytes: Uint8Array;
  readonly isReadOnly: boolean;
}

interface ReviewFile {
  readonly text: () => string;
  readonly isReadOnly: (text: string) => boolean;
  /** The content that VS Code has read or saved; undefined if it should read the text again. */
  stored?: StoredFile | undefined;
  version: number;
}

/** Files in memory whose text is computed when VS Code reads it. Saving one only stores its text here. */
export class ReviewDocuments implements vscode.FileSystemProvider, Disposable {
  readonly #files = new Map<string, ReviewFile>();
  readonly #changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  /** Registered with the first document: a window without a review needs none. */
  #provider: vscode.Disposable | undefined;

  readonly onDidChangeFile = this.#changed.event;
  readonly createDirectory = refuse;
  readonly delete = refuse;
  readonly rename = refuse;

  /** @param path the path of the file, by which the language is chosen */
  add(
    path: string,
    text: () => string,
    isReadOnly: ReviewFile['isReadOnly'] = () => true,
  ): vscode.Uri {
    this.#provider ??= vscode.workspace.registerFileSystemProvider(reviewScheme, this);
    // After a reload, a tab from before it must not show another text.
    const authority = newId();
    const uri = vscode.Uri.from({ scheme: reviewScheme, authority, path: `/${reviewPath(path)}` });
    this.#files.set(uri.toString(), { text, isReadOnly, version: 1 });
    return uri;
  }

  /**
   * Makes VS Code read the file again, unless the document has unsaved changes.
   * @param text the text to read, which can be edited; computed if absent
   */
  update(uri: vscode.Uri, text?: string): void {
    const file = this.#files.get(uri.toString());
    if (file === undefined) return;
    const bytes = new TextEncoder().encode(text);
    file.stored = text === undefined ? undefined : { bytes, isReadOnly: false };
    file.version++;
    this.#changed.fire([{ type: vscode.FileChangeType.Changed, uri }]);
  }

  remove(uri: vscode.Uri): void {
    this.#files.delete(uri.toString());
  }

  stat(uri: vscode.Uri): vscode.FileStat {
    const { bytes, isReadOnly } = this.#stored(uri);
    const mtime = this.#files.get(uri.toString())?.version ?? 0;
    const stat = { type: vscode.FileType.File, ctime: 0, mtime, size: bytes.length };
    return isReadOnly ? { ...stat, permissions: vscode.FilePermission.Readonly } : stat;
  }

  readFile(uri: vscode.Uri): Uint8Array {
    return this.#stored(uri).bytes;
  }

  /** Also saves a file of an earlier extension host, so that its editor closes without a dialog. */
  writeFile(uri: vscode.Uri, bytes: Uint8Array): void {
    const file = this.#files.get(uri.toString()) ?? unknownFile;
    const stored = { bytes, isReadOnly: false };
    this.#files.set(uri.toString(), { ...file, stored, version: file.version + 1 });
  }

  watch(): Disposable {
    return { dispose: () => undefined };
  }

  readDirectory(): [] {
    return [];
  }

  dispose(): void {
    this.#provider?.dispose();
    this.#changed.dispose();
  }

  #stored(uri: vscode.Uri): StoredFile {
    const file = this.#files.get(uri.toString());
    if (file === undefined) throw vscode.FileSystemError.FileNotFound(uri);
    if (file.stored !== undefined) return file.stored;
    const text = file.text();
    file.stored = { bytes: new TextEncoder().encode(text), isReadOnly: file.isReadOnly(text) };
    return file.stored;
  }
}

const unknownFile: ReviewFile = { text: () => '', isReadOnly: () => true, version: 0 };

function refuse(uri: vscode.Uri): void {
  throw vscode.FileSystemError.NoPermissions(uri);
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
