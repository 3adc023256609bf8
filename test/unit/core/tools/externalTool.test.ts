import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  externalToolDefinition,
  toolIdentity,
  canBeEnabled,
  hasLargeSchema,
  nameForModel,
  type ExternalTool,
} from '../../../../src/core/tools/externalTool.ts';

const echo: ExternalTool = {
  name: 'sample_echo',
  description: 'Says it again.',
  inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  tags: ['sample'],
};

function isOffered(name: string): boolean {
  return canBeEnabled({ name, inputSchema: undefined });
}

describe('canBeEnabled', () => {
  it("excludes Aside's own tools, and equivalents of those behind its gate", () => {
    const duplicates = [
      ...['aside_read_file', 'aside_anything', ''],
      ...['run_in_terminal', 'get_terminal_output', 'copilot_runInTerminal', 'terminal_selection'],
      ...['copilot_createFile', 'create_file', 'mcp_fs_write_file', 'createNewFile', 'edit_file'],
      ...['copilot_editFiles', 'copilot_insertEdit', 'insert_edit_into_file', 'copilot_applyPatch'],
      ...['copilot_replaceString', 'copilot_multiReplaceString', 'replace_string_in_file'],
      ...['copilot_createDirectory', 'copilot_editNotebook', 'copilot_runNotebookCell'],
      ...['create_and_run_task', 'runTask', 'run_vscode_command', 'copilot_runVscodeCommand'],
      ...['vscode_renameSymbol', 'copilot_createNewWorkspace', 'delete_file', 'move_file'],
      ...['execute_command', 'mcp_shell_command', 'Bash'],
    ];
    for (const name of duplicates) assert.equal(isOffered(name), false, name);
  });

  it('excludes tools under other names that run commands or change files', () => {
    const duplicates = [
      ...['shell', 'mcp_local_shell', 'sh', 'zsh', 'cmd', 'powershell', 'PowerShell', 'pwsh'],
      ...['exec', 'execute', 'spawn', 'mcp_box_exec', 'exec_command', 'cli_command'],
      ...['execute_shell', 'run_shell', 'run_shell_script', 'shell_exec', 'shellExecute'],
      ...['console_run', 'run_process', 'start_process', 'run_script', 'runScript', 'bash_command'],
      ...['apply_diff', 'patch_file', 'str_replace', 'str_replace_editor', 'search_and_replace'],
      ...['multi_edit', 'MultiEdit', 'edit_block', 'insert_content', 'write_to_file', 'save_file'],
      ...['append_file', 'append_to_file', 'copy_file', 'modify_file', 'put_file', 'remove_file'],
      ...['fileWrite', 'file_write', 'fs_write', 'fs_delete', 'delete_path', 'remove_directory'],
      ...['mcp_github_create_or_update_file', 'write_text_file', 'writefile', 'mcp_x_edit_files'],
    ];
    for (const name of duplicates) assert.equal(isOffered(name), false, name);
  });

  it('excludes tools with invisible characters in parameter names', () => {
    const hidden = { type: 'string', 'te\u{200b}xt': {} };
    const schemas: readonly object[] = [
      { properties: { 'text\u{e0041}': { type: 'string' } } },
      { properties: { one: { items: [hidden] } } },
      { $defs: { one: { properties: hidden } } },
    ];
    for (const inputSchema of schemas) {
      assert.equal(canBeEnabled({ name: 'echo', inputSchema }), false, JSON.stringify(inputSchema));
    }
    assert.equal(canBeEnabled(echo), true);
    const described = { properties: { text: { description: 'te\u{200b}xt' } } };
    assert.equal(canBeEnabled({ name: 'echo', inputSchema: described }), true, 'values are shown');
  });

  it('excludes tools whose schemas are too large or too deep, and says so', () => {
    const nested = (depth: number): object =>
      Array.from({ length: depth }).reduce<object>((inner) => ({ properties: { a: inner } }), {});
    const deep: unknown = JSON.parse('['.repeat(100_000) + ']'.repeat(100_000));
    const wide = Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [`field${at}`, {}]));
    const large: readonly object[] = [
      nested(30),
      nested(100_000),
      { allOf: deep },
      { description: 'x'.repeat(6_000_000) },
      { enum: Array.from({ length: 1_000_000 }, () => 1) },
      { properties: { ...wide, ['x'.repeat(50_000)]: {} } },
    ];
    for (const inputSchema of large) {
      assert.equal(canBeEnabled({ name: 'echo', inputSchema }), false);
      assert.equal(hasLargeSchema({ name: 'echo', inputSchema }), true);
      assert.equal(hasLargeSchema({ name: 'run_command', inputSchema }), false, 'never offered');
    }
    for (const inputSchema of [nested(20), { description: 'x'.repeat(50_000) }, undefined]) {
      assert.equal(canBeEnabled({ name: 'echo', inputSchema }), true);
      assert.equal(hasLargeSchema({ name: 'echo', inputSchema }), false);
    }
  });

  it('includes all other tools', () => {
    const others = [
      ...['sample_echo', 'mcp_github_create_issue', 'mcp_db_executeQuery', 'runTests'],
      ...['copilot_fetchWebPage', 'vscode_listCodeUsages', 'renderMermaidDiagram', 'file_search'],
      ...['execute_query', 'mcp_db_execute_sql', 'search_files', 'explain_shell', 'describeBash'],
      ...['read_file', 'read_text_file', 'list_directory', 'run_tests', 'run_query', 'get_process'],
      ...['restart_process', 'output_file', 'profile_edit', 'create_profile', 'get_file_edits'],
      ...['create_branch', 'create_pull_request', 'push_files', 'update_issue', 'dispatch_event'],
      ...['browser_console_messages', 'get_script', 'finish', 'mcp_shell_history', 'find_path'],
    ];
    for (const name of others) assert.equal(isOffered(name), true, name);
  });
});

