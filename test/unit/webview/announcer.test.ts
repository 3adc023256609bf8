import assert from 'node:assert/strict';
import type { ConversationEvent } from '../../../src/core/conversation/events.ts';
import type { PanelState } from '../../../src/protocol/messages.ts';
import { PanelPage, readyState } from './panel.ts';
import { chat, chip, edit, end, finished, start } from './tools.ts';

/** The `aria-live` value that each role implies. */
const liveRoles: Readonly<Record<string, string>> = {
  status: 'polite',
  log: 'polite',
  alert: 'assertive',
};

/** Records what a screen reader would announce: text added to live regions that are not busy. */
class ScreenReader {
  readonly announced: string[] = [];
  readonly #page: PanelPage;

  constructor(page: PanelPage) {
    this.#page = page;
    const { MutationObserver, document } = page.window;
    const observer = new MutationObserver((changes) => {
      for (const { type, target, addedNodes } of changes)
        for (const node of type === 'characterData' ? [target] : addedNodes) this.#announce(node);
    });
    observer.observe(document.body, { subtree: true, childList: true, characterData: true });
  }

  #announce(node: Node): void {
    const { Element } = this.#page.window;
    // An alert is announced wherever it is inserted.
    if (node instanceof Element && !node.matches('[role=alert]'))
      for (const alert of node.querySelectorAll('[role=alert]')) this.#announce(alert);
    const element = node instanceof Element ? node : node.parentElement;
    if (element?.isConnected !== true || element.closest('[aria-hidden=true]') !== null) return;
    if (element.closest('[aria-busy=true]') !== null) return;
    const region = element.closest('[aria-live], [role=status], [role=log], [role=alert]');
    const role = region?.getAttribute('role') ?? '';
    const live = region?.getAttribute('aria-live') ?? liveRoles[role] ?? 'off';
    const text = node.textContent?.trim() ?? '';
    if (live !== 'off' && text !== '') this.announced.push(text);
  }
}

const retry = (resumeAt: number): ConversationEvent => ({
  type: 'request-retry',
  retry: {
    attempt: 2,
    attempts: 4,
    resumeAt,
    error: { kind: 'rate-limited', message: 'Too many requests.' },
  },
});

const text = (part: string): ConversationEvent => ({ type: 'text-delta', text: part, at: 0 });

describe('announcements', () => {
  async function open(): Promise<{ panel: PanelPage; announced: readonly string[] }> {
    const page = await PanelPage.open({ conversation: chat({ ...finished, id: 'before' }) });
    const { announced } = new ScreenReader(page);
    return { panel: page, announced };
  }

  it('announce the beginning of a reply once, when it ends, and nothing of the stream', async () => {
    const { panel, announced } = await open();
    const words = Array.from({ length: 200 }, (_, index) => `word${index}`);
    await panel.play(start);
    for (const word of words) await panel.play(text(`${word} `));
    assert.deepEqual(announced, ['Waiting', 'Replying']);
    await panel.play(end);
    assert.equal(announced.length, 3);
    assert.match(announced[2] ?? '', /^Reply: word0 word1 .* word\d+…$/);
    assert.ok((announced[2] ?? '').length < 220);
  });

  it('announce a reply without its Markdown', async () => {
    const samples: readonly (readonly [string, string])[] = [
      ['# Title\n\nSome **bold** `code_name`.', 'Reply: Title Some bold code_name.'],
      ['- one\n- [two](https://a.test/b?c)', 'Reply: one two'],
      ['```ts\nlet a = 1;\n```\nDone.', 'Reply: let a = 1; Done.'],
      ['| a | b |\n|---|:-:|\n| 1 | 2 |\n\nEnd', 'Reply: a, b 1, 2 End'],
      ['Title\n===\n\n---\nx ~~old~~ new', 'Reply: Title x old new'],
      ['<details>\n<summary>Why</summary>\n\na<br>b\n</details>', 'Reply: Why a b'],
      ['H<sub>2</sub>O `__init__` Map<i, b> a || b', 'Reply: H 2 O __init__ Map<i, b> a || b'],
      ['![a picture](https://a.test/b.png)', 'Reply: a picture'],
      ['> quoted\n\n😀'.padEnd(900, '😀'), `Reply: quoted ${'😀'.repeat(96)}…`],
    ];
    for (const [reply, expected] of samples) {
      const { panel, announced } = await open();
      await panel.play(start, text(reply), end);
      assert.equal(announced.at(-1), expected);
      panel.close();
    }
  });

  it('announce a countdown once, and each attempt', async () => {
    const { panel, announced } = await open();
    await panel.play(start);
    const now = panel.stopClock();
    let time = 1000;
    Object.assign(panel.window.performance, { now: () => time });
    for (const seconds of [5, 3]) {
      // In the middle of a second, since the clocks of host and view differ by about a millisecond.
      await panel.play(retry(now + seconds * 1000 - 500));
      for (let remaining = seconds - 1; remaining >= 0; remaining--) {
        time += 1000;
        const countdown = `Retrying in ${remaining} s (2 of 4)`;
        await panel.until(() => panel.element('[role=status]').textContent === countdown);
      }
      await panel.play({ type: 'request-start' });
    }
    const counted = announced.filter((said) => said.startsWith('Retrying'));
    assert.deepEqual(counted, ['Retrying in 5 s (2 of 4)', 'Retrying in 3 s (2 of 4)']);
  });

  it('announce an error once, as an alert', async () => {
    const { panel, announced } = await open();
    const error = { kind: 'network', message: 'No connection.' };
    await panel.play(start, { type: 'turn-end', status: 'failed', error, at: 1 });
    assert.equal(announced.filter((said) => said.includes('No connection.')).length, 1);
    assert.doesNotMatch(announced.join('\n'), /Reply:/);
  });

  it('announce which call waits for approval', async () => {
    const { panel, announced } = await open();
    const part = { id: 'c', name: 'edit_file', arguments: '{}', round: 1, title: 'Edit a.ts' };
    await panel.play(
      start,
      { type: 'tool-call-start', call: part },
      { type: 'tool-call-ask', id: 'c', question: edit },
    );
    assert.equal(announced.at(-1), 'Waiting for approval: Edit a.ts');
  });

  it('announce each copy', async () => {
    const { panel, announced } = await open();
    await panel.play(start, text('Yes.'), end);
    const before = announced.length;
    for (const count of [1, 2]) {
      panel.buttons('Copy Message').at(-1)?.click();
      await panel.drawn();
      assert.deepEqual(announced.slice(before), Array<string>(count).fill('Copied'));
    }
  });
});

