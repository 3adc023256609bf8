import * as vscode from 'vscode';
import type { UserMessage } from '../../core/conversation/conversation.ts';
import type { ChatMode } from '../../core/conversation/mode.ts';
import { outlineUrl } from '../../core/support/image.ts';
import { foundTools } from '../../core/tools/findTools.ts';
import type { Toolbox } from '../../core/tools/toolbox.ts';
import type { ImageUrls, InstructionFile } from '../../core/turn/messagePieces.ts';
import type { PromptSettings } from '../../core/turn/prompt.ts';
import { turnLimit, type TurnLimit } from '../../core/turn/turnLimit.ts';
import { requireImageInput } from '../imageLimits.ts';
import type { ChatPreset } from '../presets/chatPreset.ts';
import { settingsOfModel, type SettingValues } from '../settingValues.ts';
import type { CurrentSettings } from '../settings.ts';
import type { Chat } from './chat.ts';

interface ChatSettingsOptions {
  readonly settings: CurrentSettings;
  readonly preset: ChatPreset;
  /** Instruction files of the workspace. Each is sent with messages about its files. */
  readonly instructions: readonly InstructionFile[];
  /** The lines of allowed skills. */
  readonly skills: readonly InstructionFile[];
  readonly mode: ChatMode;
}

/** Settings of a chat's requests. Options of its preset override the person's. */
export function promptSettings(
  model: string,
  { settings, preset, instructions: ofWorkspace, skills, mode }: ChatSettingsOptions,
): PromptSettings {
  const values = settings.current();
  const { instructions, stream } = values;
  const { contextWindow, images: takesImages } = settingsOfModel(values, model);
  const ofPreset = preset.options(settings.refusedOptions(model));
  return {
    instructions,
    files: [...ofWorkspace, ...preset.files],
    skills,
    stream,
    options: { ...settings.requestOptions(model), ...ofPreset, mode },
    contextWindow,
    images: takesImages === true ? outlines : undefined,
  };
}

/** Placeholders for images that have not been read yet, sufficient to estimate tokens. */
const outlines: ImageUrls = ({ image }) => image && outlineUrl(image);

/** The tools that are sent in a chat; undefined if there are none. */
export function chatTools(
  toolbox: Toolbox,
  { chat, preset }: { readonly chat: Chat; readonly preset: ChatPreset },
  mode: () => ChatMode,
): Toolbox | undefined {
  const ofMode = preset.toolsOf(toolbox)?.inMode(mode);
  return ofMode?.deferring(() => foundTools(chat.conversation));
}

/** What a turn of a model may send before it pauses. The demo counts in no budget. */
export function limitOfTurn(model: string, values: SettingValues, isDemo: boolean): TurnLimit {
  const { budget } = values;
  const isSet = budget !== 'invalid' && !isDemo;
  return turnLimit(isSet ? budget : { unit: 'tokens' }, settingsOfModel(values, model).price);
}

/** The texts of a message, which are checked for keys. */
export function textsOf({ text, attachments }: UserMessage): readonly string[] {
  return [text, ...attachments.map((attachment) => attachment.text)];
}

/** @throws {UserError} if the message has images and one of the models doesn't support them */
export function requireImagesTaken(
  { attachments }: UserMessage,
  models: readonly string[],
  values: SettingValues,
): void {
  const hasImages = attachments.some(({ image }) => image !== undefined);
  for (const model of hasImages ? models : [])
    requireImageInput(model, settingsOfModel(values, model));
}

/** Instruction files are read only in a trusted workspace. */
export function mayHaveInstructions(): boolean {
  return vscode.workspace.isTrusted && vscode.workspace.workspaceFolders !== undefined;
}
