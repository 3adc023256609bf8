import assert from 'node:assert/strict';
import { type Attachment, turnText } from '../../../../src/core/conversation/conversation.ts';
import { ServiceClient } from '../../../../src/core/service/client.ts';
import { outlineUrl } from '../../../../src/core/support/image.ts';
import type { ImageUrls } from '../../../../src/core/turn/messagePieces.ts';
import type { Chat, ChatHost } from '../../../../src/host/chat/chat.ts';
import { testChat } from './openChatRig.ts';
import {
  localFetch,
  createService,
  demoKey,
  type LocalService,
} from '../../../../src/local/service.ts';
import { imageAttachment, imageBytes, urlOf } from '../../../support/images.ts';
import { ManualClock } from '../../../support/manualClock.ts';

const seeing = 'mistral/mistral-large';
const blind = 'mistral/mistral-small';
const url = urlOf({ type: 'image/png' }, imageBytes.png(1000, 500));
const image = imageAttachment('a', {
  image: { type: 'image/png', width: 1000, height: 500, size: 29, hash: 'a'.repeat(64) },
});
const question = { text: 'What is it?', attachments: [image] };

interface Rig {
  readonly chat: Chat;
  readonly service: LocalService;
  /** The content of the user messages of the last request. */
  readonly sent: () => readonly unknown[];
  readonly read: Attachment[][];
}

function rig(load: ImageUrls = () => url, change: Partial<ChatHost> = {}): Rig {
  const clock = new ManualClock();
  const service = createService({ clock, pace: 0 });
  const fetch = localFetch(service);
  const baseUrl = 'https://api.test/v1';
  const options = { baseUrl, apiKey: demoKey, fetch, clock, silenceLimit: 30_000 };
  const client = new ServiceClient({ ...options, ...(change.meter && { meter: change.meter }) });
  const read: Attachment[][] = [];
  const chat = testChat(
    {
      clock,
      connect: () => Promise.resolve({ client, demo: false }),
      settings: (model) => {
        const images: ImageUrls | undefined =
          model === seeing ? ({ image }) => image && outlineUrl(image) : undefined;
        return { instructions: '', stream: true, options: {}, images };
      },
      meter: { estimate: (_, characters) => Math.ceil(characters / 4), learn: () => undefined },
      describe: (error) => ({ kind: 'x', message: String(error) }),
      ...change,
    },
    (images) => {
      read.push([...images]);
      return Promise.resolve(load);
    },
  );
  const sent = (): readonly unknown[] => {
    const body = service.requests.at(-1)?.body;
    const messages: unknown = Reflect.get(Object(body), 'messages');
    assert.ok(Array.isArray(messages));
    return messages
      .filter((message: unknown) => Reflect.get(Object(message), 'role') === 'user')
      .map((message: unknown): unknown => Reflect.get(Object(message), 'content'));
  };
  return { chat, service, sent, read };
}

const parts = [
  { type: 'image_url', image_url: { url } },
  { type: 'text', text: 'What is it?' },
];

describe('a chat with images', () => {
  it('sends them to a model that supports them, and continues without them with another', async () => {
    const { chat, sent, read } = rig();
    const turn = await chat.send(question, seeing);
    assert.match(turnText(turn), /PNG, 1000 × 500 pixels/);
    assert.deepEqual(sent(), [parts]);
    await chat.send({ text: 'And?', attachments: [] }, seeing);
    assert.deepEqual(sent(), [parts, 'And?']);
    await chat.send({ text: 'And now?', attachments: [] }, blind);
    assert.match(
      String(sent()[0]),
      /^a\.png \(image, 1000 × 500 pixels\): not sent, as this model/,
    );
    // No image is read for a model without image support.
    assert.equal(read.length, 2);
  });

  it('does not learn token lengths from a request with an image', async () => {
    const learned: string[] = [];
    const meter = {
      estimate: () => 1,
      learn: (...[, , , kind]: readonly [string, number, number, string]) => learned.push(kind),
    };
    const { chat } = rig(undefined, { meter });
    await chat.send(question, seeing);
    assert.deepEqual(learned, ['reply']);
    await chat.send({ text: 'And?', attachments: [] }, blind);
    assert.deepEqual(learned, ['reply', 'prompt', 'reply']);
  });
});
