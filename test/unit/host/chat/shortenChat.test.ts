import assert from 'node:assert/strict';
import { dialogsWith } from '../../../support/dialogsWith.ts';
import type { Usage } from '../../../../src/core/conversation/usage.ts';
import { outlineUrl } from '../../../../src/core/support/image.ts';
import { type ImageUrls, summaryRequest } from '../../../../src/core/turn/messagePieces.ts';
import { buildRequest } from '../../../../src/core/turn/prompt.ts';
import type { SummaryGeneration } from '../../../../src/host/chat/shortenChat.ts';
import { readSettings } from '../../../../src/host/platform/settingValues.ts';
import { imageAttachment, imageBytes, urlOf } from '../../../support/images.ts';
import { look, toolRig, type ToolRig } from '../../../support/toolTurn.ts';
import { withoutVsCode } from '../../../support/withoutVsCode.ts';

const { ShortenChat } = await withoutVsCode(
  () => import('../../../../src/host/chat/shortenChat.ts'),
);

const usage: Usage = {
  prompt_tokens: 30,
  completion_tokens: 5,
  total_tokens: 35,
  cached_tokens: 0,
  requests: 1,
  estimated: false,
};
const ofChat = 'mistral/mistral-small';
const models = {
  summarizer: { price: { input: 1_000_000, output: 1 } },
  [ofChat]: { price: { input: 1_000_000, output: 1, cachedInput: 0 } },
};
const settings = readSettings(
  (id) => (id === 'aside.models' ? { globalValue: models } : {}),
  (id) => assert.ok(false, id),
);

interface Shortening {
  /** The model that writes the summary; by default not that of the chat. */
  readonly model?: string;
  /** The summary that the model writes; undefined if the person stops it. */
  readonly text?: string | undefined;
  /** True if the model also calls a tool. */
  readonly hasCalls?: boolean;
  readonly error?: Error;
  readonly answer?: boolean;
  /** Runs before the person answers. */
  readonly before?: () => Promise<unknown>;
  /** Runs while the model writes. */
  readonly meanwhile?: () => Promise<unknown>;
}

function shorten({ chat }: Pick<ToolRig, 'chat'>, shortening: Shortening) {
  const questions: string[] = [];
  const sent: SummaryGeneration[] = [];
  const command = new ShortenChat({
    settings: { current: () => settings },
    modelFor: () => Promise.resolve(shortening.model ?? 'summarizer'),
    tokensOf: (_, characters) => Math.ceil(characters / 4),
    async generate(request) {
      sent.push(request);
      await shortening.meanwhile?.();
      request.onUsage(usage, false);
      if (shortening.error !== undefined) throw shortening.error;
      const { text, hasCalls = false } = shortening;
      return text === undefined
        ? { text: '', end: 'stopped' }
        : { text, end: 'finished', hasCalls };
    },
    dialogs: dialogsWith({
      async confirm(message, detail) {
        questions.push(`${message}\n${detail}`);
        await shortening.before?.();
        return shortening.answer ?? true;
      },
      progress: (_, task) => task(new AbortController().signal),
    }),
  });
  return { questions, sent, done: command.run(chat) };
}

async function chatWith(count: number): Promise<ToolRig> {
  const rig = toolRig({ script: ['A reply that is long enough to be worth a summary.'] });
  for (let index = 0; index < count; index++)
    await rig.ask(`message-${index}. And a few more words.`);
  return rig;
}

function textOf(chat: ToolRig['chat']): string {
  const {
    conversation,
    turn,
    settings: prompt,
  } = chat.preview({ text: 'Next.', attachments: [] }, 'm');
  const { messages } = buildRequest(conversation, turn, prompt);
  return JSON.stringify(messages);
}

