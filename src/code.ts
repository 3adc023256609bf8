import type * as vscode from 'vscode';
import type { Disposable } from './core/support/disposable.ts';
import { EditCommands } from './host/code/editCommands.ts';
import { askInstruction } from './host/code/instructionBox.ts';
import type { TextAnswers } from './host/code/textAnswers.ts';
import type { InlineEdits } from './host/inlineEdit/inlineEdits.ts';
import { OpenEdits } from './host/inlineEdit/openEdits.ts';

export interface CodeNeeds {
  readonly context: Pick<vscode.ExtensionContext, 'globalState'>;
  readonly answers: TextAnswers;
  readonly requireModel: () => Promise<string>;
  /** `aside.instructions` */
  readonly instructions: () => string;
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
  const edits = new OpenEdits();
  const ask = (): Promise<string | undefined> => askInstruction(needs.context.globalState);
  return {
    edits,
    editing: new EditCommands({ ...needs, edits, askInstruction: ask }),
    dispose: () => edits.dispose(),
  };
}
