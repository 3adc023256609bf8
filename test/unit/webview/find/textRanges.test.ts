import assert from 'node:assert/strict';
import { findPattern } from '../../../../src/core/conversation/findInTurns.ts';
import { textRanges } from '../../../../src/webview/find/findBar.tsx';
import { openPage } from '../page.ts';

describe('textRanges', () => {
  const { document, Node, NodeFilter } = openPage();
  Object.assign(globalThis, { Node, NodeFilter });

  function find(query: string, html: string): string[] {
    const element = document.createElement('div');
    element.innerHTML = html;
    const pattern = findPattern(query);
    assert.ok(pattern !== undefined);
    return textRanges(element, pattern).map(String);
  }

  it('finds across the nodes of a line', () => {
    const html = '<p>It has <strong>several</strong> parts, several.</p>';
    assert.deepEqual(find('has several parts', html), ['has several parts']);
    assert.deepEqual(find('several', html), ['several', 'several']);
  });

  it('does not join text of different blocks', () => {
    assert.deepEqual(find('onetwo', '<p>one</p><p>two</p>'), []);
    assert.deepEqual(find('one two', '<p>one</p><p>two</p>').length, 1);
    assert.deepEqual(find('ab', '<table><tr><td>a</td><td>b</td></tr></table>'), []);
  });

  it('ignores the text of buttons', () => {
    assert.deepEqual(find('copy', '<div><button>Copy</button><pre>copy</pre></div>'), ['copy']);
  });

  it('starts and ends at the match', () => {
    const element = document.createElement('div');
    element.append('x', 'needle', 'y');
    const pattern = findPattern('needle');
    const [range] = pattern === undefined ? [] : textRanges(element, pattern);
    assert.equal(range?.startContainer, element.childNodes[1]);
    assert.deepEqual([range?.startOffset, range?.endOffset], [0, 6]);
  });
});
