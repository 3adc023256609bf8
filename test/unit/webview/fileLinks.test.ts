import assert from 'node:assert/strict';
import type { Conversation, Turn } from '../../../src/core/conversation/conversation.ts';
import { PanelPage } from './panel.ts';
import { chatWithParts } from './tools.ts';

const text = [
  'See src/a.ts:12 and **src/a.ts**, not src/missing.ts or https://e.org/src/a.ts.',
  'Call `toFahrenheit()` from [the code](src/a.ts#L3) and `nothing`.',
  '',
  '```ts',
  "import 'src/a.ts';",
  '```',
].join('\n');

const reply = (status: Turn['status'] = 'finished', said = text): Conversation =>
  chatWithParts([{ type: 'text', text: said }], { status });

const known = new Map([
  ['src/a.ts', { path: 'src/a.ts' }],
  ['toFahrenheit', { path: 'src/a.ts', line: 7 }],
]);

describe('links to files in a reply', () => {
  let openedLinks: string[][] = [];

  async function open(conversation: Conversation): Promise<PanelPage> {
    openedLinks = [];
    const panel = await PanelPage.open();
    panel.resultOf = ({ name, parameters }) => {
      if (name !== 'find-references') return undefined;
      openedLinks.push(parameters.words.map((word) => word.text));
      return { value: parameters.words.map((word) => known.get(word.text) ?? null) };
    };
    await panel.show({ conversation });
    await panel.until(() => panel.all('.file-link').length > 0);
    return panel;
  }

  const titles = (panel: PanelPage): string[] =>
    panel.all('.file-link').map((link) => `${link.textContent} → ${link.title}`);
  const linked = [
    'src/a.ts:12 → src/a.ts:12',
    'src/a.ts → src/a.ts',
    'toFahrenheit() → src/a.ts:7',
    'the code (src/a.ts#L3) → src/a.ts:3',
  ];

  it('are existing files and symbols, requested in one message', async () => {
    const panel = await open(reply());
    assert.deepEqual(titles(panel), linked);
    assert.deepEqual(openedLinks, [['src/a.ts', 'src/missing.ts', 'toFahrenheit', 'nothing']]);
    assert.match(
      panel.element('.prose').textContent,
      /^See src\/a\.ts:12 and src\/a\.ts, not src\/missing\.ts or https:\/\/e\.org\/src\/a\.ts\.\nCall toFahrenheit\(\) from the code \(src\/a\.ts#L3\) and nothing\./,
    );
  });

  it('open by click and Enter, and have no address', async () => {
    const panel = await open(reply());
    const [line, , symbol] = panel.all('.file-link');
    assert.ok(line && symbol);
    line.click();
    symbol.dispatchEvent(
      new panel.window.KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true }),
    );
    assert.deepEqual(panel.requests(), [
      { name: 'open-file', parameters: { path: 'src/a.ts', line: 12 } },
      { name: 'open-file', parameters: { path: 'src/a.ts', line: 7 } },
    ]);
    for (const link of panel.all('.file-link')) {
      assert.equal(link.hasAttribute('href'), false);
      assert.deepEqual([link.getAttribute('role'), link.tabIndex], ['link', 0]);
    }
  });

  it('are not searched while text streams, and are added again after Continue', async () => {
    const panel = await open(reply('stopped'));
    const before = openedLinks.length;
    await panel.play(
      { type: 'turn-continue', at: 2 },
      { type: 'text-delta', text: '\n\nAnd src/a.ts:99 too.', at: 2 },
    );
    assert.equal(openedLinks.length, before);
    await panel.play({ type: 'turn-end', status: 'finished', at: 3 });
    await panel.until(() => panel.all('.file-link').length === linked.length + 1);
    assert.deepEqual(titles(panel), [...linked, 'src/a.ts:99 → src/a.ts:99']);
  });

  it('stay after the chat is shown again', async () => {
    const panel = await open(reply());
    await panel.show({ conversation: reply() });
    await panel.drawn();
    assert.deepEqual(titles(panel), linked);
  });

  it('are limited in number, so that no reply requests more than the host accepts', async () => {
    const many = Array.from({ length: 500 }, (_, index) => `src/f${index}.ts`).join(' ');
    const panel = await open(reply('finished', `src/a.ts ${many} src/a.ts`));
    assert.deepEqual(
      openedLinks.map(({ length }) => length),
      [200],
    );
    assert.equal(panel.all('.file-link').length, 2);
  });
});
