import assert from 'node:assert/strict';
import type { FileRestore } from '../../../../src/core/conversation/conversation.ts';
import type { ChatCallName } from '../../../../src/host/chat/chat.ts';
import type { Call } from '../../../../src/protocol/rpc.ts';
import { openChat, SlowModel } from './openChatRig.ts';
import { settled } from '../../../support/settled.ts';

/** A chat whose reply was stopped or has finished. */
async function rig(isStopped: boolean) {
  const model = new SlowModel();
  /** Messages are refused from this check on. */
  const refusing = { from: Infinity };
  let checks = 0;
  const restored: FileRestore = { id: 'r', turns: [], files: ['a'], left: [], status: 'restored' };
  const never = (): Promise<never> => new Promise(() => undefined);
  const open = openChat(
    { id: 'c', origin: 'new' },
    {
      restores: { restore: () => Promise.resolve(restored) },
      attachments: { complete: never, 'more-completions': never, 'attach-addresses': never },
      pickModel: () => Promise.resolve('other'),
      client: model.client,
      chat: {
        checkMessage: () =>
          (checks += 1) < refusing.from ? Promise.resolve() : Promise.reject(new Error('Refused.')),
      },
    },
  );
  const chat = open;
  void chat.send({ text: 'Why?', attachments: [] }, 'm');
  for (let word = 0; word < 3; word++) {
    await settled();
    if (isStopped && word === 1) chat.stop();
    model.step();
  }
  await settled();
  const turn = chat.conversation.turns[0]?.id ?? '';
  return { open, chat, turn, refuseFrom: (check: number) => (refusing.from = checks + check) };
}

describe('a request to send something again', () => {
  const calls = (turn: string) =>
    [
      { name: 'retry', parameters: { turn, chooseModel: false } },
      { name: 'retry-without-tools', parameters: { turn } },
      { name: 'resend', parameters: { turn, text: 'Why not?' } },
      { name: 'resend', parameters: { turn, text: 'Why not?', restoreFiles: true } },
      { name: 'continue', parameters: { turn } },
    ] as const;

  for (const [index, { name }] of calls('').entries()) {
    it(`succeeds when the turn starts: ${name}, ${index}`, async () => {
      const { open, chat, turn } = await rig(true);
      const [call] = calls(turn).slice(index);
      assert.ok(call !== undefined);
      await open.request(call);
      assert.ok(chat.isRunning);
      chat.stop();
      await settled();
    });

    // Continue sends no message that could be checked.
    if (name === 'continue') continue;
    for (const check of name === 'retry-without-tools' ? [1] : [1, 2])
      it(`fails with the reason, at check ${check}: ${name}, ${index}`, async () => {
        const { open, chat, turn, refuseFrom } = await rig(true);
        await open.request({ name: 'edit-message', parameters: { turn } });
        const [call] = calls(turn).slice(index);
        assert.ok(call !== undefined);
        refuseFrom(check);
        await assert.rejects(open.request(call), /Refused\./);
        assert.equal(chat.isRunning, false);
        assert.ok(open.edits.of(turn) !== undefined, 'The attachments of the edit are lost.');
      });
  }

  it('keeps both replies as versions if another model is chosen', async () => {
    const { open, chat, turn } = await rig(false);
    await open.request({ name: 'retry', parameters: { turn, chooseModel: true } });
    const { conversation, versions = {} } = open.panel.snapshot(undefined);
    const { id = '', model } = conversation.running ?? {};
    assert.equal(model, 'other');
    assert.deepEqual(versions[id]?.reply, { number: 2, count: 2, previous: turn });
    chat.stop();
    await settled();
  });

  it('fails if there is nothing to continue', async () => {
    const { open, turn } = await rig(false);
    const call = { name: 'continue', parameters: { turn } } as const;
    await assert.rejects(open.request(call), /nothing left to continue/);
  });

  it('fails while another window writes the chat', async () => {
    const { open, chat, turn } = await rig(true);
    chat.access.set('read');
    const call = { name: 'continue', parameters: { turn } } as const;
    await assert.rejects(open.request(call), /another window/);
  });
});

describe('a request for another version', () => {
  it('is refused during a reply, and so is one to use a summary', async () => {
    const { open, chat, turn } = await rig(false);
    const again = { name: 'retry', parameters: { turn, chooseModel: false } } as const;
    await open.request(again);
    const select = { name: 'select-version', parameters: { turn } } as const;
    const summary = { name: 'use-summary', parameters: { summary: 's', used: false } } as const;
    for (const call of [select, summary])
      await assert.rejects(open.request(call), /Wait for the reply, or stop it first\./);
    chat.stop();
    await settled();
    assert.notEqual(chat.conversation.turns[0]?.id, turn);
    await open.request(select);
    assert.equal(chat.conversation.turns[0]?.id, turn);
  });
});

describe('a long request', () => {
  for (const [call, isBusy] of [
    [{ name: 'complete', parameters: { trigger: '@', query: 'a' } }, false],
    [{ name: 'more-completions', parameters: {} }, false],
    [{ name: 'attach-addresses', parameters: { addresses: ['/a'] } }, true],
  ] satisfies [Call<ChatCallName>, boolean][])
    it(`${isBusy ? 'keeps' : "doesn't keep"} its chat open: ${call.name}`, async () => {
      const { open } = await rig(false);
      assert.equal(open.isInUse, false);
      void open.request(call);
      await settled();
      assert.equal(open.isInUse, isBusy);
    });
});
