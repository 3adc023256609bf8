import * as vscode from 'vscode';
import { unlistedBelow } from '../../core/approval/leftOut.ts';
import { hasSecretName, mayBeKey } from '../../core/approval/secrets.ts';
import { maskSecrets } from '../../core/support/secretTokens.ts';
import { UserError } from '../errors.ts';
import type { LastTerminalOutput } from '../terminal/lastTerminalOutput.ts';
import { changesBelow, type ChangesGate } from '../tools/getChanges.ts';
import { knownProblems } from '../tools/getDiagnostics.ts';
import { toLocation } from '../workspace/location.ts';
import { activeCode } from '../workspace/selection.ts';
import type { AttachmentApproval } from './attachmentApproval.ts';
import type { AttachmentResolver } from './attachmentResolver.ts';

/** The maximum number of open files that are attached together. */
const maxEditors = 20;

/** Attaches the context of the editor: the selection, problems, changes, terminal and open files. */
export class EditorContext {
  readonly #resolver: Pick<AttachmentResolver, 'attach' | 'attachText'>;
  readonly #terminal: Pick<LastTerminalOutput, 'last'>;
  readonly #approval: Pick<AttachmentApproval, 'denied' | 'maySend'>;

  constructor(
    resolver: Pick<AttachmentResolver, 'attach' | 'attachText'>,
    terminal: Pick<LastTerminalOutput, 'last'>,
    approval: Pick<AttachmentApproval, 'denied' | 'maySend'>,
  ) {
    this.#resolver = resolver;
    this.#terminal = terminal;
    this.#approval = approval;
  }

  /**
   * The selected lines, else the whole file or cell.
   * @param given the cell whose menu it is, if any
   */
  async attachSelection(given?: unknown): Promise<void> {
    const place = activeCode(given);
    if (place === undefined) {
      throw new UserError(vscode.l10n.t('Open a file and select some code first.'));
    }
    const { document, selection } = place;
    await this.#resolver.attach(document.uri, selection.isEmpty ? undefined : selection);
  }

  /**
   * `aside.addToChat`: attaches the files that a menu gives, or else the selection.
   * @param clicked the file that was clicked
   * @param chosen all selected files of a list, if the menu is that of a list
   */
  async attachFromCommand(clicked: unknown, chosen: unknown): Promise<void> {
    const files = [chosen, clicked].flat().filter((file) => file instanceof vscode.Uri);
    const distinct = new Map(files.map((uri) => [uri.toString(), uri]));
    const active = vscode.window.activeTextEditor?.document.uri.toString() ?? '';
    const isActiveAlone = distinct.size === 1 && distinct.has(active);
    if (distinct.size === 0 || isActiveAlone) return this.attachSelection(clicked);
    for (const uri of distinct.values()) await this.#resolver.attach(uri);
  }

  async attachProblems(): Promise<void> {
    const text = maskSecrets(await knownProblems({ mayShow })).text;
    this.#resolver.attachText('problems', vscode.l10n.t('Problems'), text);
  }

  /** Git runs programs that a repository configures, so the workspace must be trusted. */
  async attachChanges(): Promise<void> {
    if (!vscode.workspace.isTrusted) {
      throw new UserError(vscode.l10n.t('Trust this workspace to attach its changes.'));
    }
    const folders = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => toLocation(uri));
    const places = folders.map((location) => ({ location, named: location }));
    const denied = await this.#approval.denied();
    const gate: ChangesGate = {
      mayShow,
      leftOut: (root) => unlistedBelow(root, denied),
      maySend: (uri, diff) => this.#approval.maySend(uri, diff),
    };
    const texts = await changesBelow(places, gate, new AbortController().signal);
    if (texts.length === 0) {
      throw new UserError(vscode.l10n.t("There's no Git repository in this workspace."));
    }
    this.#resolver.attachText('changes', vscode.l10n.t('Changes'), texts.join('\n\n'));
  }

  async attachTerminal(): Promise<void> {
    const text = await this.#terminal.last();
    if (text === undefined) {
      throw new UserError(
        vscode.l10n.t('No terminal output found. Run a command in a terminal first.'),
      );
    }
    this.#resolver.attachText('terminal', vscode.l10n.t('Terminal'), maskSecrets(text).text);
  }

  /** Attaches each file by itself, so that the person sees its cost and can remove it. */
  async attachOpenEditors(): Promise<void> {
    const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
    const files = tabs.flatMap(({ input }) =>
      input instanceof vscode.TabInputText || input instanceof vscode.TabInputNotebook
        ? [input.uri]
        : [],
    );
    const distinct = [...new Map(files.map((uri) => [uri.toString(), uri])).values()];
    if (distinct.length === 0) throw new UserError(vscode.l10n.t('No file is open.'));
    const refused: unknown[] = [];
    for (const uri of distinct.slice(0, maxEditors)) {
      await this.#resolver.attach(uri).catch((error: unknown) => refused.push(error));
    }
    if (refused.length > 0) throw refused[0];
  }
}

function mayShow(label: string): boolean {
  return !hasSecretName(label) && !mayBeKey(label);
}
