import * as vscode from 'vscode';
import { Grants } from '../../core/approval/grants.ts';
import { WorkspaceGate } from '../../core/approval/workspaceGate.ts';
import { systemClock } from '../../core/support/clock.ts';
import { ToolError } from '../../core/support/toolError.ts';
import { UserError } from '../platform/errors.ts';
import { fileChangedError } from '../platform/editorActions.ts';
import { cellOf, isThereAt, labelFor, type Machine } from '../platform/location.ts';
import { notebookText } from '../platform/notebooks.ts';
import type { DiffViewer, TextViewer } from '../platform/readOnlyDocuments.ts';
import { ApprovalDialog, VscodeApprovalWindow } from './approvalDialog.ts';
import { runsAs, situationOf, type StorageFolders } from './windowGate.ts';

interface PersonGateOptions {
  readonly context: StorageFolders;
  readonly machine: Machine | undefined;
  readonly diff: DiffViewer;
  readonly documents: TextViewer;
  readonly onError: (error: unknown) => void;
}

/** A change of one document, or a new file, that the person decided on with a click. */
export interface PersonEdit {
  readonly uri: vscode.Uri;
  readonly before: string;
  readonly after: string;
  /** True if the text is still `before`. */
  readonly isCurrent: () => boolean;
}

/**
 * The gate for edits that the person decided on with a click, such as **Accept** or **Insert at
 * Cursor**. The click counts like a tool's approval in the panel: it allows edits of files that are
 * not protected. The rest of the policy applies, dialogs included (threats: T24).
 */
export class PersonGate {
  readonly #options: PersonGateOptions;
  readonly #dialog: ApprovalDialog;

  constructor(options: PersonGateOptions) {
    const { diff, documents, machine } = options;
    this.#options = options;
    this.#dialog = new ApprovalDialog(new VscodeApprovalWindow(diff, documents), runsAs(machine));
  }

  /**
   * Runs the effect if the edit is allowed. Resolves with true if it ran.
   *
   * @throws {UserError} if the edit can't be allowed, or the text has changed meanwhile
   */
  async pass(edit: PersonEdit, effect: () => Promise<void>): Promise<boolean> {
    const label = labelFor(edit.uri);
    // The edit of a cell is one of its notebook, since the policy is about files.
    const cell = cellOf(edit.uri);
    const [before, after] = [edit.before, edit.after].map((source) =>
      cell === undefined ? source : notebookText(cell.notebook, { index: cell.index, source }),
    );
    const path = pathOf(cell?.notebook.uri ?? edit.uri);
    if (path === undefined) {
      await effect();
      return true;
    }
    const { context, machine, onError } = this.#options;
    const situation = situationOf(context, machine);
    const outcome = { isRefused: false };
    const gate = new WorkspaceGate({
      view: machine?.view,
      exists: isThereAt,
      editor: undefined,
      // A person may edit without trust, unlike a model: the commands check trust themselves.
      situation: () => ({ ...situation(), trusted: true }),
      grants: new Grants({ read: () => [], write: () => Promise.resolve() }, systemClock, ''),
      approver: {
        panel: () => Promise.resolve('once'),
        dialog: async (request, signal) => {
          const response = await this.#dialog.ask(request, signal);
          outcome.isRefused = response.type !== 'once';
          return response;
        },
        describe: () => '',
      },
      onError,
    });
    const planned = {
      kind: before === '' ? 'create' : 'edit',
      path,
      before: before ?? '',
      after: after ?? '',
      isCurrent: () => Promise.resolve(edit.isCurrent()),
    } as const;
    const { signal } = new AbortController();
    const toolContext = {
      turn: '',
      call: '',
      signal,
      print: () => undefined,
      requestApproval: <T>(_request: unknown, answer: (signal: AbortSignal) => Promise<T>) =>
        answer(signal),
      runsUnder: () => undefined,
    };
    try {
      await gate.edit([planned], toolContext, effect);
      return true;
    } catch (error) {
      if (!(error instanceof ToolError)) throw error;
      if (outcome.isRefused) return false;
      if (error.outcome !== 'denied') throw fileChangedError(label);
      throw new UserError(vscode.l10n.t("Aside isn't allowed to change {0}.", label));
    }
  }
}

/** Path of a file, or of an unsaved new one; undefined if there is none. */
function pathOf(uri: vscode.Uri): string | undefined {
  const { scheme, authority, path } = uri;
  if (scheme === 'untitled') {
    return path.startsWith('/') ? vscode.Uri.file(path).fsPath : undefined;
  }
  if (scheme === 'file') return uri.fsPath;
  // With slashes, so that it can't be mistaken for a file name.
  return `${scheme}://${authority}${path.split('/').map(encodeURIComponent).join('/')}`;
}
