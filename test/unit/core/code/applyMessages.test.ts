import assert from 'node:assert/strict';
import { applyMessages } from '../../../../src/core/code/codePrompt.ts';

describe('the request that merges code of a reply into a file', () => {
  const file = {
    path: 'src/a.ts',
    language: 'typescript',
    text: 'let kept = 1;\n',
    code: '// ... existing code ...\n```\nlet added = 2;',
  };

  it('contains the whole file and the code as data, and neither in the system message', () => {
    const [system, user] = applyMessages(file, 'Speak Dutch.').map(({ content }) => content ?? '');
    assert.match(system ?? '', /Speak Dutch/);
    assert.doesNotMatch(system ?? '', /kept|added|src\/a\.ts/);
    assert.match(user ?? '', /src\/a\.ts[^]*let kept = 1;/);
    assert.match(user ?? '', /change nothing else/);
  });

  it('separates code that contains fences', () => {
    const [, user] = applyMessages(file, '');
    assert.match(user?.content ?? '', /````typescript\n\/\/ \.\.\. existing[^]*added = 2;\n````/);
  });
});
