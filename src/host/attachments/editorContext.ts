import * as vscode from 'vscode';
import { unlistedBelow, mayHoldSecrets } from '../../core/approval/secrets.ts';
import { counted } from '../../core/support/counted.ts';
import { maskSecrets } from '../../core/support/secretTokens.ts';
import { visibleName } from '../../core/support/text.ts';
import { UserError } from '../platform/errors.ts';
import { changesBelow, type ChangesGate } from '../tools/getChanges.ts';
import { knownProblems } from '../tools/getDiagnostics.ts';
import { statOf } from '../platform/files.ts';
import { requireGit, type ReadRepository } from '../platform/git.ts';
import { labelFor, toLocation } from '../platform/location.ts';
import { activeCode } from '../platform/selection.ts';
import type { AttachmentApproval } from '../context/attachmentApproval.ts';
import type { AttachmentResolver } from './attachmentResolver.ts';
import { isObject } from '../../core/support/json.ts';

/** The maximum number of files that are attached together. */
const maxFiles = 20;

/** Attaches the context of the editor: the selection, problems, changes, terminal and open files. */
export class EditorContext {
  readonly #resolver: AttachmentResolver;
  readonly #terminalOutput: () => Promise<string | undefined>;
  readonly #approval: AttachmentApproval;
  readonly #readRepository: ReadRepository;

  constructor(
    resolver: AttachmentResolver,
    terminalOutput: () => Promise<string | undefined>,
    approval: AttachmentApproval,
    readRepository: ReadRepository,
  ) {
    this.#resolver = resolver;
    this.#terminalOutput = terminalOutput;
    this.#approval = approval;
    this.#readRepository = readRepository;
  }

  /**
   * Attaches the selected lines, or the whole file or cell.
   *
   * @param cell the notebook cell whose menu was used, if any
   */
  async attachSelection(cell?: unknown): Promise<void> {
    const code = activeCode(cell);
    if (code === undefined) {
      throw new UserError(vscode.l10n.t('Open a file and select some code first.'));
    }
    const { document, selection } = code;
    await this.#resolver.attach(document.uri, selection.isEmpty ? undefined : selection);
  }

  /**
   * `aside.addToChat`: attaches the files of a menu, or the selection.
   *
   * @param args the arguments that VS Code passes to the command
   */
  async attachFromCommand(args: readonly unknown[]): Promise<void> {
    const { files, changed, groups, isInText } = readMenuArguments(
      args,
      (value) => value instanceof vscode.Uri,
    );
    const active = vscode.window.activeTextEditor?.document.uri.toString();
    const isActive = files.every((uri) => uri.toString() === active);
    if (isInText && isActive) return this.attachSelection(args[0]);
    if (files.length + changed.length > maxFiles) {
      throw new UserError(vscode.l10n.t('You can attach up to {0} files at a time.', maxFiles));
    }
    await this.#attachEach(files);
    if (changed.length > 0) await this.#attachChanged(changed);
    for (const { label, files: inGroup } of groups) await this.#attachDiff(inGroup, label);
  }

  async attachProblems(): Promise<void> {
    const text = maskSecrets(await knownProblems(await this.#gate())).text;
    this.#resolver.attachText('problems', vscode.l10n.t('Problems'), text);
  }

  async attachChanges(): Promise<void> {
    const folders = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri);
    await this.#attachDiff(folders, vscode.l10n.t('Changes'));
  }

  /** Attaches changed files together with their differences from the last commit. */
  async #attachChanged(uris: readonly vscode.Uri[]): Promise<void> {
    const [first, ...others] = uris;
    if (first === undefined) return;
    const name =
      others.length === 0
        ? vscode.l10n.t('Changes in {0}', visibleName(labelFor(first)))
        : counted(vscode.l10n.t('Changes in {0} files'), uris.length, vscode.env.language);
    const status = await Promise.all(uris.map((uri) => statOf(uri)));
    // A deleted file has only a diff.
    const present = uris.filter((_, index) => status[index] !== undefined);
    try {
      await this.#attachEach(present);
    } finally {
      await this.#attachDiff(uris, name);
    }
  }

