import assert from 'node:assert/strict';
import { sideChatEvents } from '../../src/core/history/chatImport.ts';
import type { CompletionRequest } from '../../src/core/service/wire.ts';
import { outlineUrl } from '../../src/core/support/image.ts';
import { summaryRequest } from '../../src/core/turn/messagePieces.ts';
import { RunningRequests } from '../../src/host/usage/runningRequests.ts';
import { currentSettings } from '../support/currentSettings.ts';
import { dialogsWith } from '../support/dialogsWith.ts';
import { imageAttachment, imageBytes, urlOf } from '../support/images.ts';
import { change, look, toolRig, type ToolRig, type ToolRigOptions } from '../support/toolTurn.ts';
import { withoutVsCode } from '../support/withoutVsCode.ts';

const { ShortenChat } = await withoutVsCode(() => import('../../src/host/chat/shortenChat.ts'));
const { createTextGenerator } = await withoutVsCode(
  () => import('../../src/host/editor/textGenerator.ts'),
);

const model = 'mistral/mistral-large';
const reply = 'A reply that is long enough to be worth a summary.';

/** A chat with instructions, tools and images, whose service wants the traces of all rounds. */
function rig(script: Required<ToolRigOptions>['script']): ToolRig {
  return toolRig({
    script,
    list: [look, change],
    facts: { trace: 'chat' },
    settings: () => ({
      instructions: 'Be kind.',
      files: [{ path: 'AGENTS.md', text: 'Use tabs.' }],
      stream: true,
      options: { stop: ['###'] },
      images: ({ image }) => image && outlineUrl(image),
    }),
    loadImages: () => Promise.resolve(() => urlOf({ type: 'image/png' }, imageBytes.png(9, 9))),
  });
}

/** A chat after a message with an image and calls, and three more messages. */
async function chat(): Promise<ToolRig> {
  const toolCalls = [{ name: 'look', arguments: '{"name":"a"}' }];
  const main = rig([{ reasoning: 'Let me look.', content: '', toolCalls }, reply]);
  await main.chat.send({ text: 'What is it?', attachments: [imageAttachment('a')] }, model);
  for (const text of ['One?', 'Two?', 'Three?']) await send(main, text);
  const sent = JSON.stringify(main.requests().at(-1));
  assert.match(sent, /Be kind.*image_url.*Use tabs.*Let me look.*This is a/);
  return main;
}

async function send({ chat }: ToolRig, text: string): Promise<void> {
  await chat.send({ text, attachments: [] }, model);
}

function lastRequest(of: ToolRig): CompletionRequest {
  const request = of.requests().at(-1);
  assert.ok(request);
  return request;
}

/** Fails unless a request begins with all that an earlier one sent, and returns what it adds. */
function addition(
  first: CompletionRequest,
  next: CompletionRequest,
): CompletionRequest['messages'] {
  const { length } = first.messages;
  assert.equal(JSON.stringify(next.messages.slice(0, length)), JSON.stringify(first.messages));
  assert.equal(JSON.stringify(next.tools), JSON.stringify(first.tools));
  assert.ok(first.tools?.length === 2);
  return next.messages.slice(length);
}

describe('a request that continues a chat begins as the last one, byte for byte:', () => {
  it('Shorten Chat', async () => {
    const main = await chat();
    const before = lastRequest(main);
    const settings = currentSettings(() => ({}));
    const generator = createTextGenerator({
      clock: main.clock,
      running: new RunningRequests(),
      settings,
      service: {
        connect: () => Promise.resolve({ client: main.client, demo: false, service: 'test' }),
        check: () => Promise.resolve(),
        describe: (error) => ({ kind: 'any', message: String(error) }),
      },
    });
    const shorten = new ShortenChat({
      settings,
      modelFor: () => Promise.resolve(model),
      tokensOf: (_, characters) => Math.ceil(characters / 4),
      generate: (request) => generator.generate({ ...request, onText: () => undefined }),
      dialogs: dialogsWith({
        confirm: () => Promise.resolve(true),
        progress: (_, task) => task(new AbortController().signal),
      }),
    });
    await shorten.run(main.chat);
    const request = lastRequest(main);
    assert.deepEqual(
      addition(before, request).map(({ content }) => content),
      [reply, summaryRequest],
    );
    assert.equal(request.stop, undefined, 'It could end the summary early.');
    assert.equal(main.chat.conversation.summaries?.[0]?.text, reply);
  });

  it('the side chat', async () => {
    const main = await chat();
    const side = rig([reply]);
    side.chat.show(sideChatEvents(main.chat.conversation, 'Why?'));
    await send(side, 'Why?');
    const added = addition(lastRequest(main), lastRequest(side));
    assert.deepEqual(
      added.map(({ content }) => content),
      [reply, 'Why?'],
    );
  });

  it('Retry', async () => {
    const main = await chat();
    const before = lastRequest(main);
    await main.chat.resend(main.chat.conversation.turns.at(-1)?.id ?? '', {});
    assert.deepEqual(addition(before, lastRequest(main)), []);
  });

  it('Continue', async () => {
    const main = await chat();
    main.service.faults.push({ kind: 'cut', after: 10 });
    await send(main, 'And now?');
    const before = lastRequest(main);
    await main.chat.continue();
    const roles = addition(before, lastRequest(main)).map(({ role }) => role);
    assert.deepEqual(roles, ['assistant', 'user']);
  });
});
