import assert from 'node:assert/strict';
import type { Conversation, Turn } from '../../../src/core/conversation/conversation.ts';
import { zeroUsage } from '../../../src/core/conversation/usage.ts';
import type { PanelState } from '../../../src/protocol/messages.ts';
import { turnWith, userMessage } from '../../support/turns.ts';
import { PanelPage, readyState } from './panel.ts';
import { chat, said, start } from './tools.ts';

/** The static field of the page, in which the person has typed before the script ran. */
const field = (text: string): string =>
  `<div class="panel"><textarea class="message-field" autofocus>${text}</textarea></div>`;

describe('the field of the initial HTML', () => {
  it('is replaced by the composer, which adopts its text', async () => {
    const page = await PanelPage.open({}, field('Why is'));
    assert.equal(page.valueOf('textarea'), 'Why is');
    assert.equal(page.element('textarea').getAttribute('aria-label'), 'Message');
    assert.deepEqual(page.draft, ['chat', 'Why is']);
  });

  it('is appended to a restored draft', async () => {
    for (const typed of ['Typed.', '']) {
      const page = await PanelPage.open({ draft: 'Kept. ' }, field(typed));
      assert.equal(page.valueOf('textarea'), `Kept. ${typed}`);
      if (typed === '') assert.equal(page.draft, undefined);
    }
  });

  it('has the list for a word that was started before the list was loaded', async () => {
    const page = await PanelPage.open({}, field('see @te'));
    await page.until(() => page.requests().length > 0);
    assert.deepEqual(page.requests(), [
      { name: 'complete', parameters: { trigger: '@', query: 'te' } },
    ]);
  });
});

const message = '[aria-label=Message]';
const finished = said('turn', 'Why?', 'Because **so**.');

