import assert from 'node:assert/strict';
import fc from 'fast-check';
import { parsePreset } from '../../../../src/core/code/frontMatter.ts';

describe('parsePreset', () => {
  it('reads name, model, tools, options and instructions', () => {
    const text = [
      '---',
      "name: 'Reviewer'",
      'description: Looks at changes',
      'model: [large, small]',
      "tools: ['read_file', search_text]",
      'temperature: 0.2',
      'topP: 0.9',
      'maxTokens: 9000',
      'handoffs: []',
      '---',
      'Be strict.',
    ];
    assert.deepEqual(parsePreset('review.agent.md', text.join('\r\n')), {
      name: 'Reviewer',
      description: 'Looks at changes',
      model: 'large',
      tools: ['read_file', 'search_text'],
      options: { temperature: 0.2, topP: 0.9, maxTokens: 9000 },
      body: 'Be strict.',
    });
  });

  it('reads a file without front matter as a preset with its name and all tools', () => {
    const plain = { name: 'review', description: '', options: {}, body: 'Be strict.' };
    assert.deepEqual(parsePreset('review.agent.md', 'Be strict.\n'), plain);
    assert.deepEqual(parsePreset('a.agent.md', '---\ntools: []\n---\n')?.tools, []);
    assert.equal(parsePreset('a.agent.md', '---\ntools:\n---\n')?.tools, undefined);
  });

  it("ignores options that are out of range or aren't numbers", () => {
    for (const line of ['temperature: 3', 'topP: x', 'maxTokens: 1.5', 'maxTokens: 0', 'topP:']) {
      assert.deepEqual(parsePreset('a.agent.md', `---\n${line}\n---\n`)?.options, {}, line);
    }
  });

  it('returns undefined if the file is too long, or its front matter is not terminated', () => {
    assert.equal(parsePreset('a.agent.md', '---\nname: a\n'), undefined);
    assert.equal(parsePreset('a.agent.md', 'x'.repeat(100_001)), undefined);
  });

  it('accepts any text', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const preset = parsePreset('a.agent.md', `---\n${text}\n---\nbody`);
        assert.ok(preset === undefined || preset.name !== '');
      }),
    );
  });
});
