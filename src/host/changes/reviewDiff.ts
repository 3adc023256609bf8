import * as vscode from 'vscode';
import { disposeAll, type Disposable } from '../../core/support/event.ts';
import { revealInvisible } from '../../core/support/text.ts';

/** The scheme of what is shown; a test takes its own, since one scheme has one provider. */
const reviewScheme = 'aside-change';

/** A file as it is and as it would be, or as it was and as it is. */
export interface ComparedFile {
  /** As the person knows it. */
  readonly path: string;
  readonly before: string;
  /** Its text, or the file itself. */
  readonly after: string | vscode.Uri;
}

/**
 * Shows changes in VS Code's own diff. What is not approved yet is shown as a read-only document
 * that nothing takes for the file, so that no schema is fetched and nothing formats it; characters
 * that hide are shown as escapes. Not by the stricter rule of dialogs: it would escape each tab,
 * family of emoji and Persian word, and VS Code itself marks letters that look like others.
 */
export class ReviewDiff implements Disposable, vscode.TextDocumentContentProvider {
  readonly #scheme: string;
  readonly #texts = new Map<string, string>();
  readonly #disposables: readonly Disposable[];
  #count = 0;

  constructor(scheme = reviewScheme) {
    this.#scheme = scheme;
    this.#disposables = [
      vscode.workspace.registerTextDocumentContentProvider(scheme, this),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => this.#texts.delete(uri.toString())),
    ];
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.#texts.get(uri.toString()) ?? '';
  }

  /**
   * Opens a diff of one file, or one of several.
   * @param title what several are called together
   */
  async show(files: readonly ComparedFile[], title: string): Promise<void> {
    const sides = files.map((file) => this.#sidesOf(file));
    const [only] = sides;
    if (only === undefined) return;
    if (sides.length > 1) {
      const resources = sides.map(({ name, before, after }) => [name, before, after]);
      await vscode.commands.executeCommand('vscode.changes', title, resources);
      return;
    }
    const options: vscode.TextDocumentShowOptions = { preview: true };
    const { before, after, path } = only;
    await vscode.commands.executeCommand(
      'vscode.diff',
      before,
      after,
      `${path}: ${title}`,
      options,
    );
  }

  dispose(): void {
    this.#texts.clear();
    disposeAll(this.#disposables);
  }

  #sidesOf({ path, before, after }: ComparedFile): {
    readonly path: string;
    readonly name: vscode.Uri;
    readonly before: vscode.Uri;
    readonly after: vscode.Uri;
  } {
    const number = ++this.#count;
    const shown = revealInvisible(path).text;
    const beforeUri = this.#add(reviewPath(number, 'before', shown), before);
    const afterUri =
      typeof after === 'string' ? this.#add(reviewPath(number, 'after', shown), after) : after;
    return { path: shown, name: afterUri, before: beforeUri, after: afterUri };
  }

  #add(path: string, text: string): vscode.Uri {
    const uri = vscode.Uri.from({ scheme: this.#scheme, path });
    this.#texts.set(uri.toString(), revealInvisible(text).text);
    return uri;
  }
}

/**
 * Kinds of files whose language does nothing but colour them. Those of others look for schemas, or
 * for what a file imports, as soon as it is open, wherever it comes from (threats: T25).
 */
const harmless =
  /\.(?:[cm]?[jt]sx?|py|go|rs|java|kt|swift|[ch]|cc|cpp|hpp|cs|rb|php|lua|sh|sql|md|txt)$/i;

/** The path of a document that shows a text of a file and is not that file. */
export function reviewPath(number: number, side: 'before' | 'after', path: string): string {
  const name = path.replaceAll('\\', '/').replace(/^\/+/, '');
  return `/${number}/${side}/${name}${harmless.test(name) ? '' : '.txt'}`;
}
