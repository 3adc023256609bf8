import * as vscode from 'vscode';
import { disposeAll, type Disposable } from '../../core/support/event.ts';
import { revealInvisible } from '../../core/support/text.ts';

/**
 * The scheme of review documents. A test uses its own, since a scheme can have only one provider.
 */
const reviewScheme = 'aside-change';

/** A file to compare: current and proposed, or before and after its turn. */
export interface ComparedFile {
  /** The path as displayed. */
  readonly path: string;
  readonly before: string;
  /** The text, or the URI of the file itself. */
  readonly after: string | vscode.Uri;
}

/**
 * Shows changes in VS Code's diff editor. A proposed text is a read-only document that no extension
 * mistakes for the file, so that no schema is fetched and nothing is formatted. Invisible
 * characters are shown as escapes, but not by the stricter rule of dialogs, which would escape
 * every tab, family emoji and Persian word; VS Code itself highlights ambiguous characters.
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
   * Opens a diff of one file, or a multi-file diff.
   * @param title title of a multi-file diff
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
 * Extensions of languages that only highlight. Others fetch schemas or imports as soon as a
 * document of theirs is opened, whatever its origin (threats: T25).
 */
const harmless =
  /\.(?:[cm]?[jt]sx?|py|go|rs|java|kt|swift|[ch]|cc|cpp|hpp|cs|rb|php|lua|sh|sql|md|txt)$/i;

/** The path of a review document, which must not be mistaken for the file itself. */
export function reviewPath(number: number, side: 'before' | 'after', path: string): string {
  const name = path.replaceAll('\\', '/').replace(/^\/+/, '');
  return `/${number}/${side}/${name}${harmless.test(name) ? '' : '.txt'}`;
}
