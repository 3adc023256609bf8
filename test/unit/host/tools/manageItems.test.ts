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

  it('marks a tool that has changed since it was enabled', () => {
    const [, line] = lines({ external: [foreign('b', { hasChanged: true })] });
    assert.ok(line !== undefined && 'label' in line);
    assert.match(line.description, /Changed since you selected it/);
    assert.equal(line.isPicked, false);
  });
});
