/** Chips beside the attachments: instructions, the preset, and the selection to attach by a click. */
import * as vscode from 'vscode';
import { AttachmentFormatter, attachmentKey } from '../../core/turn/messagePieces.ts';
import type {
  Attachment,
  AttachmentKind,
  ChosenPreset,
} from '../../core/conversation/conversation.ts';
import type { ConversationEvent } from '../../core/conversation/events.ts';
import { background } from '../../core/support/background.ts';
import {
  type Disposable,
  disposeAll,
  Emitter,
  type Event,
  followEach,
} from '../../core/support/event.ts';
import { pathsOfTurns } from '../../core/turn/instructionScope.ts';
import type { Log } from '../platform/log.ts';
import type { AttachmentChat, AttachmentChats } from './messageAttachments.ts';
import type { AttachmentChip } from '../../protocol/messages.ts';
import { reviewScheme } from '../contributions.ts';
import { fileOf } from '../platform/location.ts';
import { attachmentOf } from '../platform/selection.ts';
import type { Clock } from '../../core/support/clock.ts';
import { presetIcon } from '../context/chatPreset.ts';
import type { FoundInstructions } from '../context/instructions.ts';

/** Ids and id prefixes of chips that aren't attachments of the composer. */
export const instructionSettingChipId = 'aside.instructions';
export const instructionFileChipPrefix = 'instructions ';
export const selectionChipId = 'selection';
export const presetChipId = 'preset';

/** The chips of instructions: files in use, and those without a decision. */
function instructionChips(
  setting: string,
  files: readonly FoundInstructions[],
  tokensOf: (characters: number) => number,
): readonly AttachmentChip[] {
  const settingChip: AttachmentChip = {
    id: instructionSettingChipId,
    name: vscode.l10n.t('My instructions'),
    path: instructionSettingChipId,
    icon: instructionsIcon,
    tokens: tokensOf(setting.length),
    state: 'attached',
    isInstructions: true,
  };
  const chips = files.map(({ path, text, scope, isAllowed }): AttachmentChip => {
    // Several folders may have a file of the same name.
    const name = path
      .split('/')
      .slice(scope?.folder === undefined ? -1 : -2)
      .join('/');
    const tokens = tokensOf(text.length);
    return {
      id: instructionFileChipPrefix + path,
      name,
      path,
      icon: instructionsIcon,
      tokens,
      state: isAllowed === true ? 'attached' : 'offered',
      isInstructions: true,
    };
  });
  return setting.trim() === '' ? chips : [settingChip, ...chips];
}

/** The chip of the preset of a chat; its file may be missing. */
function presetChips(
  chosen: ChosenPreset | undefined,
  current: { readonly text: string; readonly body: string } | undefined,
  tokensOf: (characters: number) => number,
): readonly AttachmentChip[] {
  if (chosen === undefined) return [];
  const chip = {
    id: presetChipId,
    name: chosen.name,
    path: chosen.path,
    icon: presetIcon,
    isInstructions: true,
    isPreset: true,
  };
  if (current === undefined) return [{ ...chip, tokens: 0, state: 'left-out', isMissing: true }];
  const tokens = tokensOf(current.body.length);
  return [{ ...chip, tokens, state: current.text === chosen.text ? 'attached' : 'changed' }];
}

/** The chip of the selection, unless it is attached already. */
function selectionChips(
  selected: SelectedLines | undefined,
  attached: readonly Attachment[],
  tokensOf: (characters: number) => number,
): readonly AttachmentChip[] {
  const document = vscode.workspace.textDocuments.find(
    ({ uri }) => uri.toString() === selected?.uri.toString(),
  );
  if (selected === undefined || document === undefined) return [];
  const lines = attachmentOf(document, selected.range, selectionChipId);
  if (lines === undefined) return [];
  const key = attachmentKey(lines);
  if (attached.some((attachment) => attachmentKey(attachment) === key)) return [];
  const { id, name, path } = lines;
  const tokens = tokensOf(new AttachmentFormatter().format(lines).length);
  return [{ id, name, path, icon: attachmentIcons.selection, tokens, state: 'offered' }];
}

/** Codicons of attachments, which are packaged with those that the view uses. */
export const attachmentIcons = {
  file: 'file-code',
  folder: 'folder',
  symbol: 'symbol-method',
  selection: 'selection',
  problems: 'warning',
  changes: 'diff',
  terminal: 'terminal',
  pasted: 'clippy',
  image: 'file-media',
  chat: 'comment-discussion',
} as const satisfies Readonly<Record<AttachmentKind, string>>;

export const openEditorsIcon = 'files';
export const instructionsIcon = 'book';
export const promptIcon = 'comment';

interface ChatContextChipsOptions {
  readonly chats: AttachmentChats;
  readonly settings: {
    current(): { readonly instructions: string };
    readonly onDidChange: Event<unknown>;
  };
  readonly instructions: {
    readonly onDidChange: Event<unknown>;
    read(paths: readonly string[]): Promise<void>;
    shownFor(about: readonly (readonly string[])[]): readonly FoundInstructions[];
  };
  readonly offered: OfferedSelection;
  /** Estimates the tokens of a number of characters for the selected model. */
  readonly tokensOf: (characters: number) => number;
  readonly log: Log;
}

/** Events that can change the files that a chat is about. */
const changesOfPath: ReadonlySet<ConversationEvent['type']> = new Set([
  'turn-start',
  'turn-remove',
  'version-select',
  'preset-change',
]);

/** Keeps the context chips of all open chats up to date: instructions, the preset, the selection. */
export class ChatContextChips implements Disposable {
  readonly #options: ChatContextChipsOptions;
  #listening: readonly Disposable[] | undefined;

  constructor(options: ChatContextChipsOptions) {
    this.#options = options;
  }

  /** Begins to follow the chats, if it hasn't: from then on, files with instructions are read. */
  follow(): void {
    const { chats, instructions, offered, settings } = this.#options;
    this.#listening ??= [
      ...[instructions, offered, settings].map(({ onDidChange }) =>
        onDidChange(() => this.updateAll()),
      ),
      followEach(chats, (open) => this.#follow(open)),
    ];
  }

  updateAll(): void {
    for (const open of this.#options.chats.all) this.#update(open);
  }

  dispose(): void {
    disposeAll(this.#listening ?? []);
  }

  #follow(open: AttachmentChat): Disposable {
    const update = (): void => this.#update(open);
    update();
    const listening = [
      open.composer.onDidChange(update),
      open.onDidChange((change) => {
        if (change.type === 'replace' || changesOfPath.has(change.event.type)) update();
      }),
      open.preset.model.onDidChange(update),
    ];
    return { dispose: () => disposeAll(listening) };
  }

  #update({ composer, conversation, preset }: AttachmentChat): void {
    const { settings, instructions, offered, tokensOf, log } = this.#options;
    const { turns, running } = conversation;
    const sent = running === undefined ? turns : [...turns, running];
    const question = { text: '', attachments: composer.attachments };
    const about = pathsOfTurns(sent, { question });
    const paths = about.flat();
    if (paths.length > 0) background(instructions.read(paths));
    const { preset: chosen } = conversation;
    // The preset of a chat that was opened again has not been read. A missing one stays unread.
    if (preset.current === undefined)
      preset.refresh().catch((error: unknown) => log.error('Reading a preset', error));
    composer.setContextChips([
      ...instructionChips(settings.current().instructions, instructions.shownFor(about), tokensOf),
      ...presetChips(chosen, preset.current, tokensOf),
      ...selectionChips(offered.current, composer.attachments, tokensOf),
    ]);
  }
}

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
