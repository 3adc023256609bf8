import assert from 'node:assert/strict';
import { renderOutline, type OutlineSymbol } from '../../../../src/core/tools/results.ts';

function symbol(
  name: string,
  start: number,
  children: readonly OutlineSymbol[] = [],
): OutlineSymbol {
  const end = Math.max(start, ...children.map((child) => child.end + 1));
  return { name, kind: children.length > 0 ? 'class' : 'method', start, end, children };
}

const outline = [symbol('Chat', 1, [symbol('ask', 2), symbol('stop', 5)]), symbol('open', 9)];

describe('renderOutline', () => {
  it('indents inner symbols', () => {
    assert.equal(
      renderOutline(outline),
      '1-6 class Chat\n 2 method ask\n 5 method stop\n9 method open',
    );
  });

  it('shows symbols that match a query, and their parents', () => {
    assert.equal(renderOutline(outline, 'STOP'), '1-6 class Chat\n 5 method stop');
    assert.equal(renderOutline(outline, 'none'), '');
  });

  it('limits the number of symbols', () => {
    const many = Array.from({ length: 1000 }, (_, index) => symbol(`s${index}`, index + 1));
    const lines = renderOutline(many).split('\n');
    assert.equal(lines.length, 301);
    assert.equal(lines.at(-1), '(700 more: give a query.)');
  });

  it('finds no symbol by a part of a secret in its name', () => {
    const token = `ghp_${'a1B2c3D4'.repeat(5)}`;
    const symbol = { name: `Key ${token}`, kind: 'string', start: 1, end: 1, children: [] };
    for (let at = 4; at < token.length - 3; at++) {
      assert.equal(renderOutline([symbol], token.slice(at, at + 3)), '');
    }
    assert.match(renderOutline([symbol], 'key ghp_'), /^1 string Key ghp_‹masked \w+›$/);
  });
});
