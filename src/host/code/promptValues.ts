/** The values of the variables of prompt files: from the editor, and typed by the person. */
import * as vscode from 'vscode';
import { attachmentLabel, withAttachment } from '../../core/attachments/attachmentFormatter.ts';
import { fillVariables, variablesOf, type PromptInput } from '../../core/code/promptVariables.ts';
import type { Attachment, UserMessage } from '../../core/conversation/conversation.ts';
import { newId } from '../../core/support/id.ts';
import { visibleName } from '../../core/support/text.ts';
import type { Dialogs } from '../dialogs.ts';
import { UserError } from '../errors.ts';
import { labelFor } from '../workspace/location.ts';
import { attachmentOf } from '../workspace/selection.ts';
import type { MaySend } from './textGenerator.ts';

/** Inputs of one prompt: a file of a repository must not ask forever. */
const maxInputs = 10;
/** Characters of a file that is attached in full. */
const maxCharacters = 100_000;

/** Values of variables. Each rejects with a {@link UserError} if there is nothing to send. */
export interface PromptSource {
  readonly selection: () => Promise<Attachment>;
  readonly file: () => Promise<Attachment>;
  /** @param step which of how many inputs it is */
  readonly input: (input: PromptInput, command: string, step: string) => Promise<string>;
}

/**
 * Fills the variables of a prompt. Code goes along as an attachment, as all code does, with its name
 * in the prompt; text that the person types is part of it.
 *
 * @param command the name of the prompt file
 * @param attached attachments that are sent anyway
 */
export async function fillPrompt(
  prompt: string,
  command: string,
  attached: readonly Attachment[],
  source: PromptSource,
): Promise<UserMessage> {
  const { selection, file, inputs } = variablesOf(prompt);
  if (inputs.length > maxInputs) {
    throw new UserError(vscode.l10n.t('A prompt can have up to {0} inputs.', maxInputs));
  }
  const code = {
    ...(selection && { selection: await source.selection() }),
    ...(file && { file: await source.file() }),
  };
  const typed = new Map<string, string>();
  for (const [index, input] of inputs.entries()) {
    const step = inputs.length === 1 ? '' : `${index + 1}/${inputs.length}`;
    typed.set(input.name, await source.input(input, command, step));
  }
  const values = {
    ...(code.selection && { selection: nameOf(code.selection) }),
    ...(code.file && { file: nameOf(code.file) }),
    inputs: typed,
  };
  const attachments = Object.values(code).reduce(withAttachment, attached);
  return { text: fillVariables(prompt, values), attachments };
}

/** A file name must not act as an instruction. */
function nameOf(attachment: Attachment): string {
  return JSON.stringify(attachmentLabel(attachment));
}

/** Values from the active editor, and from an input box. */
export function editorValues(maySend: MaySend, dialogs: Dialogs): PromptSource {
  return {
    selection: () => attachedCode(maySend, true),
    file: () => attachedCode(maySend, false),
    async input({ name, placeholder }, command, step) {
      const typed = await dialogs.prompt({
        title: [`/${command}`, step].filter((part) => part !== '').join(' '),
        prompt: visibleName(name),
        placeholder: placeholder === '' ? undefined : visibleName(placeholder),
        check: () => undefined,
      });
      if (typed === undefined) throw nothingSent();
      return typed;
    },
  };
}

async function attachedCode(maySend: MaySend, isSelection: boolean): Promise<Attachment> {
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined || (isSelection && editor.selection.isEmpty)) {
    throw new UserError(vscode.l10n.t('Open a file and select some code first.'));
  }
  const { document, selection } = editor;
  const name = visibleName(labelFor(document.uri));
  const code = attachmentOf(document, isSelection ? selection : undefined, newId());
  if (code === undefined) throw new UserError(vscode.l10n.t('{0} is empty.', name));
  if (code.text.length > maxCharacters) {
    throw new UserError(
      vscode.l10n.t('{0} is too large to attach in full. Select some code first.', name),
    );
  }
  if (!(await maySend(document.uri, code.text))) throw nothingSent();
  return { ...code, kind: isSelection ? 'selection' : 'file' };
}

export function nothingSent(): UserError {
  return new UserError(vscode.l10n.t('Nothing was sent.'));
}
