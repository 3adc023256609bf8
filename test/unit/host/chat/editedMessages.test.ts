import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Attachment } from '../../../../src/core/conversation/conversation.ts';
import { turnsOfAllPaths } from '../../../../src/core/conversation/paths.ts';
import type { Chat } from '../../../../src/host/chat/chat.ts';
import { runs } from '../../../support/sample.ts';
import { until } from '../../../support/until.ts';
import { openChat, SlowModel } from './openChatRig.ts';

function file(name: string, text = `text of ${name}`): Attachment {
  return { id: name, kind: 'file', name, path: name, language: '', text };
}

class Rig {
  readonly #model = new SlowModel();
  readonly chat: Chat = openChat({ id: 'c', origin: 'new' }, { client: this.#model.client });

  get last(): string {
    return this.chat.conversation.turns.at(-1)?.id ?? '';
  }

  async send(...attachments: readonly Attachment[]): Promise<void> {
    for (const attachment of attachments) this.chat.composer.attach(attachment);
    await this.chat.request({ name: 'send', parameters: { text: 'Why?' } });
    await this.ended();
  }

  /** Runs the started turn to its end. */
  async ended(): Promise<void> {
    const { chat } = this;
    await until(() => chat.isRunning);
    await until(() => {
      this.#model.step();
      return !chat.isRunning;
    });
  }
}

const names = ['a', 'b', 'c', 'd'];
const change = fc.record({ isAdded: fc.boolean(), name: fc.constantFrom(...names) });

describe('an earlier message that is edited', () => {
  it('is sent with its attachments, and the old version keeps its own', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.subarray(names),
        fc.array(change, { maxLength: 8 }),
        fc.boolean(),
        async (before, changes, isLeft) => {
          const rig = new Rig();
          const { chat } = rig;
          const { edits, panel: state } = chat;
          await rig.send(...before.map((name) => file(name)));
          const old = rig.last;
          await rig.send();
          await rig.chat.request({ name: 'edit-message', parameters: { turn: old } });
          for (const { isAdded, name } of changes) {
            if (isAdded) edits.of(old)?.attach(file(name));
            else edits.of(old)?.remove(name);
          }
          const attached = state.current().edits?.[old]?.attachments.map(({ id }) => id) ?? [];
          if (isLeft) await rig.chat.request({ name: 'stop-editing', parameters: { turn: old } });
          await rig.chat.request({ name: 'resend', parameters: { turn: old, text: 'Why not?' } });
          await rig.ended();
          const { conversation } = chat;
          const sent = conversation.turns.map(({ question }) =>
            question.attachments.map(({ id }) => id),
          );
          assert.deepEqual(sent, [isLeft ? before : attached]);
          const oldTurn = turnsOfAllPaths(conversation).find(({ id }) => id === old);
          assert.deepEqual(
            oldTurn?.question.attachments.map(({ id }) => id),
            before,
          );
          assert.deepEqual(state.current().edits, {});
          rig.chat.dispose();
        },
      ),
      { numRuns: runs(40) },
    );
  });

  it('has the cost at its position: earlier attachments are not sent again', async () => {
    const rig = new Rig();
    const { edits, panel: state, composer } = rig.chat;
    await rig.send(file('early', 'x'.repeat(2000)));
    await rig.send(file('mine', 'y'.repeat(2000)));
    const turn = rig.last;
    await rig.chat.request({ name: 'edit-message', parameters: { turn } });
    const edited = () => state.current().edits?.[turn];
    const before = edited()?.cost.tokens ?? 0;
    assert.deepEqual(
      edited()?.attachments.map((chip) => chip.state),
      ['attached'],
    );
    edits.of(turn)?.attach(file('early', 'x'.repeat(2000)));
    assert.equal(edited()?.attachments[1]?.state, 'unchanged');
    assert.ok((edited()?.cost.tokens ?? 0) < before + 200);
    edits.of(turn)?.attach(file('new', 'z'.repeat(5000)));
    assert.ok((edited()?.cost.tokens ?? 0) > before + 5000);
    edits.of(turn)?.remove('mine');
    edits.of(turn)?.remove('new');
    assert.ok((edited()?.cost.tokens ?? 0) < before - 1500);
    assert.deepEqual(composer.attachments, [], 'the next message has none of it');
    rig.chat.dispose();
  });
});
