import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { Tool, ToolCategory } from '../../../../src/core/tools/tool.ts';
import { look } from '../../../support/toolTurn.ts';
import { withoutVsCode } from '../../../support/withoutVsCode.ts';
import { ownToolsHere } from '../../../support/readToolsHere.ts';

const { commandsProblem, toolsWithout } = await withoutVsCode(
  () => import('../../../../src/host/tools/ownTools.ts'),
);

describe('the tools of Aside', () => {
  let tools: readonly Tool[];
  before(async () => {
    tools = await ownToolsHere();
  });

  it('have icons that exist', () => {
    const css = import.meta.resolve('@vscode/codicons/dist/codicon.css');
    const rules = readFileSync(new URL(css), 'utf8');
    for (const { icon, name } of tools) {
      assert.ok(rules.includes(`\n.codicon-${icon}:before {`), `${name}: no codicon ${icon}`);
    }
  });

  it('lack commands, with a reason, without Node or a disk', () => {
    const at = (scheme: string) => ({
      name: '',
      location: { scheme, authority: '', path: '/work' },
    });
    assert.equal(commandsProblem(true, []), undefined);
    assert.equal(commandsProblem(true, [at('file')]), undefined);
    assert.equal(commandsProblem(true, [at('memfs'), at('file')]), undefined);
    assert.match(commandsProblem(true, [at('memfs')]) ?? '', /virtual workspace/);
    for (const folders of [[], [at('memfs')], [at('file')]]) {
      assert.match(commandsProblem(false, folders) ?? '', /desktop or in a remote window/);
    }
  });
});

const named = (name: string, category: ToolCategory) => ({ ...look, name, category, label: name });
const tools = [
  named('read_file', 'read'),
  named('get_changes', 'read'),
  named('run_command', 'run'),
];

describe('available tools in a window', () => {
  const namesHere = (commands: string | undefined, git: string | undefined) => {
    const { available, unavailable } = toolsWithout({ commands, git }, tools);
    return { available: available.map(({ name }) => name), unavailable };
  };

  it('are all tools on a desktop with Git', () => {
    const { available, unavailable } = namesHere(undefined, undefined);
    assert.deepEqual(available, ['read_file', 'get_changes', 'run_command']);
    assert.deepEqual(unavailable, []);
  });

  it('exclude commands and changes, with their reasons', () => {
    assert.deepEqual(namesHere('No shell.', undefined), {
      available: ['read_file', 'get_changes'],
      unavailable: [{ label: 'run_command', reason: 'No shell.' }],
    });
    assert.deepEqual(namesHere(undefined, 'No Git.'), {
      available: ['read_file', 'run_command'],
      unavailable: [{ label: 'get_changes', reason: 'No Git.' }],
    });
  });
});
