import assert from 'node:assert/strict';
import { emptyConversation } from '../../../../src/core/conversation/conversation.ts';
import type { ConversationEvent } from '../../../../src/core/conversation/events.ts';
import { idOfEnd } from '../../../../src/core/conversation/paths.ts';
import { writeEvent } from '../../../../src/core/conversation/record.ts';
import { reduce } from '../../../../src/core/conversation/reduce.ts';
import { zeroUsage } from '../../../../src/core/conversation/usage.ts';
import { versionsOf } from '../../../../src/core/conversation/versions.ts';
import { turnStart } from '../../../support/turns.ts';

const usage = { ...zeroUsage, prompt_tokens: 3, total_tokens: 3, requests: 1 };

/** A chat that plays events as the host does, and records them and their journal lines. */
export class UsedChat {
  conversation = emptyConversation('c');
  readonly lines: string[] = [];
  readonly events: ConversationEvent[] = [];
  /** Ids of all turns, in the order in which they were sent. */
  readonly sent: string[] = [];
  /** The turn that each turn followed when it was sent. */
  readonly parents = new Map<string, string>();

  /** Sends a message. Its reply keeps running if `ends` is false. */
  send(text: string, { reply = 'Yes.', ends = true } = {}): string {
    const id = `t${this.sent.length}`;
    const question = { text, attachments: [] };
    const after = idOfEnd(this.conversation);
    this.parents.set(id, after);
    this.sent.push(id);
    this.play(turnStart({ id, question, after }));
    this.play({ type: 'request-sent', usage: { ...usage, estimated: true } });
    if (reply !== '') this.play({ type: 'text-delta', text: `${reply} ${id}`, at: 2 });
    if (ends) this.end('finished');
    return id;
  }

  end(status: 'finished' | 'stopped' | 'failed'): void {
    this.play({ type: 'usage', usage }, { type: 'turn-end', status, at: 3 });
  }

  resend(id: string, text?: string): string {
    const turn = this.conversation.turns.find((candidate) => candidate.id === id);
    assert.ok(turn !== undefined);
    this.play({ type: 'turn-remove', id });
    return this.send(text ?? turn.question.text);
  }

  /** Sends a message again, whose reply fails, by default before its first text. */
  resendAndFail(id: string, reply = ''): string {
    const turn = this.conversation.turns.find((candidate) => candidate.id === id);
    this.play({ type: 'turn-remove', id });
    const sent = this.send(turn?.question.text ?? '', { reply, ends: false });
    this.end('failed');
    return sent;
  }

  select(turn: string): void {
    this.play({ type: 'version-select', turn });
  }

  play(...events: ConversationEvent[]): void {
    for (const event of events) {
      this.conversation = reduce(this.conversation, event);
      this.events.push(event);
      this.lines.push(writeEvent(event, this.lines.length + 1));
    }
  }

  versions(id: string) {
    const { turns, running } = this.conversation;
    const turn = [...turns, running].find((candidate) => candidate?.id === id);
    return turn === undefined ? undefined : versionsOf(this.conversation, [turn])[id];
  }

  get path(): string[] {
    return this.conversation.turns.map(({ id }) => id);
  }
}
