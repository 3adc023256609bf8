import { anySkill } from '../../../support/skillRig.ts';
import assert from 'node:assert/strict';
import type { Tool } from '../../../../src/core/tools/tool.ts';
import { EnabledTools } from '../../../../src/host/tools/enabledTools.ts';
import type { ListedExternalTool } from '../../../../src/host/tools/externalTools.ts';
import type { ManageContent } from '../../../../src/host/tools/manageTools.ts';
import { look } from '../../../support/toolTurn.ts';
import { withoutVsCode } from '../../../support/withoutVsCode.ts';
import { FakeMemento } from '../fakes.ts';

const { manageLines } = await withoutVsCode(
  () => import('../../../../src/host/tools/manageTools.ts'),
);

const toolNamed = (name: string, problem?: string): Tool => ({
  ...look,
  name,
  label: `Tool ${name.toUpperCase()}`,
  definition: { type: 'function', function: { name, description: 'Reads.', parameters: {} } },
  problem: () => problem,
});

const foreign = (name: string, more: Partial<ListedExternalTool> = {}): ListedExternalTool => ({
  tool: { name, description: 'Echoes.', inputSchema: undefined, tags: [] },
  identity: `${name}#1`,
  isEnabled: false,
  hasChanged: false,
  ...more,
});

const empty: ManageContent = {
  tools: [],
  enabledTools: new EnabledTools(new FakeMemento()),
  skills: [],
  external: [],
  tooLarge: [],
  grants: [],
  describe: () => 'Edits',
  tokensOf: (characters) => characters * 10,
};

function lines(content: Partial<ManageContent>): ReturnType<typeof manageLines> {
  return manageLines({ ...empty, ...content });
}

describe('manageLines', () => {
  it('lists unavailable tools with the reason, without tokens', () => {
    const reason = 'Not in the browser.';
    const [heading, used, line] = lines({ tools: [toolNamed('run', reason), toolNamed('a')] });
    assert.deepEqual(heading, lines({ tools: [toolNamed('a')] })[0]);
    assert.ok(used !== undefined && line !== undefined && 'label' in line);
    assert.deepEqual([line.label, line.detail, line.isPicked], ['Tool RUN', reason, false]);
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

  it('shows the tokens of the built-in tools, each and in total', async () => {
    const enabledTools = new EnabledTools(new FakeMemento());
    await enabledTools.setOwnEnabled(['b'], []);
    const tools = [toolNamed('a'), toolNamed('b')];
    const [heading, first, second] = lines({ tools, enabledTools });
    const cost = JSON.stringify(tools[0]?.definition).length * 10;
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
    const unlisted = { ...cut, isAllowed: true, isListed: false };
    const [heading, ...all] = lines({ skills: [...many, cut, broken, unlisted] });
    const tokens = anySkill.line.text.length * 10;
    assert.ok(heading && 'heading' in heading);
    assert.equal(heading.heading, `Skills (≈${(tokens * 50) / 1000}k tokens per request)`);
    const entries = all.flatMap((line) => ('heading' in line ? [] : line));
    assert.deepEqual(
      entries.map(({ isPicked }) => isPicked),
      [false, ...Array.from({ length: 51 }, () => true), false, false, true],
    );
    assert.equal(entries[0]?.description, `≈${tokens} tokens`);
    assert.equal(entries[0].detail, 's0 · Writes notes.');
    assert.match(entries[51]?.description ?? '', /Not listed: more than 50 skills/);
    assert.match(entries[52]?.description ?? '', /Description shortened/);
    assert.equal(entries[53]?.detail, 'It is $ (empty).');
    assert.equal(entries[54]?.description, 'Only sent when you attach it');
  });
});

describe('EnabledTools', () => {
  it('stores the selection', async () => {
    const state = new FakeMemento();
    const ticked = new EnabledTools(state);
    await ticked.setOwnEnabled(['read_file', 'run_command'], ['read_file']);
    await ticked.setExternalEnabled(['echo#1', 'add#2'], ['echo#1']);
    const later = new EnabledTools(state);
    assert.deepEqual(
      [later.isOwnEnabled('read_file'), later.isOwnEnabled('run_command')],
      [true, false],
    );
    assert.deepEqual(
      [later.isExternalEnabled('echo#1'), later.isExternalEnabled('add#2')],
      [true, false],
    );
    await later.setOwnEnabled(['read_file', 'run_command'], ['read_file', 'run_command']);
    await later.setExternalEnabled(['echo#1'], []);
    assert.equal(ticked.isOwnEnabled('run_command'), true);
    assert.equal(ticked.isExternalEnabled('echo#1'), false);
  });

  it('treats a changed tool as another one, and drops the previous entry', async () => {
    const ticked = new EnabledTools(new FakeMemento());
    await ticked.setExternalEnabled(['echo#1'], ['echo#1']);
    assert.equal(ticked.isExternalEnabled('echo#2'), false);
    assert.equal(ticked.wasExternalEnabled('echo'), true);
    await ticked.setExternalEnabled(['echo#2'], []);
    assert.equal(ticked.isExternalEnabled('echo#1'), false);
    assert.equal(ticked.wasExternalEnabled('echo'), false);
  });

  it('keeps the state of tools that are not listed', async () => {
    const ticked = new EnabledTools(new FakeMemento());
    await ticked.setExternalEnabled(['a#b#1'], ['a#b#1']);
    await ticked.setOwnEnabled(['run_command'], []);
    await ticked.setExternalEnabled(['a#2'], ['a#2']);
    await ticked.setOwnEnabled(['read_file'], ['read_file']);
    assert.deepEqual(
      [ticked.isExternalEnabled('a#b#1'), ticked.isExternalEnabled('a#2')],
      [true, true],
    );
    assert.equal(ticked.isOwnEnabled('run_command'), false);
  });

  it('enables no external tool if the record is damaged', () => {
    const state = new FakeMemento();
    state.stored.set('aside.tickedTools', '{"echo#1":true}');
    state.stored.set('aside.unusedTools', '7');
    assert.equal(new EnabledTools(state).isExternalEnabled('echo#1'), false);
    assert.equal(new EnabledTools(state).isOwnEnabled('read_file'), true);
  });
});
