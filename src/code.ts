import type * as vscode from 'vscode';
import { systemClock } from './core/support/clock.ts';
import { disposeAll, type Disposable } from './core/support/disposable.ts';
import { EditCommands } from './host/code/editCommands.ts';
import { askInstruction } from './host/code/instructionBox.ts';
import { replyActions, type ReplyActions } from './host/code/replyActions.ts';
import { textAnswers } from './host/code/textAnswers.ts';
import { findWorkspaceFile } from './host/code/workspaceFile.ts';
import type { ServiceAccess } from './host/connection/serviceAccess.ts';
import type { InlineEdits } from './host/inlineEdit/inlineEdits.ts';
import { OpenEdits } from './host/inlineEdit/openEdits.ts';
import { thisMachine } from './host/node/thisMachine.ts';
import type { Settings } from './host/settings.ts';

export interface CodeNeeds {
  readonly context: Pick<vscode.ExtensionContext, 'globalState'>;
  readonly service: ServiceAccess;
  readonly settings: Settings;
  readonly requireModel: () => Promise<string>;
  /** Estimates the tokens of so many characters for the model of the moment. */
  readonly tokensOf: (characters: number) => number;
}

/** All commands on code: a script of its own, which is loaded by the first of them. */
export interface Code extends Disposable {
  /** Changes of documents that a person reviews where they are made. */
  readonly edits: InlineEdits;
  /** Those whose result is such a change. */
  readonly editing: EditCommands;
  /** What the buttons of code in replies do. */
  readonly replies: ReplyActions;
}

/** Makes every object of it once and ties them together. */
export function makeCode(needs: CodeNeeds): Code {
  const { context, settings, requireModel, tokensOf } = needs;
  const edits = new OpenEdits();
  const answers = textAnswers({ ...needs, clock: systemClock });
  const machine = thisMachine();
  const instructions = (): string => settings.current().instructions;
  const editing = new EditCommands({
    ...{ edits, answers, requireModel, instructions },
    askInstruction: () => askInstruction(context.globalState),
  });
  const replies = replyActions({
    ...{ edits, answers, requireModel, instructions, tokensOf, clock: systemClock },
    find: (path) => findWorkspaceFile(path, machine),
  });
  return { edits, editing, replies, dispose: () => disposeAll([edits, replies]) };
}
