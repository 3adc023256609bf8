import * as vscode from 'vscode';
import type { DialogRequest, DialogResponse } from '../../core/approval/gate.ts';
import { Grants } from '../../core/approval/grants.ts';
import { WorkspaceGate } from '../../core/approval/workspaceGate.ts';
import type { Clock } from '../../core/support/clock.ts';
import { ToolError } from '../../core/support/toolError.ts';
import type { ToolContext } from '../../core/tools/tool.ts';
import { UserError } from '../errors.ts';
import { fileChangedError } from '../workspace/documentEdits.ts';
import { isThereAt, labelFor, type Machine } from '../workspace/location.ts';
import { cellOf } from '../workspace/notebookCells.ts';
import { notebookText } from '../workspace/notebooks.ts';
import type { DiffViewer, TextViewer } from '../workspace/readOnlyDocuments.ts';
import { ApprovalDialog, askWithDiff, VscodeApprovalWindow } from './approvalDialog.ts';
import { situationOf, type SituationOptions } from './situation.ts';
import { runsAs } from './windowGate.ts';

interface PersonGateOptions {
  readonly context: SituationOptions['context'];
  readonly machine: Machine | undefined;
  readonly clock: Clock;
  readonly diff: DiffViewer;
  readonly documents: TextViewer;
  readonly onError: (error: unknown) => void;
}

/** An edit that the person made with a click. */
interface PersonEdit {
  readonly uri: vscode.Uri;
  readonly before: string;
  readonly after: string;
  readonly isCurrent: () => boolean;
}

type AskInDialog = (request: DialogRequest, signal: AbortSignal) => Promise<DialogResponse>;

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
    const dialogs = new VscodeApprovalWindow(diff, documents);
    this.#options = options;
    this.#dialog = new ApprovalDialog({ dialogs, runsAs: runsAs(machine) });
  }

  /**
   * Runs the effect if the edit is allowed. Resolves with true if it ran.
   *
   * @throws {UserError} if the edit can't be allowed, or the text has changed meanwhile
   */
  async pass(edit: PersonEdit, effect: () => Promise<void>): Promise<boolean> {
    const label = labelFor(edit.uri);
    const { uri, before, after, isCurrent } = editOfFile(edit);
    const outcome = { isRefused: false };
    const ask: AskInDialog = async (request, signal) => {
      const response = await askWithDiff(this.#dialog, this.#options.diff, request, signal);
      outcome.isRefused = response.type !== 'once';
      return response;
    };
    try {
      const path = pathOf(uri);
      if (path === undefined) {
        await effect();
        return true;
      }
      const planned = {
        kind: before === '' ? ('create' as const) : ('edit' as const),
        path,
        before,
        after,
        isCurrent: () => Promise.resolve(isCurrent()),
      };
      await this.#gate(ask).edit([planned], personContext(), effect);
      return true;
    } catch (error) {
      if (!(error instanceof ToolError)) throw error;
      if (outcome.isRefused) return false;
      throw refusal(label, error);
    }
  }

  #gate(dialog: AskInDialog): WorkspaceGate {
    const { context, machine, clock, onError } = this.#options;
    const situation = situationOf({ context, machine, askAll: () => false, tainted: () => false });
    const store = { read: () => [], write: () => Promise.resolve() };
    return new WorkspaceGate({
      view: machine?.view,
      exists: isThereAt,
      editor: undefined,
      // A person may edit without trust, unlike a model: the commands check trust themselves.
      situation: () => ({ ...situation(), trusted: true }),
      grants: new Grants({ store, clock, major: '' }),
      approver: { panel: () => Promise.resolve('once'), dialog, describe: () => '' },
      onError,
    });
  }
}

/** Converts the edit of a cell to one of its notebook, since the policy is about files. */
function editOfFile(edit: PersonEdit): PersonEdit {
  const cell = cellOf(edit.uri);
  if (cell === undefined) return edit;
  const { notebook, index } = cell;
  const [before, after] = [edit.before, edit.after].map((source) =>
    notebookText(notebook, { index, source }),
  );
  return { ...edit, uri: notebook.uri, before: before ?? '', after: after ?? '' };
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

function personContext(): ToolContext {
  const { signal } = new AbortController();
  return {
    turn: '',
    call: '',
    signal,
    print: () => undefined,
    requestApproval: (_request, answer) => answer(signal),
    runsUnder: () => undefined,
  };
}

function refusal(label: string, { outcome }: ToolError): UserError {
  if (outcome !== 'denied') return fileChangedError(label);
  return new UserError(vscode.l10n.t("Aside isn't allowed to change {0}.", label));
}
