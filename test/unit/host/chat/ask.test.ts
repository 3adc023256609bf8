import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Turn } from '../../../../src/core/conversation/conversation.ts';
import { withFakeVsCode } from '../../../support/withFakeVsCode.ts';
import { withoutVsCode } from '../../../support/withoutVsCode.ts';

const { ask } = await withoutVsCode(() => import('../../../../src/host/chat/ask.ts'));

interface Sent {
  readonly chats: boolean[];
  readonly messages: unknown[];
}

/** Calls `aside.ask` as another extension does. The chat records messages without sending them. */
async function call(
  prompt: unknown,
  options: unknown,
): Promise<{ readonly sent: Sent; readonly error: unknown }> {
  const sent: Sent = { chats: [], messages: [] };
  const send = (...parameters: readonly unknown[]): Promise<never> => {
    sent.messages.push(parameters);
    return Promise.reject(new Error('Sent'));
  };
  const showChat = (isNew: boolean): Promise<{ readonly send: typeof send }> => {
    sent.chats.push(isNew);
    return Promise.resolve({ send });
  };
  const model = (): string => 'selected';
  const requireModel = (): Promise<string> => Promise.resolve('selected');
  const error: unknown = await ask({ showChat, model, requireModel }, prompt, options).catch(
    (reason: unknown) => reason,
  );
  return { sent, error };
}

const refusesAll = new Proxy(
  {},
  {
    get() {
      throw new Error('Mine');
    },
  },
);

describe('aside.ask of another extension', () => {
  it('sends a prompt, and uses only a model and a new chat from its options', async () => {
    const values = fc.anything({ withNullPrototype: true, withBigInt: true });
    const others = fc.dictionary(
      fc.constantFrom('tools', 'approval', 'maxRounds', 'attachments', '__proto__', 'constructor'),
      values,
    );
    await fc.assert(
      fc.asyncProperty(others, async (more) => {
        const { sent } = await call('Hello', { ...more, newChat: true, model: 'other' });
        assert.deepEqual(sent.chats, [true]);
        assert.deepEqual(sent.messages, [[{ text: 'Hello', attachments: [] }, 'other']]);
      }),
      { numRuns: 200 },
    );
    assert.equal(Object.hasOwn(Object.prototype, 'model'), false);
  });

  it('either sends exactly that, or opens no chat and states what it accepts', async () => {
    const values = fc.oneof(
      fc.anything({ withNullPrototype: true, withBigInt: true, withDate: true, withMap: true }),
      fc.constant(refusesAll),
      fc.record({ model: fc.anything(), newChat: fc.anything() }),
    );
    await fc.assert(
      fc.asyncProperty(values, async (options) => {
        const { sent, error } = await call('Hello', options);
        assert.ok(error instanceof Error);
        if (sent.messages.length > 0) return;
        assert.deepEqual(sent.chats, []);
        assert.ok(error instanceof TypeError);
        assert.match(error.message, /^aside\.ask accepts the options/);
      }),
      { numRuns: 500 },
    );
  });

  it("refuses every prompt that isn't a string", async () => {
    const prompts = [null, 1, {}, [], ['Hello'], ' \n', refusesAll, { toString: () => 'Hello' }];
    for (const prompt of prompts) {
      const { sent, error } = await call(prompt, undefined);
      assert.deepEqual(sent.chats, []);
      assert.ok(error instanceof TypeError);
      assert.match(error.message, /^aside\.ask needs a prompt/);
    }
  });
});

describe('aside.ask of a person', () => {
  const vscode = `
    export const window = { showInputBox: async () => 'Why?' };
    export const l10n = { t: (text) => text };
  `;
  const askWith = async (send: () => Promise<Turn>): Promise<unknown> => {
    const load = () => import('../../../../src/host/chat/ask.ts');
    const { ask: askPerson } = await withFakeVsCode(vscode, load);
    const requireModel = (): Promise<string> => Promise.resolve('m');
    const showChat = (): Promise<{ send: typeof send }> => Promise.resolve({ send });
    return askPerson({ showChat, model: () => 'm', requireModel }, undefined, undefined);
  };

  it('reports why the message was not sent', async () => {
    const refused = new Error('Another window writes this chat.');
    await assert.rejects(
      askWith(() => Promise.reject(refused)),
      refused,
    );
  });

  it('leaves it to the panel to report that a reply failed', async () => {
    const error = { kind: 'x', message: 'No reply.' };
    const turn: Turn = {
      id: 't',
      question: { text: 'Why?', attachments: [] },
      model: 'm',
      parts: [],
      status: 'failed',
      error,
      startedAt: 0,
      runningSince: 0,
      duration: 0,
    };
    await assert.doesNotReject(askWith(() => Promise.resolve(turn)));
  });
});