const { model } = readyState;
const queued = [{ id: 'q', text: 'And then?' }];
const held = 'This chat is open in another window.';

type Change = readonly [before: Partial<PanelState>, after: Partial<PanelState>, said: string];

const changes: readonly Change[] = [
  [{}, { model: { ...model, id: 'deepseek/chat' } }, 'Model: deepseek/chat'],
  [{}, { model: { ...model, id: '' } }, ''],
  [{}, { mode: 'ask' }, 'Mode: Ask'],
  [{}, { isReadOnly: true }, held],
  [{ isReadOnly: true }, {}, 'This chat is no longer open in another window.'],
  [{}, { notice: 'The chat cannot be saved.' }, 'The chat cannot be saved.'],
  [{ notice: 'The chat cannot be saved.' }, {}, ''],
  [{}, { attachments: [{ ...chip, name: 'a\u202eb.ts' }] }, 'Attached: a\\u{202e}b.ts'],
  [{}, { attachments: [chip, { ...chip, id: 'b', name: 'b.ts' }] }, 'Attached: app.ts, b.ts'],
  [{}, { attachments: [{ ...chip, state: 'offered' }] }, ''],
  [{ attachments: [{ ...chip, state: 'offered' }] }, { attachments: [chip] }, 'Attached: app.ts'],
  [{ attachments: [chip] }, { attachments: [{ ...chip, state: 'unchanged' }] }, ''],
  [{ attachments: [chip] }, {}, ''],
  [{ queued }, {}, ''],
  [{}, { notice: 'Full.', queued }, 'Full.\nAdded to the queue'],
];

describe('announcements of the panel state', () => {
  async function open(state: Partial<PanelState>): Promise<PanelPage> {
    const page = await PanelPage.open({
      conversation: chat(finished),
      state: { ...readyState, ...state },
    });
    await page.drawn();
    return page;
  }

  it('say what has changed, if it matters', async () => {
    for (const [before, after, expected] of changes) {
      const panel = await open(before);
      const first = panel.announcement;
      await panel.change(after);
      const change = `${JSON.stringify(before)} to ${JSON.stringify(after)}`;
      assert.equal(panel.announcement, expected === '' ? first : expected, change);
      panel.close();
    }
  });

  it('say that a chat is open in another window even if it was before', async () => {
    assert.equal((await open({ isReadOnly: true })).announcement, held);
  });

  it('say nothing else about another chat', async () => {
    const panel = await open({});
    const state = { ...readyState, attachments: [chip], queued, notice: 'Full.' };
    await panel.show({ conversation: { ...chat(), id: 'other' }, state });
    await panel.drawn();
    assert.equal(panel.announcement, '');
    const other = { ...chat(), id: 'third' };
    await panel.show({ conversation: other, state: { ...state, isReadOnly: true } });
    await panel.drawn();
    assert.match(panel.announcement, /^This chat is open in another window\./);
  });

  it('say once that a message is over a budget, not with each key', async () => {
    const budget = { of: 'chat', unit: 'tokens', limit: 200, remaining: 101, perToken: 1 } as const;
    const panel = await open({ cost: { ...readyState.cost, budget } });
    await panel.type('[aria-label=Message]', 'A long message');
    await panel.until(() => panel.announcement !== '');
    assert.match(panel.announcement, /budget/);
    const [announcement] = panel.element('.announcer').children;
    await panel.type('[aria-label=Message]', 'A longer message');
    assert.equal(panel.element('.announcer').children[0], announcement);
  });

  it('say what a button has removed', async () => {
    const panel = await open({ attachments: [chip], queued });
    for (const [name, what] of [
      ['Remove app.ts', 'app.ts'],
      ['Remove Queued Message', 'And then?'],
    ] as const) {
      await panel.click(name);
      assert.equal(panel.announcement, `Removed: ${what}`);
    }
  });
});
