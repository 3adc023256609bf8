import assert from 'node:assert/strict';
import type { ToolCategory } from '../../../../src/core/tools/tool.ts';
import { look } from '../../../support/toolTurn.ts';
import { withoutVsCode } from '../../../support/withoutVsCode.ts';

const { toolsWithout } = await withoutVsCode(
  () => import('../../../../src/host/tools/windowToolboxes.ts'),
);

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