describe('aside.shortenChat', () => {
  it('shows the cost first, and sends the older turns with one more message', async () => {
    const rig = await chatWith(5);
    const { questions, sent, done } = shorten(rig, { text: 'short' });
    await done;
    assert.match(
      questions[0] ?? '',
      /3 older messages.*summarizer.*≈\d+ \(≈\$\d+.*instead of ≈\d+ tokens/s,
    );
    const { messages, model } = sent[0] ?? { messages: [], model: '' };
    assert.equal(model, 'summarizer');
    const text = JSON.stringify(messages);
    for (const [index, isSent] of [true, true, true, false, false].entries())
      assert.equal(text.includes(`message-${index}.`), isSent);
    assert.equal(messages.at(-1)?.content, summaryRequest);
  });

  it('counts what the service has in its cache, if the model of the chat writes the summary', async () => {
    const rig = await chatWith(5);
    const { last } = await rig.chat.planRequest({ text: 'Next.', attachments: [] }, ofChat);
    const characters = (last?.parts ?? []).reduce((sum, part) => sum + part.characters, 0);
    const cached = Math.min(last?.usage?.cached_tokens ?? 0, Math.ceil(characters / 4));
    assert.ok(cached > 0);
    const { questions, sent, done } = shorten(rig, { text: 'short', model: ofChat });
    await done;
    const [, all, ofCache, cost] =
      /tokens to send: ≈(\d+), ≈(\d+) of them cached \(≈\$([\d.]+)\)/.exec(questions[0] ?? '') ??
      [];
    assert.equal(Number(ofCache), cached);
    assert.equal(Number(cost), Number(all) - cached);
    assert.equal(sent[0]?.messages.at(-1)?.content, summaryRequest);
  });

  it('sends only the older messages if the whole chat no longer fits', async () => {
    let contextWindow = 100_000;
    const rig = toolRig({
      list: [look],
      script: ['A reply that is long enough to be worth a summary.'],
      settings: () => ({ instructions: '', stream: true, options: {}, contextWindow }),
    });
    for (let index = 0; index < 4; index++) await rig.ask(`message-${index}. ${'x'.repeat(4000)}`);
    contextWindow = 6200;
    const { sent, done } = shorten(rig, { text: 'short', model: ofChat });
    await done;
    const [ordinary] = rig.requests();
    const { messages = [], tools } = sent[0] ?? {};
    const text = JSON.stringify(messages);
    for (const [index, isSent] of [true, true, false, false].entries())
      assert.equal(text.includes(`message-${index}.`), isSent);
    assert.deepEqual(messages.slice(0, ordinary?.messages.length), ordinary?.messages);
    assert.deepEqual(tools, ordinary?.tools);
  });

  it('refuses a reply that calls a tool, even with a text', async () => {
    const rig = await chatWith(5);
    const calling = shorten(rig, { text: 'I will look.', hasCalls: true, model: ofChat });
    await assert.rejects(calling.done, /The model didn't write a summary\. Try again\./);
    assert.equal(rig.chat.conversation.summaries, undefined);
  });

  it('names images to another model that summarizes, and sends it none', async () => {
    const images: ImageUrls = ({ image }) => image && outlineUrl(image);
    const rig = toolRig({
      script: ['A reply that is long enough to be worth a summary.'],
      settings: () => ({ instructions: '', stream: true, options: {}, images }),
      loadImages: () => Promise.resolve(() => urlOf({ type: 'image/png' }, imageBytes.png(9, 9))),
    });
    const model = 'mistral/mistral-large';
    const attachments = [imageAttachment('a')];
    await rig.chat.send({ text: 'What is it?', attachments }, model);
    for (const text of ['One?', 'Two?', 'Three?'])
      await rig.chat.send({ text, attachments: [] }, model);
    const { sent, done } = shorten(rig, { text: 'short' });
    await done;
    const text = JSON.stringify(sent[0]?.messages);
    assert.match(text, /a\.png \(image, 300 × 200 pixels\): not sent/);
    assert.doesNotMatch(text, /data:image/);
  });

  it('sends the summary in place of them, counts its usage, and can be undone in one step', async () => {
    const rig = await chatWith(5);
    const before = textOf(rig.chat);
    const usedBefore = rig.chat.conversation.usage;
    await shorten(rig, { text: ' short \n' }).done;
    const after = textOf(rig.chat);
    assert.ok(after.includes('short') && !after.includes('message-2.'));
    assert.ok(after.includes('message-3.'));
    assert.deepEqual(rig.chat.conversation.usage, { ...usedBefore, summarizer: usage });
    const [summary] = rig.chat.conversation.summaries ?? [];
    assert.equal(summary?.text, 'short');
    const written = rig.events.length;
    await rig.chat.changeBetweenTurns({ type: 'summary-use', summary: summary.id, used: false });
    await rig.chat.changeBetweenTurns({ type: 'summary-use', summary: summary.id, used: false });
    assert.equal(rig.events.length, written + 1);
    assert.equal(textOf(rig.chat), before);
    await rig.chat.changeBetweenTurns({ type: 'summary-use', summary: summary.id, used: true });
    assert.equal(textOf(rig.chat), after);
  });

  it('summarizes the summary and later turns when repeated', async () => {
    const rig = await chatWith(5);
    await shorten(rig, { text: 'first summary' }).done;
    await assert.rejects(shorten(rig, { text: 'x' }).done, /too short/);
    await rig.ask('message-5. And a few more words.');
    await rig.ask('message-6. And a few more words.');
    const { sent, done } = shorten(rig, { text: 'second summary' });
    await done;
    const text = JSON.stringify(sent[0]?.messages);
    assert.ok(text.includes('first summary') && text.includes('message-4.'));
    assert.ok(!text.includes('message-2.') && !text.includes('message-5.'));
    assert.ok(!textOf(rig.chat).includes('first summary'));
  });

  const failures: Readonly<Record<string, Shortening>> = {
    'the person says no': { text: 'short', answer: false },
    'it is stopped': { text: undefined },
    'the request fails': { error: new Error('refused') },
    'the summary is empty': { text: ' \n ' },
    'the summary is as long as the messages': { text: 'x'.repeat(60_000) },
  };
  for (const [when, shortening] of Object.entries(failures)) {
    it(`doesn't change requests if ${when}`, async () => {
      const rig = await chatWith(4);
      const before = textOf(rig.chat);
      const { sent, done } = shorten(rig, shortening);
      await done.catch(() => undefined);
      assert.equal(textOf(rig.chat), before);
      assert.equal(rig.chat.conversation.summaries, undefined);
      const counted = rig.chat.conversation.usage['summarizer'];
      assert.deepEqual(counted, sent.length > 0 ? usage : undefined);
    });
  }

  it('is refused if there is little to shorten, or the chat is read-only', async () => {
    await assert.rejects(shorten(await chatWith(3), { text: 'x' }).done, /too short/);
    const rig = await chatWith(5);
    rig.chat.access.set('read');
    await assert.rejects(shorten(rig, { text: 'x' }).done, /another window/);
    assert.deepEqual(rig.chat.conversation.summaries, undefined);
  });

  it('sends and counts nothing after the chat was closed', async () => {
    const rig = await chatWith(5);
    const before = rig.chat.conversation;
    const meanwhile = (): Promise<void> => rig.chat.close();
    const writing = shorten(rig, { meanwhile });
    await writing.done;
    assert.equal(writing.sent[0]?.signal.aborted, true);
    const asking = shorten(await chatWith(5), {});
    await asking.done;
    const other = await chatWith(5);
    const closed = shorten(other, { before: () => other.chat.close() });
    await assert.rejects(closed.done, { name: 'AbortError' });
    assert.deepEqual([asking.sent.length, closed.sent.length], [1, 0]);
    assert.equal(rig.chat.conversation, before);
  });

  it('allows sending messages meanwhile, and takes effect after them', async () => {
    const rig = await chatWith(5);
    await shorten(rig, { text: 'short', meanwhile: () => rig.ask('message-5.') }).done;
    const sentMessages = JSON.stringify(rig.requests().at(-1)?.messages);
    assert.ok(sentMessages.includes('message-0.') && sentMessages.includes('message-5.'));
    assert.ok(!textOf(rig.chat).includes('message-0.'));
    assert.ok(textOf(rig.chat).includes('message-5.'));
  });

  it("doesn't count as the last request, and is in the cache", async () => {
    const rig = await chatWith(5);
    const next = { text: 'Next.', attachments: [] };
    const textOfLast = async (): Promise<string> => {
      const { last } = await rig.chat.planRequest(next, 'm');
      return (last?.parts ?? []).map(({ text }) => text).join('');
    };
    const before = await textOfLast();
    assert.ok(before.includes('message-0.'));
    await shorten(rig, { text: 'short' }).done;
    assert.equal(await textOfLast(), before);
    await rig.ask('message-5.');
    assert.ok(!(await textOfLast()).includes('message-0.'));
  });
});
