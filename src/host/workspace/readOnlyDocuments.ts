import * as vscode from 'vscode';
import { disposeAll, type Disposable } from '../../core/support/event.ts';
import { revealInvisible } from '../../core/support/text.ts';

const textScheme = 'aside-text';

/** Shows texts in read-only documents that nothing takes for files; hidden characters as escapes. */
export class ReadOnlyDocuments implements Disposable {
  readonly #scheme: string;
  readonly #texts = new Map<string, string>();
  readonly #disposables: readonly Disposable[];
  #count = 0;

  /** @param scheme a test takes its own, since one scheme has one provider */
  constructor(scheme = textScheme) {
    this.#scheme = scheme;
    this.#disposables = [
      vscode.workspace.registerTextDocumentContentProvider(scheme, {
        provideTextDocumentContent: (uri) => this.#texts.get(uri.toString()) ?? '',
      }),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => this.#texts.delete(uri.toString())),
    ];
  }

  async show(title: string, text: string, language: string): Promise<vscode.TextDocument> {
    const path = `/${++this.#count}/${revealInvisible(title).text.replaceAll('/', '-')}`;
    const uri = vscode.Uri.from({ scheme: this.#scheme, path });
    this.#texts.set(uri.toString(), revealInvisible(text).text);
    const document = await vscode.workspace.openTextDocument(uri);
    const shown = await vscode.languages.setTextDocumentLanguage(document, language);
    await vscode.window.showTextDocument(shown, { preview: true });
    return shown;
  }

  dispose(): void {
    this.#texts.clear();
    disposeAll(this.#disposables);
  }
}
