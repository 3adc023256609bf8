import * as vscode from 'vscode';
import type { UserMessage } from '../../core/conversation/conversation.ts';
import type { ChatMode } from '../../core/conversation/mode.ts';
import { outlineUrl } from '../../core/support/image.ts';
import type { ImageUrls, InstructionFile } from '../../core/turn/messagePieces.ts';
import type { PromptSettings } from '../../core/turn/prompt.ts';
import { requireImageInput } from '../imageLimits.ts';
import type { ChatPreset } from '../presets/chatPreset.ts';
import { settingsOfModel, type SettingValues } from '../settingValues.ts';
import type { Settings } from '../settings.ts';

interface ChatSettingsOptions {
  readonly settings: Pick<Settings, 'current' | 'requestOptions' | 'refusedOptions'>;
  readonly preset: Pick<ChatPreset, 'files' | 'options'>;
  /** Instruction files of the workspace, each sent with messages about the files it is for. */
  readonly instructions: readonly InstructionFile[];
  readonly mode: ChatMode;
}

/** The settings of a chat's requests. Options of its preset override those of the person. */
export function promptSettings(
  model: string,
  { settings, preset, instructions: ofWorkspace, mode }: ChatSettingsOptions,
): PromptSettings {
  const values = settings.current();
  const { instructions, stream } = values;
  const { contextWindow, images: takesImages } = settingsOfModel(values, model);
  const ofPreset = preset.options(settings.refusedOptions(model));
  return {
    instructions,
    files: [...ofWorkspace, ...preset.files],
    stream,
    options: { ...settings.requestOptions(model), ...ofPreset, mode },
    contextWindow,
    images: takesImages === true ? outlines : undefined,
  };
}

/** Stand-ins for images that have not been read yet: enough to estimate their tokens. */
const outlines: ImageUrls = ({ image }) => image && outlineUrl(image);

/** The texts of a message, which must have no key in them. */
export function textsOf({ text, attachments }: UserMessage): readonly string[] {
  return [text, ...attachments.map((attachment) => attachment.text)];
}

/** @throws {UserError} if the message has images and one of the models takes none */
export function requireImagesTaken(
  { attachments }: UserMessage,
  models: readonly string[],
  values: SettingValues,
): void {
  const hasImages = attachments.some(({ image }) => image !== undefined);
  for (const model of hasImages ? models : [])
    requireImageInput(model, settingsOfModel(values, model));
}

/** Instruction files are read only in a workspace that the person trusts. */
export function mayHaveInstructions(): boolean {
  return vscode.workspace.isTrusted && vscode.workspace.workspaceFolders !== undefined;
}
