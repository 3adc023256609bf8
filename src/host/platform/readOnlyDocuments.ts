import * as vscode from 'vscode';
import { disposeAll, type Disposable } from '../../core/support/event.ts';
import { revealInvisible } from '../../core/support/text.ts';

const mostKept = 20;

/** Shows a text in a read-only editor: see {@link ReadOnlyDocuments}. */
export interface TextViewer {
  show(title: string, text: string, language: string): Promise<vscode.TextDocument>;
}

/** A file to compare: current and proposed, or before and after its turn. */
export interface ComparedFile {
  readonly path: string;
  readonly before: string | vscode.Uri;
  readonly after: string | vscode.Uri;
}

/** Shows changes with nothing to decide, in one diff: see `ReviewDiff`. */
export interface DiffViewer {
  show(files: readonly ComparedFile[], title: string): Promise<void>;
  close(): Promise<void>;
}

const showPreview = 'markdown.showPreview';

/**
 * Texts that VS Code opens as read-only documents. They have a URI scheme of their own, so that no
 * extension takes them for files: nothing formats them or fetches a schema. Hidden characters are
 * shown as escapes. The stricter rule of dialogs isn't used: it would escape each tab, family emoji
 * and Persian word, and VS Code itself marks letters that look like others.
 */
export class ReadOnlyDocuments implements Disposable, TextViewer {
  readonly #scheme: string;
  readonly #texts = new Map<string, string>();
  /** Texts that outlive their documents, oldest first. */
  readonly #retained: string[] = [];
  readonly #disposables: readonly Disposable[];
  #count = 0;

  /** @param scheme the scheme of the URIs, which can have only one provider */
  constructor(scheme: string) {
    this.#scheme = scheme;
    this.#disposables = [
      vscode.workspace.registerTextDocumentContentProvider(scheme, {
        provideTextDocumentContent: (uri) => this.#texts.get(uri.toString()) ?? '',
      }),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => {
        const address = uri.toString();
        if (!this.#retained.includes(address)) this.#texts.delete(address);
      }),
    ];
  }

  /**
   * Provides a text until its document is closed.
   * @param path the path of the URI, which VS Code shows, and by which it chooses the language
   */
  add(path: string, text: string): vscode.Uri {
    const uri = vscode.Uri.from({
      scheme: this.#scheme,
      path: `/${revealInvisible(path).text}`,
      query: String(++this.#count),
    });
    this.#texts.set(uri.toString(), revealInvisible(text).text);
    return uri;
  }

  /** Provides a text for a view that reads it again later, when VS Code has closed its document. */
  keep(path: string, text: string): vscode.Uri {
    const uri = this.add(path, text);
    this.#retained.push(uri.toString());
    if (this.#retained.length > mostKept) this.#texts.delete(this.#retained.shift() ?? '');
    return uri;
  }

  async show(title: string, text: string, language: string): Promise<vscode.TextDocument> {
    const uri = this.add(title.replaceAll('/', '-'), text);
    const document = await vscode.workspace.openTextDocument(uri);
    const inLanguage =
      document.languageId === language
        ? document
        : await vscode.languages.setTextDocumentLanguage(document, language);
    await vscode.window.showTextDocument(inLanguage, { preview: true });
    return inLanguage;
  }

  /** Opens Markdown in the preview; as text if VS Code's Markdown extension is turned off. */
  async showMarkdown(title: string, text: string): Promise<void> {
    const uri = this.keep(`${title.replaceAll('/', '-')}.md`, text);
    try {
      await vscode.commands.executeCommand(showPreview, uri);
    } catch {
      // The command doesn't exist. A list wouldn't tell: it lacks those of inactive extensions.
      await this.show(title, text, 'markdown');
    }
  }

  dispose(): void {
    this.#texts.clear();
    disposeAll(this.#disposables);
  }
}
