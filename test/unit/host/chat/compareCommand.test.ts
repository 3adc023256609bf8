import assert from 'node:assert/strict';
import { pathOf } from '../../../../src/core/conversation/paths.ts';
import { ImageFiles } from '../../../../src/host/chat/imageFiles.ts';
import { DiskFiles } from '../../../../src/host/node/diskFiles.ts';
import type { CompareOptions } from '../../../../src/host/chat/compareCommand.ts';
import { imageAttachment, imageBytes } from '../../../support/images.ts';
import { TemporaryFolder } from '../../../support/temporaryFolder.ts';
import { withoutVsCode } from '../../../support/withoutVsCode.ts';
import { openChats, SlowModel, type ChatRigOptions } from './openChatRig.ts';
import { settled } from '../../../support/settled.ts';

const { compareModels } = await withoutVsCode(
  () => import('../../../../src/host/chat/compareCommand.ts'),
);

/** A window with a chat in the side bar, whose model is `m`. */
function rig(
  further: readonly string[] | undefined,
  refusedModel = '',
  files?: Pick<ChatRigOptions, 'imageFiles'>,
) {
  const model = new SlowModel();
  const { chats } = openChats({
    ...files,
    client: model.client,
    chat: {
      checkMessage: (_, models) =>
        models.includes(refusedModel)
          ? Promise.reject(new Error('It sees no images.'))
          : Promise.resolve(),
    },
  });
  const open = chats.inSidebar;
  const tabs: [id: string, isBeside: boolean][] = [];
  const estimates: unknown[] = [];
  const options: CompareOptions = {
    chat: open,
    chats,
    expand: (message) => Promise.resolve({ message }),
    tabs: {
      open(id, isBeside) {
        tabs.push([id, isBeside]);
        return Promise.resolve();
      },
    },
    pickFurther(inUse, estimate) {
      estimates.push(inUse, estimate(['n']).tokens);
      return Promise.resolve(further);
    },
  };
  const compare = async (text: string): Promise<void> => {
    await open.composer.setDraft(text);
    await compareModels(options);
    await settled();
  };
  /** The copies, in the order of their models. */
  const copies = () => tabs.flatMap(([id]) => chats.ofConversation(id) ?? []);
  return { open, model, tabs, estimates, compare, copies };
}

describe('Compare Models', () => {
  it('sends the message in the chat, and to further models in copies of it in tabs', async () => {
    const { open, model, tabs, compare, copies } = rig(['a/n', 'o']);
    void open.send({ text: 'Hello', attachments: [] }, 'm');
    await settled();
    await model.finish();
    const file = { id: 'f', name: 'f', path: 'f', language: 'ts', text: 'x' };
    open.composer.attach(file);
    await compare('What is this?');
    assert.deepEqual([open.composer.draft, open.composer.attachments], ['', []]);
    const sent = [open, ...copies()].map((chat) =>
      pathOf(chat.conversation).map(({ model, question }) => [model, question.text]),
    );
    const before = ['m', 'Hello'];
    assert.deepEqual(
      sent,
      ['m', 'a/n', 'o'].map((model) => [before, [model, 'What is this?']]),
    );
    assert.deepEqual(copies()[0]?.conversation.running?.question.attachments, [file]);
    assert.deepEqual(
      tabs.map(([, isBeside]) => isBeside),
      [false, true],
    );
    assert.deepEqual(
      copies().map(({ conversation }) => conversation.title),
      ['Hello (n)', 'Hello (o)'],
    );
    await model.finish();
    for (const chat of [open, ...copies()]) assert.equal(chat.conversation.turns.length, 2);
  });

  for (const [mode, ofCopies] of [
    ['agent', 'ask'],
    ['ask', 'ask'],
    ['chat', 'chat'],
  ] as const)
    it(`gives copies of a chat in the mode ${mode} the mode ${ofCopies}`, async () => {
      const { open, compare, copies } = rig(['n']);
      open.setMode(mode);
      await compare('Why?');
      const [copy] = copies();
      assert.deepEqual([open.mode, copy?.mode], [mode, ofCopies]);
      assert.equal(copy?.conversation.running?.mode, ofCopies);
    });

  it('gives each copy the images of the chat and of the message', async () => {
    const folder = await TemporaryFolder.create();
    const imageFiles = new ImageFiles(new DiskFiles(folder.path));
    const { open, compare, copies } = rig(['n'], '', { imageFiles });
    const hashes: string[] = [];
    for (const [width, text] of [
      [30, 'And this?'],
      [40, 'Which one?'],
    ] as const) {
      const image = await open.images.save(imageBytes.png(width, 20));
      assert.ok(image !== undefined);
      hashes.push(image.hash);
      const attachment = imageAttachment(text, { image });
      if (hashes.length === 2) open.composer.attach(attachment);
      else {
        void open.send({ text, attachments: [attachment] }, 'm');
        await settled();
        open.stop();
        await settled();
      }
    }
    await compare('Which one?');
    const [copy] = copies();
    for (const hash of hashes) assert.match((await copy?.images.url(hash)) ?? '', /^data:image/);
    await folder.dispose();
  });

  it('says what sending to all of the models costs', async () => {
    const { open, estimates, compare } = rig(undefined);
    await compare('Why?');
    const { tokens } = open.panel.costs.ofModels({ text: 'Why?', attachments: [] }, ['m']);
    assert.deepEqual(estimates, ['m', 2 * tokens]);
  });

  it('sends nothing, and keeps the message, if no models are selected', async () => {
    const { open, tabs, compare } = rig(undefined);
    await compare('Why?');
    assert.deepEqual([open.composer.draft, open.isBlank, tabs], ['Why?', true, []]);
  });

  it('sends nothing if one of the models would refuse the message', async () => {
    const { open, tabs, compare } = rig(['n', 'o'], 'o');
    await assert.rejects(compare('Why?'), /It sees no images/);
    assert.deepEqual([open.composer.draft, open.isBlank, tabs], ['Why?', true, []]);
  });

  it('needs a message, and a chat without a running reply', async () => {
    const { open, tabs, compare } = rig(['n']);
    await assert.rejects(compare(' '), /Type a message first/);
    void open.send({ text: 'Hello', attachments: [] }, 'm').catch(() => undefined);
    await settled();
    await assert.rejects(compare('Why?'), /Wait for the reply/);
    assert.deepEqual([open.composer.draft, tabs], ['Why?', []]);
  });
});
