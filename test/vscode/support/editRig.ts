import * as vscode from 'vscode';
import type { UserMessage } from '../../../src/core/conversation/conversation.ts';
import { EditCommands } from '../../../src/host/editor/editCommands.ts';
import {
  CommandRequests,
  type GeneratedText,
  type GenerationRequest,
  type TextGenerator,
} from '../../../src/host/editor/textGenerator.ts';
import type { InstructionBox } from '../../../src/host/platform/instructionBox.ts';
import { isLocked } from '../../../src/host/node/thisMachine.ts';
import { FileReviews } from '../../../src/host/review/fileReviews.ts';
import { OpenReviews } from '../../../src/host/review/openReviews.ts';
import type { PersonEdit } from '../../../src/host/approval/personGate.ts';
import type { PassGate } from '../../../src/host/review/review.ts';
import { dialogsWith } from '../../support/dialogsWith.ts';
import { FakeMemento } from '../../unit/host/fakes.ts';

/** A model with one reply, which comes in pieces. It records the requests. */
class FakeModel implements TextGenerator {
  readonly requests: GenerationRequest[] = [];
  text = '';
  end: GeneratedText['end'] = 'finished';

  generate(request: GenerationRequest): Promise<GeneratedText> {
    this.requests.push(request);
    for (const piece of this.text.match(/[^]{1,9}/g) ?? []) request.onText(piece);
    return Promise.resolve({ text: this.text, end: this.end });
  }

  get prompt(): string {
    return this.requests
      .flatMap(({ messages }) => messages.map(({ content }) => content ?? ''))
      .join('\n');
  }
}

/** Reviews of edits, and the commands that open them, without a service and a gate. */
export class EditRig {
  readonly model = new FakeModel();
  readonly open = new OpenReviews();
  /** The edits that passed the gate, or would have. */
  readonly decided: PersonEdit[] = [];
  /** Messages that were sent in the chat. */
  readonly chats: UserMessage[] = [];
  isAllowed = true;
  maySend = true;
  note: string | undefined;
  readonly gate: PassGate = async (edit, effect) => {
    this.decided.push(edit);
    if (this.isAllowed) await effect();
    return this.isAllowed;
  };
  readonly reviews: FileReviews;
  readonly requests: CommandRequests;
  readonly commands: EditCommands;

  constructor(gate?: PassGate) {
    this.reviews = new FileReviews(this.open, gate ?? this.gate, (message) => {
      this.chats.push(message);
      return Promise.resolve();
    });
    this.requests = new CommandRequests(
      this.model,
      () => Promise.resolve('some/model'),
      () => Promise.resolve(this.maySend),
      () => '',
    );
    const dialogs = dialogsWith({ prompt: () => Promise.resolve(this.note) });
    const { reviews, requests } = this;
    this.commands = new EditCommands(reviews, requests, dialogs, new FakeMemento(), isLocked);
  }
}

/** The box of **Edit…**, in which the person has typed an instruction, or which they have closed. */
export function instructed(instruction: string | undefined): InstructionBox {
  return { box: vscode.window.createQuickPick(), answer: Promise.resolve(instruction) };
}
