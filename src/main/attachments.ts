import * as vscode from 'vscode';
import { RealPlaces } from '../core/approval/realPlaces.ts';
import { requestText } from '../core/attachments/requestText.ts';
import { systemClock } from '../core/support/clock.ts';
import { disposeAll, type Disposable } from '../core/support/event.ts';
import type { Redactor } from '../core/support/redact.ts';
import type { InstructionFile } from '../core/turn/prompt.ts';
import { workspaceIdentity } from '../core/workspace/disk.ts';
import type { Location } from '../core/workspace/places.ts';
import { situationOf } from '../host/approval/situation.ts';
import { AttachConsent } from '../host/attachments/attachConsent.ts';
import { attachDialogs } from '../host/attachments/attachDialogs.ts';
import { AttachRequests } from '../host/attachments/attachRequests.ts';
import { Attacher } from '../host/attachments/attacher.ts';
import type { Attaching } from '../host/attachments/attaching.ts';
import { Completions, type SlashCommand } from '../host/attachments/completions.ts';
import type { Composer } from '../host/attachments/composer.ts';
import { instructionChips, selectionChips } from '../host/attachments/contextChips.ts';
import { Instructions } from '../host/attachments/instructions.ts';
import { OfferedSelection } from '../host/attachments/offeredSelection.ts';
import { Surroundings } from '../host/attachments/surroundings.ts';
import { ReviewDiff } from '../host/changes/reviewDiff.ts';
import type { Chat } from '../host/chat/chat.ts';
import type { Log } from '../host/log.ts';
import { findSearch } from '../host/node/findSearch.ts';
import { thisMachine } from '../host/node/thisMachine.ts';
import type { Settings } from '../host/settings.ts';
import { TerminalOutput } from '../host/terminal/terminalOutput.ts';
import { openFolders } from '../host/workspace/location.ts';
import { ReadOnlyTexts } from '../host/workspace/readOnlyTexts.ts';
import { filesBelow, WorkspaceIndex } from '../host/workspace/workspaceIndex.ts';

export interface AttachNeeds {
  readonly context: vscode.ExtensionContext;
  readonly chat: Chat;
  readonly composer: Composer;
  readonly settings: Settings;
  readonly redactor: Redactor;
  readonly log: Log;
  readonly newId: () => string;
  /** Estimates the tokens of so many characters for the model of the moment. */
  readonly tokensOf: (characters: number) => number;
  /** The model to ask; leads to connecting and choosing first. */
  readonly requireModel: () => Promise<string>;
  /** Where requests go, up to and including the version; rejects where there is no service. */
  readonly address: () => Promise<string>;
  /** The commands of the composer. */
  readonly prompts: () => Promise<readonly SlashCommand[]>;
  readonly reveal: (preserveFocus: boolean) => Promise<void>;
}

/** What goes along with questions: a script of its own, which is loaded when it is first used. */
export interface Attach extends Attaching, Disposable {
  /** Resolves when the files with instructions are known, and each was asked for once. */
  prepare(): Promise<void>;
  /** Files of the workspace that go along with each question. */
  instructions(): readonly InstructionFile[];
  /** Shows what could go along, while the panel is seen. */
  watch(isSeen: boolean): void;
  /** `aside.addToChat` */
  add(clicked: unknown, chosen: unknown): Promise<void>;
  /** `aside.showRequest` */
  showRequest(): Promise<void>;
  /** Whether a command may send the text of a file: asks where it may hold secrets. */
  maySend(uri: vscode.Uri, text: string): Promise<boolean>;
}

/** Makes every object of it once and ties them together. */
export function makeAttach(needs: AttachNeeds): Attach {
  const { context, chat, composer, settings, redactor, log, newId, tokensOf } = needs;
  const machine = thisMachine();
  const situation = situationOf({
    ...{ context, machine, askAll: () => false, tainted: () => false },
  });
  const places = new RealPlaces(machine.view);
  const denied = async (): Promise<readonly Location[]> => (await places.find(situation())).denied;
  const searchAt = findSearch();
  const dialogs = attachDialogs;
  const consent = new AttachConsent({ dialogs, denied, view: machine.view });
  const index = new WorkspaceIndex(() => searchAt);
  const attacher = new Attacher({
    ...{ composer, consent, dialogs, newId },
    filesIn: async (folder) => filesBelow(folder, await searchAt),
  });
  const terminal = new TerminalOutput();
  const surroundings = new Surroundings(attacher, terminal);
  const openPrompts = async (): Promise<void> => {
    const folder = vscode.Uri.joinPath(context.globalStorageUri, 'prompts');
    await vscode.workspace.fs.createDirectory(folder);
    await vscode.commands.executeCommand('revealFileInOS', folder);
  };
  const completions = new Completions({
    ...{ index, attacher, surroundings, openPrompts, prompts: needs.prompts },
  });
  const instructions = new Instructions({
    state: context.globalState,
    workspace: () => workspaceIdentity(openFolders(), machine.view),
    dialogs,
    redact: redactor.redact,
    onError: (error) => log.error('Reading the instructions of the workspace', error),
  });
  const offered = new OfferedSelection(systemClock);
  const texts = new ReadOnlyTexts();
  const diff = new ReviewDiff('aside-attachment');
  const requests = new AttachRequests({
    ...{ chat, composer, attacher, completions, instructions, offered, dialogs },
    ...{ texts, diff, index },
  });
  const tell = (): void =>
    composer.showBeside([
      ...instructionChips(settings.current().instructions, instructions.found, tokensOf),
      ...selectionChips(offered.current, composer.attachments, tokensOf),
    ]);
  const disposables = [
    ...[index, terminal, instructions, offered, texts, diff],
    ...[instructions, offered, settings, composer].map(({ onDidChange }) => onDidChange(tell)),
  ];
  return {
    handle: (request) => requests.handle(request),
    complete: (trigger, query) => completions.complete(trigger, query),
    prepare: () => instructions.prepare(),
    instructions: () => instructions.used,
    watch(isSeen) {
      offered.watch(isSeen);
      if (isSeen) void instructions.read().then(tell);
    },
    async add(clicked, chosen) {
      const given = [chosen, clicked].flat().filter((one) => one instanceof vscode.Uri);
      const distinct = new Map(given.map((uri) => [uri.toString(), uri]));
      const { activeTextEditor } = vscode.window;
      const active = activeTextEditor?.document.uri.toString() ?? '';
      if (distinct.size === 0 || (distinct.size === 1 && distinct.has(active))) {
        await surroundings.attachSelection();
      } else for (const uri of distinct.values()) await attacher.attach(uri);
      await needs.reveal(false);
    },
    async showRequest() {
      const question = { text: composer.draft, attachments: composer.attachments };
      const request = await chat.nextRequest(question, await needs.requireModel());
      const text = redactor.redact(requestText(request, await needs.address()));
      await texts.show(vscode.l10n.t('Next Request'), text, 'jsonc');
    },
    maySend: async (uri, text) =>
      (await consent.mayRead(uri, false)) && (await consent.maySend(uri, text)),
    dispose: () => disposeAll(disposables),
  };
}