describe('toolIdentity', () => {
  it('is independent of the order of fields', async () => {
    const identity = await toolIdentity(echo);
    assert.match(identity, /^sample_echo#[0-9a-f]{64}$/);
    const schema = { required: ['text'], properties: { text: { type: 'string' } }, type: 'object' };
    assert.equal(await toolIdentity({ ...echo, inputSchema: schema }), identity);
  });

  it("changes with every change of the tool's description", async () => {
    const changed: readonly ExternalTool[] = [
      echo,
      { ...echo, name: 'sample_Echo' },
      { ...echo, description: 'Says it again. ' },
      { ...echo, inputSchema: undefined },
      { ...echo, inputSchema: { ...echo.inputSchema, required: [] } },
      { ...echo, tags: [] },
      { ...echo, tags: ['sample', 'more'] },
    ];
    const identities = await Promise.all(changed.map(toolIdentity));
    assert.equal(new Set(identities).size, changed.length);
  });
});

describe('nameForModel', () => {
  it('keeps a name that services accept', async () => {
    const identity = await toolIdentity(echo);
    assert.equal(nameForModel(echo, identity, new Set()), 'sample_echo');
  });

  it('never gives two tools the same name', async () => {
    const tool = { ...echo, name: 'read_file' };
    const name = nameForModel(tool, await toolIdentity(tool), new Set(['read_file']));
    assert.match(name, /^read_file_[0-9a-f]{8}$/);
  });

  it('is always the same valid name, whatever the tool is called', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: 'binary', minLength: 1, maxLength: 99 }),
        async (foreignName) => {
          const tool = { ...echo, name: foreignName };
          const identity = await toolIdentity(tool);
          const name = nameForModel(tool, identity, new Set(['a']));
          assert.match(name, /^[A-Za-z0-9_-]{1,64}$/);
          assert.notEqual(name, 'a');
          assert.equal(nameForModel(tool, identity, new Set(['a'])), name);
        },
      ),
      { seed: Number(process.env['SEED'] ?? 7) },
    );
  });
});

describe('externalToolDefinition', () => {
  it("keeps the owner's description", () => {
    assert.deepEqual(externalToolDefinition(echo, 'echo').function, {
      name: 'echo',
      description: 'Says it again.',
      parameters: echo.inputSchema,
    });
  });

  it('makes invisible characters visible, and truncates long descriptions', () => {
    const hidden = { type: 'object', properties: { a: { description: 'x\u{e0041}' } } };
    const tool = { ...echo, description: `a\u202e${'b'.repeat(5000)}`, inputSchema: hidden };
    const { description, parameters } = externalToolDefinition(tool, 'echo').function;
    assert.ok(description.startsWith('a\\u{202e}bbb'));
    assert.equal(description.length, 1024);
    assert.deepEqual(parameters['properties'], { a: { description: 'x\\u{e0041}' } });
  });

  it('has valid parameters even if the tool has none, or invalid ones', () => {
    const empty = { type: 'object', properties: {} };
    for (const inputSchema of [undefined, {}, { type: 'object' }, { type: 'string' }, []]) {
      const definition = externalToolDefinition({ ...echo, inputSchema }, 'echo');
      assert.deepEqual(definition.function.parameters, empty);
    }
  });
});
