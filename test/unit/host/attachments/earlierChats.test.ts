import assert from 'node:assert/strict';
import type { Attachment } from '../../../../src/core/conversation/conversation.ts';
import { storedAttachments } from '../../../../src/core/conversation/conversationSchema.ts';
import { attachmentKey } from '../../../../src/core/turn/messagePieces.ts';
import { withFakeVsCode } from '../../../support/withFakeVsCode.ts';

const { EarlierChats } = await withFakeVsCode(
  `
  export const l10n = { t: (text, ...given) => text.replace(/\\{(\\d)\\}/g, (all, at) => given[at] ?? all) };
  export const SymbolKind = {};
  export class ThemeIcon {}
  export class EventEmitter {}
  export const env = { language: 'en' };
  export const window = {};
  export const workspace = {};
  `,
  () => import('../../../../src/host/attachments/earlierChats.ts'),
);

const chats = [
  { id: 'open', title: 'Rain here', detail: 'now' },
  { id: 'rain', title: 'Will it rain tomorrow?', detail: '1 hr. ago' },
  { id: 'foreign', title: 'Fetch the rain', detail: '2 days ago · weather' },
  { id: 'untitled', title: 'Untitled Chat', detail: '3 days ago' },
];

function rig() {
  const attached: Attachment[] = [];
  const saved = [...chats];
  let reads = 0;
  const earlier = new EarlierChats(
    {
      list() {
        reads += 1;
        return Promise.resolve([...saved]);
      },
      text: (id, most) =>
        Promise.resolve({
          title: id === 'untitled' ? '' : id,
          text: `${id} in ${most}`,
          isTainted: id === 'foreign',
        }),
    },
    {
      attachments: attached,
      attach: (attachment) => void attached.push(attachment),
      remove: () => undefined,
    },
    () => 'open',
    {
      pick: (items, title) => {
        assert.equal(title, 'Attach Chat');
        return Promise.resolve(items.find(({ label }) => label.startsWith('Untitled'))?.value);
      },
    },
  );
  return { attached, saved, earlier, reads: () => reads };
}

describe('earlier chats after @chat', () => {
  it('are those with the typed words in their titles, without the open one', async () => {
    const { earlier } = rig();
    const idsOf = async (words: string): Promise<readonly string[]> =>
      (await earlier.choices(words)).map(({ item }) => item.id);
    assert.deepEqual(await idsOf(''), ['chat rain', 'chat foreign', 'chat untitled']);
    assert.deepEqual(await idsOf(' RAIN tom'), ['chat rain']);
    assert.deepEqual(await idsOf('snow'), []);
  });

  it('are read again for the next word, and not for each letter', async () => {
    const { earlier, saved, reads } = rig();
    await earlier.choices('');
    await earlier.choices('r');
    assert.equal(reads(), 1);
    saved.splice(0);
    earlier.renew();
    assert.deepEqual(await earlier.choices(''), []);
    await assert.rejects(earlier.pick(), /^UserError: There are no other saved chats/);
  });

  it('are attached as copies, which record that their chat is tainted', async () => {
    const { earlier, attached } = rig();
    const choices = await earlier.choices('');
    for (const index of [0, 0, 1]) await choices[index]?.choose();
    await earlier.pick();
    const [id, ...ids] = attached.map((attachment) => attachment.id);
    assert.equal(new Set([id, ...ids]).size, 4);
    const named = { id, kind: 'chat', name: 'Chat: rain', path: 'Chat: rain' };
    assert.deepEqual(attached[0], { ...named, language: 'markdown', text: 'rain in 100000' });
    assert.deepEqual(
      attached.map(({ name, tainted }) => [name, tainted]),
      [
        ['Chat: rain', undefined],
        ['Chat: rain', undefined],
        ['Chat: foreign', true],
        ['Chat: Untitled Chat', undefined],
      ],
    );
    assert.deepEqual(storedAttachments.parse(JSON.parse(JSON.stringify(attached))), attached);
    assert.equal(new Set(attached.map(attachmentKey)).size, 4, 'Chats may share a title.');
  });
});