  /** Attaches a diff. Git runs programs set up by the repository, so the workspace must be trusted. */
  async #attachDiff(uris: readonly vscode.Uri[], name: string): Promise<void> {
    if (!vscode.workspace.isTrusted) {
      throw new UserError(vscode.l10n.t('Trust this workspace to attach its changes.'));
    }
    requireGit();
    const places = uris.map(toLocation).map((location) => ({ location, named: location }));
    const { signal } = new AbortController();
    const texts = await changesBelow(places, await this.#gate(), this.#readRepository, signal);
    if (texts.length === 0) {
      throw new UserError(vscode.l10n.t("There's no Git repository in this workspace."));
    }
    this.#resolver.attachText('changes', name, texts.join('\n\n'));
  }

  async #gate(): Promise<ChangesGate> {
    const denied = await this.#approval.denied();
    return {
      mayShow: (label) => !mayHoldSecrets(label),
      leftOut: (root) => unlistedBelow(root, denied),
      maySend: (uri, diff) => this.#approval.maySend(uri, diff),
    };
  }

  async attachTerminal(): Promise<void> {
    const text = await this.#terminalOutput();
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
    await this.#attachEach(distinct.slice(0, maxFiles));
  }

  /** Attaches as many files as it can. */
  async #attachEach(uris: readonly vscode.Uri[]): Promise<void> {
    const refused: unknown[] = [];
    for (const uri of uris) {
      await this.#resolver.attach(uri).catch((error: unknown) => refused.push(error));
    }
    if (refused.length > 0) throw refused[0];
  }
}

/** The target of a menu, read from the arguments that VS Code passes to its commands. */
interface MenuArguments {
  /** Files and folders of the explorer or of editor tabs. */
  readonly files: readonly vscode.Uri[];
  readonly changed: readonly vscode.Uri[];
  readonly groups: readonly ChangedGroup[];
  /** True for the menu of an editor's text, which applies to the selection. */
  readonly isInText: boolean;
}

/** The part of `SourceControlResourceGroup` that Aside uses. */
interface ChangedGroup {
  readonly label: string;
  readonly files: readonly vscode.Uri[];
}

/**
 * Reads the arguments of `aside.addToChat`. The explorer passes the clicked file and all selected
 * ones, an editor tab its file and its place, Source Control each selected resource or group, the
 * text of an editor its file alone, and keybindings nothing.
 *
 * @param isUri true for addresses
 */
export function readMenuArguments(
  args: readonly unknown[],
  isUri: (value: unknown) => value is vscode.Uri,
): MenuArguments {
  const all = args.flat();
  const files = all.filter(isUri);
  const changed = all.flatMap((argument) => resourceOf(argument, isUri));
  const groups = all.flatMap((argument) => groupOf(argument, isUri));
  const isInText = args[1] === undefined && changed.length + groups.length === 0;
  return { files: distinct(files), changed: distinct(changed), groups, isInText };
}

/** The file of a `SourceControlResourceState`. */
function resourceOf(
  argument: unknown,
  isUri: (value: unknown) => value is vscode.Uri,
): readonly vscode.Uri[] {
  const uri = isObject(argument) ? argument['resourceUri'] : undefined;
  return isUri(uri) ? [uri] : [];
}

function groupOf(
  argument: unknown,
  isUri: (value: unknown) => value is vscode.Uri,
): readonly ChangedGroup[] {
  if (!isObject(argument)) return [];
  const { label, resourceStates } = argument;
  if (typeof label !== 'string' || !Array.isArray(resourceStates)) return [];
  const states: readonly unknown[] = resourceStates;
  return [{ label, files: distinct(states.flatMap((state) => resourceOf(state, isUri))) }];
}

function distinct(uris: readonly vscode.Uri[]): readonly vscode.Uri[] {
  return [...new Map(uris.map((uri) => [uri.toString(), uri])).values()];
}
