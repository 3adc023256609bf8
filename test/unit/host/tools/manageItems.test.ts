import { anySkill } from '../../../support/skillRig.ts';
import assert from 'node:assert/strict';
import type { ListedExternalTool } from '../../../../src/host/tools/externalTools.ts';
import { manageLines, type ManageContent } from '../../../../src/host/tools/manageItems.ts';

const toolEntry = (name: string, isUsed: boolean): ManageContent['available'][number] => ({
  label: `Tool ${name.toUpperCase()}`,
  definition: { type: 'function', function: { name, description: 'Reads.', parameters: {} } },
  isUsed,
});

const foreign = (name: string, more: Partial<ListedExternalTool> = {}): ListedExternalTool => ({
  tool: { name, description: 'Echoes.', inputSchema: undefined, tags: [] },
  identity: `${name}#1`,
  isEnabled: false,
  hasChanged: false,
  ...more,
});

const empty: ManageContent = {
  available: [],
  unavailable: [],
  skills: [],
  external: [],
  tooLarge: [],
  grants: [],
  language: 'en',
  describe: () => 'Edits',
  tokensOf: (characters) => characters * 10,
};

function lines(content: Partial<ManageContent>): ReturnType<typeof manageLines> {
  return manageLines({ ...empty, ...content });
}

describe('manageLines', () => {
  it('lists unavailable tools with the reason, without tokens', () => {
    const reason = 'Not in the browser.';
    const unavailable = [{ label: 'Run Command', reason }];
    const [heading, used, line] = lines({ available: [toolEntry('a', true)], unavailable });
    assert.deepEqual(heading, lines({ available: [toolEntry('a', true)] })[0]);
    assert.ok(used !== undefined && line !== undefined && 'label' in line);
    assert.deepEqual([line.label, line.detail, line.isPicked], ['Run Command', reason, false]);
  });

  it('shows external descriptions as plain text', () => {
    const words = 'one\n$(check) \u202etwo' + 'x'.repeat(1000);
    const tool = { name: '$(x)', description: words, inputSchema: undefined, tags: [] };
    const [, line] = lines({ external: [foreign('b', { tool, isEnabled: true })] });
    assert.ok(line !== undefined && 'label' in line);
    assert.equal(line.label, '$ (x)');
    assert.match(line.detail ?? '', /^one \$ \(check\) \\u\{202e\}twox+…$/);
    assert.equal(line.isPicked, true);
    assert.equal(line.description, '');
  });

  it('says of a tool why it is too large to be used', () => {
    const [, line] = lines({ tooLarge: ['huge_$(x)'] });
    assert.ok(line !== undefined && 'label' in line);
    assert.deepEqual([line.label, line.isPicked], ['huge_$ (x)', false]);
    assert.match(line.detail ?? '', /too large/);
    assert.deepEqual(line.thing, { type: 'unavailable' });
  });

  it('marks a tool that has changed since it was enabled', () => {
    const [, line] = lines({ external: [foreign('b', { hasChanged: true })] });
    assert.ok(line !== undefined && 'label' in line);
    assert.match(line.description, /Changed since you selected it/);
    assert.equal(line.isPicked, false);
  });

  it('shows the tokens of the built-in tools, each and in total', () => {
    const [heading, first, second] = lines({
      available: [toolEntry('a', true), toolEntry('b', false)],
    });
    const cost = JSON.stringify(toolEntry('a', true).definition).length * 10;
    assert.ok(heading !== undefined && 'heading' in heading && first && 'label' in first);
    assert.ok(second !== undefined && 'label' in second);
    assert.deepEqual([first.label, first.description], ['Tool A', `≈${cost} tokens`]);
    assert.ok(heading.heading.includes(`≈${((cost * 2) / 1000).toFixed(1)}k`), heading.heading);
    assert.deepEqual([first.isPicked, second.isPicked], [true, false]);
    assert.equal(first.detail, undefined, 'The model is described to, not the person.');
    assert.deepEqual(first.thing, { type: 'own', name: 'a' });
  });

  it('lists skills with their tokens, and why one is not used', () => {
    const many = Array.from({ length: 52 }, (_, index) => ({
      ...anySkill,
      path: `s${index}`,
      isAllowed: index > 0,
    }));
    const cut = { ...anySkill, line: { ...anySkill.line, isCut: true } };
    const broken = { ...anySkill, problem: 'It is $(empty).' };
    const [heading, ...all] = lines({ skills: [...many, cut, broken] });
    const tokens = anySkill.line.text.length * 10;
    assert.ok(heading && 'heading' in heading);
    assert.equal(heading.heading, `Skills (≈${(tokens * 50) / 1000}k tokens per request)`);
    const entries = all.flatMap((line) => ('heading' in line ? [] : line));
    assert.deepEqual(
      entries.map(({ isPicked }) => isPicked),
      [false, ...Array.from({ length: 51 }, () => true), false, false],
    );
    assert.equal(entries[0]?.description, `≈${tokens} tokens`);
    assert.equal(entries[0].detail, 's0 · Writes notes.');
    assert.match(entries[51]?.description ?? '', /Not listed: more than 50 skills/);
    assert.match(entries[52]?.description ?? '', /Description shortened/);
    assert.equal(entries[53]?.detail, 'It is $ (empty).');
  });
});
