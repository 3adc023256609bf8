import * as vscode from 'vscode';
import type { Clock } from '../../core/support/clock.ts';
import { disposeAll, Emitter, type Disposable } from '../../core/support/event.ts';
import { reviewScheme } from '../contributions.ts';
import { fileOf } from '../workspace/location.ts';

/** Milliseconds without a change until a selection is offered. */
const debounceMilliseconds = 200;

export interface SelectedLines {
  readonly uri: vscode.Uri;
  readonly range: vscode.Range;
}

/**
 * The selection of the active editor, so that one click can attach it. Follows the editor only while
 * it is watched, and never in an untrusted workspace.
 */
export class OfferedSelection implements Disposable {
  readonly #clock: Clock;
  readonly #changed = new Emitter<SelectedLines | undefined>();
  #listening: Disposable[] = [];
  #waiting: Disposable | undefined;
  #current: SelectedLines | undefined;

  readonly onDidChange = this.#changed.event;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get current(): SelectedLines | undefined {
    return this.#current;
  }

  watch(isWatched: boolean): void {
    if (isWatched === this.#listening.length > 0) return;
    disposeAll(this.#listening.splice(0));
    if (!isWatched) return;
    const update = (): void => {
      this.#waiting?.dispose();
      this.#waiting = this.#clock.after(debounceMilliseconds, () => this.#update());
    };
    this.#listening = [
      vscode.window.onDidChangeTextEditorSelection(update),
      vscode.window.onDidChangeActiveTextEditor(update),
      vscode.workspace.onDidGrantWorkspaceTrust(update),
    ];
    this.#update();
  }

  dispose(): void {
    this.watch(false);
    this.#waiting?.dispose();
    this.#changed.dispose();
  }

  #update(): void {
    this.#current = vscode.workspace.isTrusted ? selectedLines() : undefined;
    this.#changed.fire(this.#current);
  }
}

function selectedLines(): SelectedLines | undefined {
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined || editor.selection.isEmpty) return undefined;
  const { document, selection } = editor;
  const { scheme } = fileOf(document.uri);
  const isCode = scheme === 'untitled' || vscode.workspace.fs.isWritableFileSystem(scheme) === true;
  if (!isCode || scheme === reviewScheme) return undefined;
  return { uri: document.uri, range: new vscode.Range(selection.start, selection.end) };
}
