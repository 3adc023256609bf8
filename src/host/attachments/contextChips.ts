import * as vscode from 'vscode';
import { AttachmentFormatter, attachmentKey } from '../../core/attachments/attachmentFormatter.ts';
import type {
  Attachment,
  AttachmentKind,
  ChosenPreset,
} from '../../core/conversation/conversation.ts';
import type { AttachmentChip } from '../../protocol/messages.ts';
import { attachmentOf } from '../workspace/selection.ts';
import { presetIcon } from '../presets/chatPreset.ts';
import type { FoundInstructions } from '../context/instructions.ts';
import type { SelectedLines } from './offeredSelection.ts';

/** Ids and id prefixes of chips that aren't attachments of the composer. */
export const instructionSettingChipId = 'aside.instructions';
export const instructionFileChipPrefix = 'instructions ';
export const selectionChipId = 'selection';
export const presetChipId = 'preset';

/** The chips of instructions: files in use, and those without a decision. */
export function instructionChips(
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
export function presetChips(
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
  return [{ ...chip, tokens, state: stateOf(current.text, chosen.text) }];
}

function stateOf(text: string, known: string): AttachmentChip['state'] {
  return text === known ? 'attached' : 'changed';
}

/** The chip of the selection, unless it is attached already. */
export function selectionChips(
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
} as const satisfies Readonly<Record<AttachmentKind, string>>;

export const openEditorsIcon = 'files';
export const instructionsIcon = 'book';
export const promptIcon = 'comment';
