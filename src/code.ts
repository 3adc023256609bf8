import type * as vscode from 'vscode';
import { systemClock } from './core/support/clock.ts';
import type { Disposable } from './core/support/disposable.ts';
import { EditCommands } from './host/code/editCommands.ts';
import { askInstruction } from './host/code/instructionBox.ts';
import { textAnswers } from './host/code/textAnswers.ts';
import type { ServiceAccess } from './host/connection/serviceAccess.ts';
import type { InlineEdits } from './host/inlineEdit/inlineEdits.ts';
import { OpenEdits } from './host/inlineEdit/openEdits.ts';
import type { Settings } from './host/settings.ts';

export interface CodeNeeds {
  readonly context: Pick<vscode.ExtensionContext, 'globalState'>;
  readonly service: ServiceAccess;
  readonly settings: Settings;
  readonly requireModel: () => Promise<string>;
}

/** All commands on code: a script of its own, which is loaded by the first of them. */
export interface Code extends Disposable {
  /** Changes of documents that a person reviews where they are made. */
  readonly edits: InlineEdits;
  /** Those whose result is such a change. */
  readonly editing: EditCommands;
}

/** Makes every object of it once and ties them together. */
export function makeCode(needs: CodeNeeds): Code {
  const { context, settings, requireModel } = needs;
  const edits = new OpenEdits();
  const answers = textAnswers({ ...needs, clock: systemClock });
  const editing = new EditCommands({
    ...{ edits, answers, requireModel },
    instructions: () => settings.current().instructions,
    askInstruction: () => askInstruction(context.globalState),
  });
  return { edits, editing, dispose: () => edits.dispose() };
}
