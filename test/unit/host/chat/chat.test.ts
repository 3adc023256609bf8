import assert from 'node:assert/strict';
import { type Attachment, turnText } from '../../../../src/core/conversation/conversation.ts';
import { outlineUrl } from '../../../../src/core/support/image.ts';
import { imageAttachment, imageBytes, urlOf } from '../../../support/images.ts';
import { toolRig } from '../../../support/toolTurn.ts';
import { withoutVsCode } from '../../../support/withoutVsCode.ts';

const { sendFromCommand } = await withoutVsCode(() => import('../../../../src/host/chat/ask.ts'));

const model = 'mistral/mistral-small';

describe('a chat', () => {
  it('keeps the text of a stopped reply, and continues it in the same turn', async () => {
    const whole = 'A reply of several words, which is stopped in between.';
    const { chat, service, ask, happens } = toolRig({ script: [whole, ' And the end.'] });
    service.faults.push({ kind: 'stall', after: 8 });
    const text = happens('text-delta');
    const asking = ask();
    await text;
    chat.stop();
    const stopped = await asking;
    assert.equal(stopped.status, 'stopped');
    assert.ok(turnText(stopped) !== '' && whole.startsWith(turnText(stopped)));
    assert.ok(turnText(stopped).length <= 8);
    assert.equal(stopped.usage?.estimated, true);
    assert.equal(service.requests[0]?.aborted, true);

    const turn = await chat.continue();
    assert.equal(turn.id, stopped.id);
    assert.equal(turn.status, 'finished');
    assert.equal(turnText(turn), `${turnText(stopped)} And the end.`);
    assert.equal(turn.usage?.requests, 2);
  });

  it('sends images to a model that supports them, and continues without them with another', async () => {
    const url = urlOf({ type: 'image/png' }, imageBytes.png(1000, 500));
    const read: (readonly Attachment[])[] = [];
    const seeing = 'mistral/mistral-large';
    const { chat, requests } = toolRig({
      script: ['A picture.'],
      settings: (of) => {
        const images =
          of === seeing ? ({ image }: Attachment) => image && outlineUrl(image) : undefined;
        return { instructions: '', stream: true, options: {}, images };
      },
      loadImages: (images) => {
        read.push(images);
        return Promise.resolve(() => url);
      },
    });
    const sent = () =>
      requests()
        .at(-1)
        ?.messages.flatMap(({ role, content }) => (role === 'user' ? [content] : []));
    const image = {
      type: 'image/png',
      width: 1000,
      height: 500,
      size: 29,
      hash: 'a'.repeat(64),
    } as const;
    await chat.send(
      { text: 'What is it?', attachments: [imageAttachment('a', { image })] },
      seeing,
    );
    const parts = [
      { type: 'image_url', image_url: { url } },
      { type: 'text', text: 'What is it?' },
    ];
    assert.deepEqual(sent(), [parts]);
    await chat.send({ text: 'And?', attachments: [] }, seeing);
    assert.deepEqual(sent(), [parts, 'And?']);
    await chat.send({ text: 'And now?', attachments: [] }, model);
    assert.match(
      String(sent()?.[0]),
      /^a\.png \(image, 1000 × 500 pixels\): not sent, as this model/,
    );
    // No image is read for a model without image support.
    assert.equal(read.length, 2);
  });
});

describe('sendFromCommand', () => {
  it('resolves with the finished turn', async () => {
    const { chat } = toolRig({ script: ['Hello.'] });
    const result = await sendFromCommand(chat, { prompt: 'Hello', model });
    assert.equal(result.finishReason, 'stop');
    assert.equal(result.model, model);
    assert.equal(result.usage.estimated, false);
    assert.deepEqual(result.toolCalls, []);
  });

  it('resolves with the text of a reply that was cut off, and rejects if there is none', async () => {
    const { chat, service } = toolRig({ script: ['Hello, how are you?'] });
    service.faults.push({ kind: 'cut', after: 9 });
    const cut = await sendFromCommand(chat, { prompt: 'Hello', model });
    assert.equal(cut.finishReason, 'cut');
    assert.equal(cut.text.length, 9);
    service.faults.push({ kind: 'status', status: 401 });
    const refused = sendFromCommand(chat, { prompt: 'Hello', model });
    await assert.rejects(refused, /HTTP status 401/);
  });
});
