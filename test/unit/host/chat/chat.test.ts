import assert from 'node:assert/strict';
import { turnText, type Turn } from '../../../../src/core/conversation/conversation.ts';
import { ServiceClient, type Client } from '../../../../src/core/service/client.ts';
import { ServiceError } from '../../../../src/core/service/errors.ts';
import type { Chat, ChatHost } from '../../../../src/host/chat/chat.ts';
import { testChat } from './openChatRig.ts';
import {
  localFetch,
  createService,
  demoKey,
  type LocalService,
} from '../../../../src/local/service.ts';
import { ManualClock } from '../../../support/manualClock.ts';
import { nextEvent } from '../../../support/turns.ts';
import { withoutVsCode } from '../../../support/withoutVsCode.ts';

const { sendFromCommand } = await withoutVsCode(() => import('../../../../src/host/chat/ask.ts'));

const model = 'mistral/mistral-small';

interface Rig {
  readonly chat: Chat;
  readonly clock: ManualClock;
  readonly service: LocalService;
  readonly client: Client;
  readonly recorded: number[];
}

function rig(change: Partial<ChatHost> = {}): Rig {
  const clock = new ManualClock();
  const service = createService({ clock, pace: 0 });
  const recorded: number[] = [];
  const baseUrl = 'https://api.test/v1';
  const fetch = localFetch(service);
  const options = { baseUrl, apiKey: demoKey, fetch, clock, silenceLimit: 30_000 };
  const client = new ServiceClient(options);
  const chat = testChat({
    clock,
    connect: () => Promise.resolve({ client, demo: false }),
    describe: (error) => ({
      kind: error instanceof ServiceError ? error.kind : 'unexpected',
      message: error instanceof Error ? error.message : String(error),
    }),
    ...change,
  });
  chat.onDidChange((change) => {
    if (change.type !== 'event' || change.event.type !== 'usage') return;
    const { requests, total_tokens } = change.event.usage;
    if (requests > 0) recorded.push(total_tokens);
  });
  return { chat, clock, service, client, recorded };
}

const userMessage = (text: string): { text: string; attachments: [] } => ({
  text,
  attachments: [],
});

async function stoppedTurn(chatRig: Rig): Promise<Turn> {
  chatRig.service.faults.push({ kind: 'stall', after: 8 });
  const text = nextEvent(chatRig.chat, 'text-delta');
  const asking = chatRig.chat.send(userMessage('Hello'), model);
  await text;
  chatRig.chat.stop();
  return asking;
}

describe('Chat', () => {
  it('keeps the text of a stopped reply, and continues it in the same turn', async () => {
    const chatRig = rig();
    const whole = turnText(await rig().chat.send(userMessage('Hello'), model));
    const stopped = await stoppedTurn(chatRig);
    assert.equal(stopped.status, 'stopped');
    assert.ok(turnText(stopped) !== '' && whole.startsWith(turnText(stopped)));
    assert.ok(turnText(stopped).length <= 8);
    assert.equal(stopped.usage?.estimated, true);
    assert.equal(chatRig.service.requests[0]?.aborted, true);

    const turn = await chatRig.chat.continue();
    assert.equal(turn.id, stopped.id);
    assert.equal(turn.status, 'finished');
    assert.equal(turnText(turn), whole);
    assert.equal(turn.usage?.requests, 2);
  });
});

describe('sendFromCommand', () => {
  it('resolves with the finished turn', async () => {
    const { chat } = rig();
    const result = await sendFromCommand(chat, { prompt: 'Hello', model });
    assert.equal(result.finishReason, 'stop');
    assert.equal(result.model, model);
    assert.equal(result.usage.estimated, false);
    assert.deepEqual(result.toolCalls, []);
  });

  it('resolves with the text of a reply that was cut off, and rejects if there is none', async () => {
    const { chat, service } = rig();
    service.faults.push({ kind: 'cut', after: 9 });
    const cut = await sendFromCommand(chat, { prompt: 'Hello', model });
    assert.equal(cut.finishReason, 'cut');
    assert.equal(cut.text.length, 9);
    service.faults.push({ kind: 'status', status: 401 });
    const refused = sendFromCommand(chat, { prompt: 'Hello', model });
    await assert.rejects(refused, /HTTP status 401/);
  });
});
