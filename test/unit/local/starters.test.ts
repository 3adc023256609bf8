import assert from 'node:assert/strict';
import { DemoScript } from '../../../src/local/demo/script.ts';
import { requestedCalls } from '../../../src/local/toolUse.ts';

const names = ['read_file', 'list_files', 'search_text', 'find_symbols', 'get_diagnostics'];
const otherTools = ['get_editor_state', 'edit_file', 'create_file', 'open_file', 'get_changes'];
const tools = [...names, ...otherTools].map((name) => ({
  type: 'function' as const,
  function: { name },
}));

describe('the messages that an empty chat offers', () => {
  for (const [text, tool] of [
    ['Read src/report.py, and explain what it does.', 'read_file'],
    ['Get the changes since the last commit, and find problems in them.', 'get_changes'],
    ['List the files of this project, and explain what it does.', 'list_files'],
  ] as const)
    it(`make the demo use ${tool}`, () => {
      const calls = requestedCalls(tools, text, 'auto', new DemoScript());
      assert.deepEqual(
        calls.map(({ name }) => name),
        [tool],
      );
    });
});
