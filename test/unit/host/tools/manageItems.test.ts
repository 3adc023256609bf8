import assert from 'node:assert/strict';
import type { Grant } from '../../../../src/core/approval/grantScope.ts';
import type { ListedExternalTool } from '../../../../src/host/tools/externalTools.ts';
import { manageLines, type ManageContent } from '../../../../src/host/tools/manageItems.ts';
import { anySkill } from '../../../support/skillRig.ts';

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

const grant: Grant = {
  id: 'g',
  lifetime: 'chat',
  scope: { type: 'edits' },
  since: Date.UTC(2026, 0, 2, 12),
  uses: 1,
};

const empty: ManageContent = {
  available: [],
  unavailable: [],
  skills: [],
  external: [],
  grants: [],
  language: 'en',
  describe: () => 'Edits',
  tokensOf: (characters) => characters * 10,
};

function lines(content: Partial<ManageContent>): ReturnType<typeof manageLines> {
  return manageLines({ ...empty, ...content });
}

describe('manageLines', () => {
  it('has a heading for each existing kind', () => {
    const all = lines({
      available: [toolEntry('a', true)],
      external: [foreign('b')],
      grants: [grant],
    });
    const headings = all.flatMap((line) => ('heading' in line ? line.heading : []));
    assert.equal(headings.length, 3);
    assert.match(headings[0] ?? '', /tools \(≈\d/);
    assert.deepEqual(lines({}), []);
    assert.equal(lines({ grants: [grant] }).length, 2);
  });

  it('shows what enabled tools of other extensions cost, which is little once they are deferred', () => {
    const headingOf = (count: number): string => {
      const external = Array.from({ length: 20 }, (_, at) =>
        foreign(`t${at}`, { isEnabled: at < count }),
      );
      const [heading] = lines({ external });
      assert.ok(heading !== undefined && 'heading' in heading);
      return heading.heading;
    };
    assert.equal(headingOf(0), 'Tools from other extensions and MCP servers');
    const [least, few] = [headingOf(1), headingOf(10)].map((heading) =>
      Number(/\(≈([\d.]+)k tokens per request\)$/.exec(heading)?.[1]),
    );
    assert.ok(least !== undefined && few !== undefined && few > 8 * least, headingOf(10));
    assert.equal(headingOf(11), headingOf(20));
    assert.match(headingOf(11), /\(≈[\d.]+k tokens per request, more once they are found\)$/);
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

  it('lists unavailable tools with the reason, without tokens', () => {
    const reason = 'Not in the browser.';
    const unavailable = [{ label: 'Run Command', reason }];
    const [heading, used, line] = lines({ available: [toolEntry('a', true)], unavailable });
    assert.deepEqual(heading, lines({ available: [toolEntry('a', true)] })[0]);
    assert.ok(used !== undefined && line !== undefined && 'label' in line);
    assert.deepEqual([line.label, line.detail, line.isPicked], ['Run Command', reason, false]);
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

  it('marks a tool that has changed since it was enabled', () => {
    const [, line] = lines({ external: [foreign('b', { hasChanged: true })] });
    assert.ok(line !== undefined && 'label' in line);
    assert.match(line.description, /Changed since you selected it/);
    assert.equal(line.isPicked, false);
  });

  it('shows the date of an approval and how often it was used', () => {
    const texts = [1, 2].map((uses) => {
      const [, line] = lines({ grants: [{ ...grant, uses }] });
      assert.ok(line !== undefined && 'label' in line);
      assert.equal(line.label, 'Edits');
      return line.description;
    });
    assert.match(texts[0] ?? '', /^Allowed on Jan 2, 2026.* · used once$/);
    assert.match(texts[1] ?? '', / · used 2 times$/);
  });
});