describe('the panel', () => {
  describe('before the first message', () => {
    it('offers to connect and the demo while not connected', async () => {
      const panel = await PanelPage.open({
        state: {
          ...readyState,
          connection: { kind: 'none' },
          model: { ...readyState.model, id: '' },
        },
      });
      await panel.click('Connect');
      await panel.click('Try the Demo');
      await panel.click('Select Model…');
      assert.deepEqual(panel.requests(), [
        { name: 'run', parameters: { command: 'connect' } },
        { name: 'run', parameters: { command: 'useDemo' } },
        { name: 'run', parameters: { command: 'selectModel' } },
      ]);
    });

    const help = 'What can you help me with?';
    const ofFile = ['Explain report.py', 'Improve report.py'];
    const [ofChanges, ofProject] = ['Find problems in my changes', 'What does this project do?'];
    const withTools = { toolTokens: 900 };
    for (const [what, starters, cost, titles, starter] of [
      ['a file', { file: 'src/report.py' }, withTools, [...ofFile, help], 'explain'],
      ['changes', { hasChanges: true }, withTools, [ofChanges, help], 'changes'],
      ['a folder', { hasFolder: true }, withTools, [ofProject, help], 'project'],
      ['nothing', {}, withTools, [help], 'help'],
      ['a file, but no tools to read it', { file: 'a.py', hasFolder: true }, {}, [help], 'help'],
    ] as const)
      it(`offers suitable suggestions with ${what}, and none to complete`, async () => {
        const state = { ...readyState, cost: { ...readyState.cost, ...cost }, starters };
        const panel = await PanelPage.open({ state });
        const buttons = panel.all('.suggestion');
        assert.deepEqual(
          buttons.map(({ textContent }) => textContent),
          titles,
        );
        buttons[0]?.click();
        await panel.drawn();
        assert.deepEqual(
          panel.requests().map((call) => call.name === 'send' && call.parameters.starter),
          [starter],
        );
        assert.equal(panel.valueOf(message), '');
      });

    it('offers the latest saved chats, and opens the one that is clicked', async () => {
      const panel = await PanelPage.open();
      assert.equal(panel.all('ul').length, 0);
      const recent = [
        { id: 'a', title: 'Why is it slow?', at: Date.UTC(2026, 0, 20, 12) },
        { id: 'b', title: '<b>Bold</b>', at: Date.now() - 70_000, isUnread: true },
      ];
      panel.post({ type: 'state', state: { ...readyState, recent } });
      await panel.until(() => panel.all('ul').length === 1);
      assert.equal(panel.element('ul').getAttribute('aria-label'), 'Recent Chats');
      const [first, second] = panel.all('ul button');
      assert.equal(first?.textContent, 'Why is it slow?Jan 20');
      assert.equal(second?.textContent, '<b>Bold</b>1 minute ago');
      assert.deepEqual(
        [first, second].map((item) => item.querySelector('[role=img]')?.getAttribute('aria-label')),
        [undefined, 'Unread'],
      );
      first.click();
      await panel.drawn();
      assert.deepEqual(panel.requests(), [{ name: 'open-chat', parameters: { chat: 'a' } }]);
    });

    it('names the service if there are several, or says that it is the demo', async () => {
      const panel = await PanelPage.open();
      assert.equal(panel.element('.composer-foot .host').textContent, 'api.example.com');
      await panel.change({ connection: { kind: 'service' } });
      assert.equal(panel.all('.composer-foot .host').length, 0);
      await panel.change({ connection: { kind: 'demo' } });
      assert.equal(panel.element('.composer-foot .badge').textContent, 'Demo');
    });
  });

  describe('the composer', () => {
    it('sends with Enter, but not with Shift+Enter or while text is composed', async () => {
      const panel = await PanelPage.open();
      const handledByInputMethod = { keyCode: 229 };
      await panel.type(message, 'Why?');
      await panel.press(message, 'Enter', { shiftKey: true });
      await panel.press(message, 'Enter', { isComposing: true });
      await panel.press(message, 'Enter', handledByInputMethod);
      assert.deepEqual(panel.requests(), []);
      await panel.press(message, 'Enter');
      assert.deepEqual(panel.requests(), [{ name: 'send', parameters: { text: 'Why?' } }]);
      assert.deepEqual(panel.posted.at(-1)?.type, 'call');
    });

    it('restores a refused message and shows the reason', async () => {
      const panel = await PanelPage.open();
      panel.refusal = 'No model is chosen.';
      await panel.type(message, 'Why?');
      await panel.click('Send');
      assert.equal(panel.valueOf(message), 'Why?');
      const alert = panel.element('[role=alert]');
      assert.match(alert.textContent, /No model is chosen/);
      assert.ok(alert.nextElementSibling?.classList.contains('composer'), 'It is beside it.');
      await panel.click('Dismiss');
      assert.equal(panel.all('[role=alert]').length, 0);
    });

    it('has Retry if there is no Try Again, and never both', async () => {
      const error = { kind: 'network', message: 'No connection.' };
      const ends: readonly Partial<Turn>[] = [
        {},
        { status: 'stopped' },
        { status: 'failed', error, parts: [] },
        { status: 'cut', error },
        { status: 'cut' },
        { status: 'failed', parts: [] },
      ];
      for (const change of ends) {
        const panel = await PanelPage.open({ conversation: chat({ ...finished, ...change }) });
        const again = panel.buttons('Try Again').length + panel.buttons('Retry').length;
        assert.equal(again, 1, JSON.stringify(change));
        panel.close();
      }
    });
  });

  describe('the options', () => {
    it('are set one by one, each on top of the others', async () => {
      const panel = await PanelPage.open();
      await panel.click('Configure');
      panel.all('input[type=radio]')[1]?.click();
      panel.element('input[type=checkbox]').click();
      await panel.drawn();
      assert.deepEqual(panel.requests(), [
        { name: 'set-options', parameters: { options: { temperature: 0.2 } } },
        { name: 'set-options', parameters: { options: { temperature: 0.2, json: true } } },
      ]);
      await panel.click('Reset Temperature');
      assert.deepEqual(panel.requests().at(-1), {
        name: 'set-options',
        parameters: { options: { json: true } },
      });
    });

    it('have the effort of a model that takes one', async () => {
      const panel = await PanelPage.open();
      await panel.click('Configure');
      assert.equal(panel.all('[name=effort]').length, 0);
      await panel.change({ effort: { effort: 'high' } });
      const efforts = panel.all('[name=effort]');
      assert.deepEqual(
        efforts.map((input) => input.matches(':checked')),
        [false, false, false, true],
      );
      efforts[1]?.click();
      efforts[0]?.click();
      await panel.drawn();
      assert.deepEqual(panel.requests().slice(-2), [
        { name: 'set-effort', parameters: { effort: 'low' } },
        { name: 'set-effort', parameters: {} },
      ]);
    });

    it('show next to the field that a number is out of range, and send nothing', async () => {
      const panel = await PanelPage.open();
      await panel.click('Configure');
      await panel.type('.number-fields > :nth-child(2) input', '7');
      assert.equal(panel.element('.field-problem').textContent, 'Enter a number from 0 to 1.');
      assert.deepEqual(panel.requests(), []);
      await panel.type('.number-fields > :nth-child(2) input', '0.7');
      assert.equal(panel.all('.field-problem').length, 0);
      assert.deepEqual(panel.requests(), [
        { name: 'set-options', parameters: { options: { topP: 0.7 } } },
      ]);
    });

    it('keep text being typed when something else is rendered', async () => {
      const panel = await PanelPage.open();
      await panel.click('Configure');
      const fields = ['input[type=text]', 'textarea:not([aria-label])'].map(
        (selector) => panel.all(selector)[0],
      );
      for (const field of fields) {
        if (field === undefined) assert.fail('A field is missing.');
        Reflect.set(field, 'value', '1.');
        field.dispatchEvent(new panel.window.Event('input', { bubbles: true }));
      }
      await panel.change({ settings: { topP: 0.5 } });
      assert.deepEqual(
        fields.map((field) => String(field && Reflect.get(field, 'value'))),
        ['1.', '1.'],
      );
    });

    it('close with Escape, which gives the focus back, and when the focus leaves', async () => {
      const panel = await PanelPage.open({ conversation: chat(finished) });
      for (const place of ['[role=dialog]', 'body']) {
        await panel.click('Configure');
        await panel.press(place, 'Escape');
        assert.equal(panel.all('[role=dialog]').length, 0);
        assert.equal(panel.activeElement, panel.button('Configure'));
      }
      await panel.click('Configure');
      panel.button('Copy Message').focus();
      await panel.drawn();
      assert.equal(panel.all('[role=dialog]').length, 0);
    });
  });

  describe('a turn', () => {
    it('goes through waiting, retrying, thinking and replying', async () => {
      const panel = await PanelPage.open();
      const status = (): string => panel.element('[role=status]').textContent;
      assert.equal(status(), '');
      const now = panel.stopClock();
      await panel.play({ ...start, at: now });
      assert.equal(status(), 'Waiting');
      const error = { kind: 'rate-limited', message: 'Too many requests.' };
      const resumeAt = now + 3900;
      await panel.play({
        type: 'request-retry',
        retry: { attempt: 4, attempts: 4, resumeAt, error },
      });
      assert.equal(status(), 'Retrying in 4 s (4 of 4)');
      assert.match(panel.element('[role=log]').textContent, /Too many requests/);
      await panel.play({ type: 'request-start' }, { type: 'reasoning-delta', text: 'Hm', at: 0 });
      assert.equal(status(), 'Thinking');
      await panel.play({ type: 'text-delta', text: 'Yes', at: 2500 });
      assert.equal(status(), 'Replying');
      assert.equal(panel.element('summary').textContent, 'Thought for 2.5 s');
      await panel.play({ type: 'turn-end', status: 'finished', finishReason: 'stop', at: 3000 });
      assert.equal(status(), '');
      assert.match(panel.element('summary').textContent, /^Thought for 2\.5 s, ≈1 reasoning/);
    });

    it('folds text that proves to be reasoning', async () => {
      const panel = await PanelPage.open();
      await panel.play(start, { type: 'text-delta', text: 'Okay, the user asks.', at: 0 });
      assert.equal(panel.element('.answer .prose').textContent.trim(), 'Okay, the user asks.');
      await panel.play(
        { type: 'text-to-reasoning', length: 20, startedAt: 0, at: 3000 },
        { type: 'text-delta', text: 'Hello', at: 3000 },
      );
      assert.equal(panel.element('.reasoning summary').textContent, 'Thought for 3.0 s');
      const prose = panel.all('.answer .prose').map(({ textContent }) => textContent.trim());
      assert.deepEqual(prose, ['Hello']);
      await panel.play({ type: 'text-delta', text: ' there', at: 3100 });
      assert.equal(panel.element('.answer .prose').textContent.trim(), 'Hello there');
    });

    it('has the first line of its reasoning while that streams, and then what it cost', async () => {
      const prices = { byModel: { [start.model]: { input: 1, output: 2 } }, currency: '$' };
      const panel = await PanelPage.open({ state: { ...readyState, prices } });
      const summary = (): string => panel.element('.reasoning summary').textContent;
      await panel.play(start, { type: 'reasoning-delta', text: '\n**First', at: 0 });
      assert.equal(summary(), 'ReasoningFirst');
      await panel.play({ type: 'reasoning-delta', text: ' line**\nSecond line', at: 1000 });
      assert.equal(summary(), 'ReasoningFirst line');
      await panel.play({ type: 'text-delta', text: 'Yes', at: 12_000 });
      assert.equal(summary(), 'Thought for 12 s');
      const usage = { ...zeroUsage, completion_tokens: 4000, reasoning_tokens: 3100, requests: 1 };
      await panel.play({ type: 'usage', usage });
      assert.equal(summary(), 'Thought for 12 s, 3.1k reasoning tokens, $0.0062');
    });

    it('counts down by the clock of the host', async () => {
      const ahead = 3_600_000;
      const panel = await PanelPage.open({ now: Date.now() + ahead });
      const resumeAt = panel.stopClock() + ahead + 59_500;
      const error = { kind: 'rate-limited', message: 'Too many requests.' };
      await panel.play(start, {
        type: 'request-retry',
        retry: { attempt: 2, attempts: 4, resumeAt, error },
      });
      assert.equal(panel.element('[role=status]').textContent, 'Retrying in 60 s (2 of 4)');
    });

    it('shows for how long a partial reply has been silent', async () => {
      const panel = await PanelPage.open();
      let now = Date.now();
      Object.assign(panel.window.Date, { now: () => now });
      await panel.play(start, { type: 'text-delta', text: 'Yes', at: 0 });
      for (const more of ['and', 'no']) {
        now += 7500;
        await panel.until(() => panel.all('.elapsed')[0]?.textContent === '7 s');
        await panel.play({ type: 'text-delta', text: more, at: 0 });
        await panel.until(() => panel.all('.elapsed').length === 0);
      }
    });

    it('continues in the same article after Continue', async () => {
      const stopped: Turn = { ...finished, status: 'stopped', finishReason: undefined };
      const panel = await PanelPage.open({ conversation: chat(stopped) });
      assert.match(panel.element('.outcome').textContent, /You stopped this reply/);
      await panel.click('Continue');
      assert.deepEqual(panel.requests(), [{ name: 'continue', parameters: { turn: 'turn' } }]);
      const article = panel.element('[aria-label=Assistant]');
      await panel.play(
        { type: 'turn-continue', at: 0 },
        { type: 'text-delta', text: ' More.', at: 0 },
      );
      await panel.play({ type: 'turn-end', status: 'finished', finishReason: 'stop', at: 0 });
      assert.equal(panel.element('[aria-label=Assistant]'), article);
      assert.equal(panel.element('.prose').textContent, 'Because so. More.');
    });

    it('is edited in place and sent again', async () => {
      const panel = await PanelPage.open({ conversation: chat(finished) });
      await panel.click('Edit Message');
      await panel.press('[aria-label="Edited Message"]', 'Escape');
      assert.equal(panel.activeElement, panel.button('Edit Message'));
      await panel.click('Edit Message');
      await panel.type('[aria-label="Edited Message"]', 'Why not?');
      await panel.press('[aria-label="Edited Message"]', 'Enter');
      assert.deepEqual(panel.requests().at(-1), {
        name: 'resend',
        parameters: { turn: 'turn', text: 'Why not?' },
      });
    });

    it('is copied and retried from its footer, which shows its usage', async () => {
      const tokens = { prompt_tokens: 1200, completion_tokens: 300, total_tokens: 1500 };
      const usage = { ...zeroUsage, ...tokens, requests: 1, estimated: true };
      const price = { input: 1, output: 2 };
      const prices = { currency: '$', byModel: { [finished.model]: price } };
      const panel = await PanelPage.open({
        conversation: chat({ ...finished, usage }),
        state: { ...readyState, prices },
      });
      await panel.click('Copy Message');
      await panel.click('Retry');
      await panel.choose('More Actions…', 'Retry with Another Model…');
      assert.deepEqual(panel.requests(), [
        { name: 'copy', parameters: { text: 'Because **so**.' } },
        { name: 'retry', parameters: { turn: 'turn', chooseModel: false } },
        { name: 'retry', parameters: { turn: 'turn', chooseModel: true } },
      ]);
      assert.equal(panel.all('.answer-facts').length, 0);
      panel.button('More Actions…').click();
      await panel.until(() => panel.all('[role=menu]').length === 1);
      assert.equal(
        panel.element('.answer-facts').textContent,
        'mistral-small≈1.5k tokens3.4 s≈$0.0018',
      );
      const accessible = panel.element('.answer-facts [role=note]').getAttribute('aria-label');
      assert.match(accessible ?? '', /Prompt: ≈1,200\. .*Total: ≈1,500/);
    });

    it('offers to retry only the newest', async () => {
      const panel = await PanelPage.open({
        conversation: chat({ ...finished, id: 'old' }, finished),
      });
      assert.equal(panel.buttons('Copy Message').length, 2);
      assert.equal(panel.buttons('Retry').length, 1);
    });
  });

  describe('an error', () => {
    const run = (command: string) => ({ name: 'run', parameters: { command } });
    const retry = { name: 'retry', parameters: { turn: 'turn', chooseModel: false } };
    const raise = { name: 'raise-budget', parameters: {} };
    const remedies = [
      ['set-api-key', 'Set API Key', run('setApiKey')],
      ['select-model', 'Select Model', run('selectModel')],
      ['open-console', 'Open Console', run('openConsole')],
      ['connect', 'Connect', run('connect')],
      ['new-chat', 'New Chat', run('newChat')],
      ['raise-budget', 'Raise Budget…', raise],
      ['raise-budget', 'Try Again', retry],
      ['raise-chat-budget', 'Raise Budget…', raise],
      ['raise-chat-budget', 'New Chat', run('newChat')],
      ['try-again', 'Try Again', retry],
    ] as const;
    for (const [remedy, name, request] of remedies)
      it(`(${remedy}) is an alert with the button ${name}`, async () => {
        const error = { kind: 'any', message: 'It did not work.', remedy };
        const turn: Turn = { ...finished, status: 'failed', parts: [], error };
        const panel = await PanelPage.open({ conversation: chat(turn) });
        assert.match(panel.element('[role=alert]').textContent, /^It did not work\./);
        await panel.click(name);
        assert.deepEqual(panel.requests(), [request]);
      });
  });

  describe('code in a reply', () => {
    it('is opened, copied, inserted, applied and saved with the file it belongs to', async () => {
      const text = '`src/a.ts:3`:\n\n```ts\nlet a;\n```\n\n```sh\nnpm ci\n```\n';
      const panel = await PanelPage.open({
        conversation: chat({ ...finished, parts: [{ type: 'text', text }] }),
      });
      for (const [index, block] of panel.all('.code-block').entries()) {
        for (const button of block.querySelectorAll<HTMLElement>('.code-header [data-action]'))
          button.click();
        for (const entry of ['Insert at Cursor', 'New File'])
          await panel.choose('More Code Actions…', entry, index);
      }
      const code = { text: 'let a;\n', language: 'ts', path: 'src/a.ts' };
      assert.deepEqual(panel.requests(), [
        { name: 'open-file', parameters: { path: 'src/a.ts', line: 3 } },
        { name: 'copy', parameters: { text: 'let a;\n' } },
        { name: 'apply-to-file', parameters: { ...code } },
        { name: 'insert-at-cursor', parameters: { text: 'let a;\n' } },
        { name: 'new-file', parameters: { ...code } },
        { name: 'copy', parameters: { text: 'npm ci\n' } },
        { name: 'run-in-terminal', parameters: { text: 'npm ci\n' } },
        { name: 'insert-at-cursor', parameters: { text: 'npm ci\n' } },
        { name: 'new-file', parameters: { text: 'npm ci\n', language: 'sh' } },
      ]);
    });

    it('shows why an action was refused', async () => {
      const text = '```sh\nls\n```\n';
      const panel = await PanelPage.open({
        conversation: chat({ ...finished, parts: [{ type: 'text', text }] }),
      });
      panel.refusal = 'Trust this workspace first.';
      await panel.click('Run in Terminal');
      await panel.until(() => panel.all('[role=alert]').length === 1);
      assert.match(panel.element('[role=alert]').textContent, /Trust this workspace first/);
      assert.equal(panel.button('Run in Terminal').classList.contains('done'), false);
    });
  });

  describe('the end of a reply', () => {
    for (const [change, words] of [
      [{ finishReason: 'length' }, /maximum length/],
      [{ finishReason: 'content_filter' }, /content filter/],
      [{ status: 'cut', error: { kind: 'cut', message: 'It broke.' } }, /It broke/],
      [{ status: 'cut', error: { kind: 'interrupted', message: '' } }, /was cut off/],
      [{ parts: [] }, /empty reply/],
      [{ toolsRefused: true }, /^This model refused tools, so it replied without them\.$/],
      [{ malformedEvents: 1 }, /^Part of this reply couldn't be read/],
      [{ malformedEvents: 3, finishReason: 'length' }, /maximum length.*\n3 parts of this reply/],
    ] as const)
      it(`is described: ${words.source}`, async () => {
        const panel = await PanelPage.open({ conversation: chat({ ...finished, ...change }) });
        assert.match(panel.element('.outcome').textContent, words);
      });

    it('shows JSON validated and formatted, and says if it is invalid', async () => {
      const json = (text: string): Conversation =>
        chat({ ...finished, json: true, parts: [{ type: 'text', text }] });
      const panel = await PanelPage.open({ conversation: json('{"a":[1]}') });
      assert.equal(panel.element('pre').textContent, '{\n  "a": [\n    1\n  ]\n}');
      assert.match(panel.element('.note').textContent, /Valid JSON/);
      await panel.show({ conversation: { ...json('{"a":'), id: 'other' } });
      await panel.drawn();
      assert.equal(panel.element('pre').textContent, '{"a":');
      assert.match(panel.element('.note').textContent, /isn't valid JSON/);
    });

    it('shows JSON as code while streaming', async () => {
      const panel = await PanelPage.open();
      await panel.play({ ...start, json: true }, { type: 'text-delta', text: '{"a":', at: 0 });
      await panel.play({ type: 'text-delta', text: ' 1}', at: 0 });
      assert.equal(panel.element('pre').textContent.trim(), '{"a": 1}');
      await panel.play({ type: 'turn-end', status: 'finished', finishReason: 'stop', at: 1 });
      assert.equal(panel.element('pre').textContent, '{\n  "a": 1\n}');
    });
  });

  describe('with a chat that another window writes', () => {
    const reason = 'This chat is open in another window.';
    const held = { ...readyState, isReadOnly: true as const };
    const edited = { id: 'c', path: 'a.ts', kind: 'edit', addedLines: 1, removedLines: 1 } as const;
    const versions = { number: 1, count: 2, previous: undefined, next: 'other' };

    it('says so, and can read it anew or continue in a copy', async () => {
      const panel = await PanelPage.open({ conversation: chat(finished), state: held });
      await panel.until(() => panel.all('.holder-bar').length === 1);
      assert.match(panel.element('.holder-bar').textContent, /another window/);
      await panel.click('Continue in a Copy');
      await panel.click('Reload');
      assert.deepEqual(
        panel.requests().map(({ name }) => name),
        ['continue-in-copy', 'reload-chat'],
      );
      await panel.change();
      assert.equal(panel.all('.holder-bar').length, 0);
    });

    it('keeps the draft, and does not send it', async () => {
      const panel = await PanelPage.open({
        conversation: chat(finished),
        state: held,
        draft: 'Typed',
      });
      await panel.press(message, 'Enter');
      assert.equal(panel.element('[role=alert]').textContent, reason);
      assert.equal(panel.valueOf(message), 'Typed');
      assert.deepEqual(panel.requests(), []);
    });

    it('disables only controls that would change it, with the reason', async () => {
      const changed: Turn = {
        ...finished,
        status: 'stopped',
        error: { kind: 'x', message: 'It broke.', remedy: 'try-again' },
        changes: [{ ...edited, status: 'changed' }],
      };
      const call = { id: 'call', name: 'edit_file', arguments: '{}', round: 1 } as const;
      const question = { by: 'panel', forChat: true, files: [edited] } as const;
      const running: Turn = {
        ...finished,
        id: 'running',
        status: 'calling',
        parts: [{ ...call, type: 'tool-call', status: 'asking', question }],
      };
      const conversation = { ...chat(finished, changed), running };
      const panel = await PanelPage.open({
        conversation,
        state: held,
        versions: { turn: { reply: versions } },
      });
      const isDisabled = (button: HTMLElement): boolean =>
        button.matches(':disabled, [aria-disabled=true]');
      await panel.until(() => panel.all('.holder-bar').length === 1);
      const buttons = panel
        .all('.panel button')
        .filter((button) => button.title !== '' || button.matches('.button'))
        // Ask Aside is disabled because no text is typed. A side chat doesn't change this chat.
        .filter((button) => button.ariaLabel !== 'Ask Aside');
      const names = (some: readonly HTMLElement[]): readonly string[] =>
        some.map((button) => button.ariaLabel ?? button.textContent).toSorted();
      const disabled = buttons.filter(isDisabled);
      assert.deepEqual([...new Set(disabled.map(({ title }) => title))], [reason]);
      const free = names(buttons.filter((button) => !isDisabled(button)));
      assert.deepEqual(
        [...new Set(free)],
        [
          ...['Attach…', 'Continue in a Copy', 'Copy Message'],
          ...['Model: mistralai/mistral-small', 'More Actions…', 'Reload', 'a.ts'],
        ],
      );
      assert.deepEqual(
        [...new Set(names(disabled))],
        [
          ...['Allow Once', 'Configure', 'Deny', 'Give a Reason…', 'Keep All', 'Keep a.ts'],
          ...['Mode: Agent', 'More Ways to Allow…'],
          ...['Next Version', 'Previous Version', 'Retry'],
          ...['Review Diff', 'Send', 'Undo All', 'Undo a.ts'],
        ],
      );
      await panel.show({ conversation: chat(changed), state: held });
      assert.deepEqual(panel.all('.edit').map(isDisabled), [true]);
      for (const name of ['Continue', 'Try Again']) {
        const [button] = panel
          .all('.outcome .button')
          .filter((candidate) => candidate.textContent === name);
        assert.deepEqual([button?.matches(':disabled'), button?.title], [true, reason]);
      }
    });
  });
});

const plan = turnWith({
  question: { ...userMessage('Plan it.'), plan: true },
  mode: 'ask',
  parts: [{ type: 'text', text: '- [x] Look\n- [ ] Change `a.ts`' }],
  endedAt: 1,
  finishReason: 'stop',
});

function open(state: Partial<PanelState>): Promise<PanelPage> {
  return PanelPage.open({ conversation: chat(plan), state: { ...readyState, ...state } });
}

describe('a plan in the panel', () => {
  it('has buttons that start and edit it, until it is started', async () => {
    const panel = await open({ plan: plan.id });
    assert.equal(panel.button('Start').title, 'Switch to Agent and carry out the plan');
    await panel.click('Start');
    await panel.click('Edit Plan');
    assert.deepEqual(panel.requests(), [
      { name: 'plan', parameters: { turn: 't', action: 'start' } },
      { name: 'plan', parameters: { turn: 't', action: 'edit' } },
    ]);
    await panel.change();
    assert.deepEqual([panel.buttons('Start'), panel.buttons('Edit Plan')], [[], []]);
  });

  it('has no buttons if another reply is the plan, and disabled ones if another window writes', async () => {
    const other = await open({ plan: 'other' });
    assert.deepEqual(other.buttons('Start'), []);
    const held = await open({ plan: plan.id, isReadOnly: true });
    assert.ok(held.button('Start').hasAttribute('disabled'));
  });
});
