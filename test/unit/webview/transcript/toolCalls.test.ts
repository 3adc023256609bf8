import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { FileChange, Part } from '../../../../src/core/conversation/conversation.ts';
import type { ConversationEvent } from '../../../../src/core/conversation/events.ts';
import { truncateMiddle } from '../../../../src/webview/parts/cutText.tsx';
import { toolSummary, toolTitle } from '../../../../src/webview/transcript/toolCalls.tsx';
import { replyBlocks } from '../../../../src/webview/transcript/replyView.tsx';
import { LongPanel } from '../longPanel.ts';
import type { PanelPage } from '../panel.ts';
import {
  begin,
  call,
  callCard,
  chatWithParts,
  edit,
  end,
  isOpen,
  openChat,
  readFiles,
  result,
  start,
  startedAt,
} from '../tools.ts';

const seed = Number(process.env['SEED'] ?? 7);

describe('the middle of a long text', () => {
  const text = fc
    .array(fc.tuple(fc.constantFrom('', 'line', 'ä𝒳'), fc.nat(900), fc.constantFrom('\n', '')))
    .map((lines) => lines.map(([word, times, end]) => word.repeat(times) + end).join(''));

  // A surrogate pair may make a piece longer by one.
  it('is hidden, so that the visible pieces are limited and all pieces make up the text', () => {
    let cuts = 0;
    fc.assert(
      fc.property(text, (whole) => {
        const { head, hidden, tail } = truncateMiddle(whole);
        assert.equal(head + hidden + tail, whole);
        if (hidden === '') {
          assert.ok(whole.length <= 6000 + 2000 + 200);
          return;
        }
        cuts++;
        assert.ok(head.length <= 6000 && tail.length <= 2001 && hidden.length >= 200);
        assert.ok(head.split('\n').length <= 31 && tail.split('\n').length <= 12);
        assert.ok([head, hidden, tail].every((piece) => !/\p{Surrogate}/u.test(piece)));
      }),
      { seed, numRuns: 300 },
    );
    assert.ok(cuts > 50, `${cuts} of 300 were long`);
  });
});

describe('the blocks of a reply', () => {
  const text: Part = { type: 'text', text: 'so' };

  it('are its parts, with the calls of one response grouped', () => {
    const [a, b, c] = [call({ id: 'a' }), call({ id: 'b' }), call({ id: 'c', round: 2 })];
    assert.deepEqual(replyBlocks([text, a, b, c, text, c]), [
      { type: 'part', index: 0, part: text },
      { type: 'calls', index: 1, calls: [a, b] },
      { type: 'calls', index: 3, calls: [c] },
      { type: 'part', index: 4, part: text },
      { type: 'calls', index: 5, calls: [c] },
    ]);
  });
});

describe('texts of calls', () => {
  const read = (id: string, path: string) =>
    call({ id, arguments: JSON.stringify({ path }), ...readFiles });

  it('are counted by kind, each file once', () => {
    const searches = { icon: 'search', summary: { many: '{0} searches' } };
    const search = call({ name: 'search_text', title: 'Search for “x”', ...searches });
    const other = call({ name: 'get_weather', title: undefined });
    const reads = [read('a', 'a.ts'), read('b', 'a.ts'), read('c', 'c.ts')];
    assert.equal(toolSummary(reads), 'Read 2 files');
    assert.equal(toolSummary(reads.slice(0, 2)), 'Read 1 file');
    assert.equal(toolSummary([...reads, search]), 'Read 2 files · Search for “x”');
    assert.equal(
      toolSummary([search, { ...search, name: 'find_symbols' }, other, other]),
      '2 searches · get_weather (2 times)',
    );
    const unclear = ['a', 'b', 'c'].map((id) => call({ id, arguments: '[', ...readFiles }));
    assert.equal(toolSummary(unclear), 'Read 3 files');
  });

  it('have the name of the tool in chats of earlier versions', () => {
    assert.equal(toolSummary([call({ id: 'a' }), call({ id: 'b' })]), 'read_file (2 times)');
    assert.equal(toolSummary([call({ name: 'constructor', title: undefined })]), 'constructor');
  });

  it('has titles on one line, with invisible characters revealed', () => {
    assert.equal(toolTitle(call({ title: 'Read\n a\u202eb' })), 'Read a\\u{202e}b');
    assert.equal(toolTitle(call({ title: undefined })), 'read_file');
  });
});

