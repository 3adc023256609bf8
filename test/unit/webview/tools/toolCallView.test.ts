import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Part } from '../../../../src/core/conversation/conversation.ts';
import { truncateMiddle } from '../../../../src/webview/parts/cutText.tsx';
import { toolSummary, toolTitle } from '../../../../src/webview/tools/toolCalls.tsx';
import { replyBlocks } from '../../../../src/webview/transcript/replyView.tsx';
import { call, readFiles } from '../tools.ts';

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