describe('the panel with tools', () => {
  async function unfold(panel: PanelPage, selector: string): Promise<void> {
    for (const element of panel.all(selector)) Reflect.set(element, 'open', true);
    await panel.until(() => panel.all(selector).every((element) => element.childElementCount > 1));
    await panel.drawn();
  }

  describe('a call', () => {
    it('is one title line, above its result and its arguments', async () => {
      const panel = await openChat(chatWithParts([call({ endedAt: startedAt + 2300 })]));
      const group = panel.element(callCard);
      assert.equal(group.getAttribute('aria-label'), 'Tool call: read_file');
      assert.equal(group.textContent, 'Read src/app.ts, lines 1–802.3 s');
      assert.equal(panel.element('.tool-state').getAttribute('aria-label'), 'Done');
      assert.equal(panel.all('.tool-body').length, 0);
      await unfold(panel, callCard);
      assert.equal(panel.element('[aria-label=Result]').textContent, '1\tlet a;');
      assert.equal(panel.all('[aria-label=Arguments]').length, 0);
      await unfold(panel, '.tool-arguments');
      assert.equal(
        panel.element('[aria-label=Arguments]').textContent,
        '{\n  "path": "src/app.ts"\n}',
      );
    });

    it('is open if it failed, and folded with the reason if it was denied', async () => {
      const panel = await openChat(
        chatWithParts([
          call({ status: 'failed', result: 'No such file.' }),
          call({
            id: 'c2',
            status: 'denied',
            result: 'The person said no.',
            denialReason: 'Keep the name.',
          }),
        ]),
      );
      assert.deepEqual(panel.all(callCard).map(isOpen), [true, false]);
      assert.deepEqual(panel.texts('.tool-state'), ['Failed', 'Denied']);
      assert.equal(panel.element('[aria-label=Error]').textContent, 'No such file.');
      assert.equal(panel.element('.tool-denial').textContent, 'Reason: Keep the name.');
    });

    it('was denied if it has a result, otherwise not run: its reply was incomplete', async () => {
      const ids = ['a', 'b', 'c', 'd', 'e'];
      const denied = ids.map((id) => call({ id, status: 'denied', result: undefined }));
      const states = (panel: PanelPage): readonly string[] => panel.texts('.tool-state');
      const single = await openChat(chatWithParts(denied.slice(0, 1)));
      assert.deepEqual(states(single), ['Not run']);
      single.close();
      const group = await openChat(chatWithParts(denied));
      assert.deepEqual(states(group), ['Not run']);
      group.close();
      const refused = call({ id: 'f', status: 'denied', result: 'The person denied this.' });
      assert.deepEqual(states(await openChat(chatWithParts([...denied, refused]))), ['Denied']);
    });

    it('shows outside content as text, with its hidden characters', async () => {
      const nasty = '<img src=x onerror=alert(1)> **bold** [a](http://b.c) \u202egnp.exe';
      const visiblePath = nasty.replace('\u202e', '\\u{202e}');
      const question = { ...edit, files: edit.files.map((file) => ({ ...file, path: nasty })) };
      const parts = [
        call({ title: nasty, arguments: nasty, status: 'failed', result: nasty, grant: nasty }),
        call({
          id: 'c2',
          title: nasty,
          arguments: nasty,
          output: nasty,
          status: 'asking',
          question,
        }),
      ];
      const changes: FileChange[] = [
        { id: 'f', path: nasty, kind: 'edit', addedLines: 1, removedLines: 1, status: 'changed' },
      ];
      const panel = await openChat(chatWithParts(parts, { changes }));
      await unfold(panel, '.tool-arguments');
      const log = panel.element('[role=log]');
      assert.equal(log.querySelectorAll('img, strong, a').length, 0);
      for (const selector of ['.tool-title', '[aria-label=Arguments]', '.file-name'])
        for (const element of panel.all(selector)) assert.equal(element.textContent, visiblePath);
      // The host has revealed the hidden characters of a result.
      assert.equal(panel.element('[aria-label=Error]').textContent, nasty);
    });

    it('names the processes that it left running, and ends them by a button', async () => {
      const leftRunning = [
        { id: 7, started: '1', name: 'sleep 9' },
        { id: 8, started: '1', name: 'npm\u202e run dev' },
      ];
      const part = call({ id: 'c1', status: 'stopped', result: undefined, leftRunning });
      const panel = await openChat(chatWithParts([part], { id: 'turn' }));
      assert.ok(isOpen(panel.element(callCard)));
      const note = 'Left running: sleep 9 (7), npm\\u{202e} run dev (8)';
      assert.equal(panel.element('.tool-note').textContent, note);
      await panel.click('End Processes');
      const ending = { name: 'end-processes', parameters: { turn: 'turn', call: 'c1' } };
      assert.deepEqual(panel.requests(), [ending]);
      await panel.play({ type: 'processes-change', turn: 'turn', call: 'c1', processes: [] });
      assert.equal(panel.all('.tool-note').length, 0);
    });

    it('names its grant, with a link to revoke it', async () => {
      const panel = await openChat(chatWithParts([call({ grant: 'Edits in this chat' })]));
      const sign = panel.element('summary .tool-granted');
      assert.equal(sign.getAttribute('aria-label'), 'Allowed: Edits in this chat');
      await unfold(panel, callCard);
      assert.match(panel.element('.tool-note').textContent, /^Allowed: Edits in this chat/);
      await panel.click('Revoke…');
      assert.deepEqual(panel.requests(), [{ name: 'run', parameters: { command: 'manageTools' } }]);
    });

    it('shows both ends of a long result, and all of it on request', async () => {
      const text = Array.from({ length: 500 }, (_, line) => `line ${line}`).join('\n');
      const panel = await openChat(chatWithParts([call({ result: text })]));
      await unfold(panel, callCard);
      const box = panel.element('[aria-label=Result]');
      assert.ok(box.textContent.length < text.length / 5);
      assert.match(box.textContent, /^line 0\n[^]*line 499$/);
      panel.button('Show All (460 More Lines)').focus();
      await panel.click('Show All (460 More Lines)');
      assert.equal(box.textContent, text);
      assert.equal(panel.activeElement, box);
    });
  });

  describe('a running call', () => {
    it('opens while it prints, stays scrolled to the end, and folds when it is done', async () => {
      const panel = await openChat();
      await panel.play(start, ...begin('c1', 'run_command'));
      assert.equal(isOpen(panel.element(callCard)), false);
      assert.equal(panel.element('.tool-state').getAttribute('aria-label'), 'Running');
      await panel.play({ type: 'tool-call-output', id: 'c1', text: 'one\n' });
      const box = panel.element('[aria-label=Output]');
      let height = 400;
      Object.defineProperties(box, {
        scrollHeight: { get: () => height },
        clientHeight: { get: () => 100 },
      });
      await panel.play({ type: 'tool-call-output', id: 'c1', text: 'two\n' });
      assert.deepEqual([box.textContent, box.scrollTop], ['one\ntwo\n', 400]);
      box.scrollTop = 50;
      box.dispatchEvent(new panel.window.Event('scroll'));
      height = 500;
      await panel.play({ type: 'tool-call-output', id: 'c1', text: 'three\n' });
      assert.equal(box.scrollTop, 50);
      box.scrollTop = 400;
      box.dispatchEvent(new panel.window.Event('scroll'));
      height = 600;
      await panel.play({ type: 'tool-call-output', id: 'c1', text: 'four\n' });
      assert.equal(box.scrollTop, 600);
      await panel.play(result('c1'));
      assert.equal(isOpen(panel.element(callCard)), false);
    });

    it('counts its seconds, and stops with its turn', async () => {
      const panel = await openChat();
      let now = panel.stopClock();
      Object.assign(panel.window.Date, { now: () => now });
      await panel.play(start, ...begin('c1', 'read_file', now - 3500));
      assert.equal(panel.element('.tool-time').textContent, '3 s');
      now += 1000;
      await panel.until(() => panel.element('.tool-time').textContent === '4 s');
      await panel.play({ type: 'turn-end', status: 'stopped', at: now });
      assert.equal(panel.element('.tool-state').textContent, 'Stopped');
      assert.match(panel.element('.tool-time').textContent, /^\d\.\d s$/);
    });

    it('renders the same live and from a snapshot', async () => {
      const events = [
        ...begin('c1'),
        ...begin('c2', 'edit_file'),
        result('c1'),
        result('c2', 'failed'),
      ];
      const live = await openChat();
      for (const event of [start, ...events, end]) await live.play(event);
      const drawn = live.element('.parts').innerHTML;
      live.close();
      const parts = ['c1', 'c2'].map((id) =>
        call({
          id,
          name: id === 'c1' ? 'read_file' : 'edit_file',
          title: `Read ${id}.ts`,
          arguments: `{"path":"${id}.ts"}`,
          result: `Of ${id}`,
          status: id === 'c1' ? 'done' : 'failed',
        }),
      );
      const panel = await openChat(chatWithParts(parts));
      assert.equal(panel.element('.parts').innerHTML, drawn);
    });
  });

  describe('many calls of one request', () => {
    const ids = ['a', 'b', 'c', 'd', 'e'];
    const five = (): ConversationEvent[] => ids.flatMap((id) => begin(id, 'read_file', Date.now()));

    it('are one line when they are done', async () => {
      const parts = ids.slice(0, 4).map((id) => {
        const path = `${id}.ts`;
        return call({ id, arguments: `{"path":"${path}"}`, title: `Read ${path}`, ...readFiles });
      });
      const search = call({ id: 'e', name: 'search_text', title: 'Search for “x”' });
      const panel = await openChat(chatWithParts([...parts, search]));
      assert.equal(panel.all(callCard).length, 0);
      assert.equal(panel.element('.tool-calls').textContent, 'Read 4 files · Search for “x”');
      await unfold(panel, '.tool-calls > details');
      assert.equal(panel.all(callCard).length, 5);
      assert.ok(!panel.all(callCard).some(isOpen));
    });

    it('count only the time in which one of them ran, not the approvals in between', async () => {
      const times = [
        [0, 1000],
        [500, 1500],
        [60_000, 61_000],
        [60_200, 60_300],
        [60_900, 61_000],
      ] as const;
      const parts = times.map(([from, until], at) =>
        call({ id: `c${at}`, startedAt: startedAt + from, endedAt: startedAt + until }),
      );
      const panel = await openChat(chatWithParts(parts));
      assert.equal(
        panel.element('.tool-calls > details > summary .tool-time').textContent,
        '2.5 s',
      );
    });

    it('unfold only while one of them takes long', async () => {
      const panel = await openChat();
      await panel.play(start, ...five());
      const group = panel.element('.tool-calls > details');
      assert.equal(isOpen(group), false);
      await panel.until(() => isOpen(group));
      await panel.play(...ids.map((id) => result(id)));
      assert.equal(isOpen(group), false);
    });

    it('unfold if one of them failed', async () => {
      const panel = await openChat();
      const results = ids.map((id) => result(id, id === 'b' ? 'failed' : 'done'));
      await panel.play(start, ...five(), ...results, end);
      assert.equal(isOpen(panel.element('.tool-calls > details')), true);
      assert.deepEqual(panel.all(callCard).map(isOpen), [false, true, false, false, false]);
      assert.equal(panel.all('.tool-state')[0]?.textContent, '1 failed');
    });

    it('unfold if one of them needs approval, even if the person folded them', async () => {
      const panel = await openChat();
      await panel.play(start, ...five());
      const group = panel.element('.tool-calls > details');
      await panel.until(() => isOpen(group));
      Reflect.set(group, 'open', false);
      await new Promise((resolve) => group.addEventListener('toggle', resolve));
      await panel.play({ type: 'tool-call-ask', id: 'b', question: edit });
      assert.equal(isOpen(group), true);
      assert.equal(panel.buttons('Allow Once').length, 1);
    });
  });

  describe('a match of Find in a call', () => {
    let longPanel: LongPanel | undefined;

    async function look(parts: readonly Part[], query: string): Promise<PanelPage> {
      longPanel = await LongPanel.open(chatWithParts(parts));
      await longPanel.page.press('body', 'f', { ctrlKey: true });
      await longPanel.page.type('[role=search] input', query);
      await longPanel.settled();
      await longPanel.page.until(() => longPanel?.highlightedTexts('find-current').length === 1);
      return longPanel.page;
    }

    it('unfolds with the line of many calls', async () => {
      const ids = ['a', 'b', 'c', 'd', 'e'];
      const parts = ids.map((id) => call({ id, arguments: `{"path":"${id}.ts"}` }));
      const panel = await look(parts, '"b.ts"');
      await panel.until(() => panel.all('details').length > 0);
      assert.equal(isOpen(panel.element('.tool-calls > details')), true);
      assert.deepEqual(panel.all(callCard).map(isOpen), [false, true, false, false, false]);
      assert.deepEqual(longPanel?.highlightedTexts('find-current'), ['"b.ts"']);
    });
  });
});
