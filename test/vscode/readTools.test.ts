import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as vscode from 'vscode';
import { Approved, type ReadGate } from '../../src/core/approval/gate.ts';
import { unlistedBelow, unsearchedBelow, hasSecretName } from '../../src/core/approval/secrets.ts';
import type { Tool } from '../../src/core/tools/tool.ts';
import type { RipgrepProgram } from '../../src/core/files/ripgrep.ts';
import { resolveTarget } from '../../src/core/files/resolveTarget.ts';
import { findRipgrep, ripgrepAt } from '../../src/host/node/ripgrepRun.ts';
import { diskView } from '../../src/host/node/thisMachine.ts';
import { findReferencesTool } from '../../src/host/tools/findReferences.ts';
import { findSymbolsTool } from '../../src/host/tools/findSymbols.ts';
import { changesBelow, getChangesTool } from '../../src/host/tools/getChanges.ts';
import { getDiagnosticsTool } from '../../src/host/tools/getDiagnostics.ts';
import { getEditorStateTool } from '../../src/host/tools/getEditorState.ts';
import { listFilesTool } from '../../src/host/tools/listFiles.ts';
import { openFileTool } from '../../src/host/tools/openFile.ts';
import { readFileTool } from '../../src/host/tools/readFile.ts';
import { searchTextTool } from '../../src/host/tools/searchText.ts';
import { type FileSearchAt, fileSearches } from '../../src/host/platform/workspacePlaces.ts';
import { readFile, type TextContent } from '../../src/host/platform/files.ts';
import { readRepository } from '../../src/host/node/gitReader.ts';
import { gitRepositories } from '../../src/host/platform/git.ts';
import type { Location as PathLocation, Target } from '../../src/core/files/places.ts';
import { toLocation } from '../../src/host/platform/location.ts';
import { resultText, toolContext } from '../support/grantingGate.ts';
import { TemporaryFolder } from '../support/temporaryFolder.ts';
import { until } from '../support/until.ts';

/** Folder of the workspace for the files of these tests. */
const folder = 'reading';

/** Resolves paths like the gate, and allows everything. */
const gate: ReadGate = {
  read: async (path, _context, effect) => effect(new Approved(await targetOf(path))),
  open: async (path, openedAs, _context, effect) =>
    effect(new Approved({ ...(await targetOf(path)), openedAs })),
  bytes: ({ value: { location, identity } }, most) => diskView.read(location, identity, most),
  mayShow: (label) => !hasSecretName(label),
  leftOut: (root, of) => (of === 'names' ? unlistedBelow(root, []) : unsearchedBelow(root, [])),
};

function targetOf(path: string): Promise<Target> {
  const folders = (vscode.workspace.workspaceFolders ?? []).map(({ name, uri }) => ({
    name,
    location: toLocation(uri),
  }));
  const platform = process.platform === 'win32' ? 'windows' : 'linux';
  return resolveTarget(path, { folders, platform }, diskView);
}

function uriOf(path: string): vscode.Uri {
  const [root] = vscode.workspace.workspaceFolders ?? [];
  assert.ok(root, 'There is no workspace.');
  return vscode.Uri.joinPath(root.uri, folder, path);
}

/** Writes a file on the disk, bypassing VS Code, like another program. */
async function put(path: string, content: string | Uint8Array): Promise<string> {
  const file = uriOf(path).fsPath;
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, content);
  return `${folder}/${path}`;
}

function dirtyPaths(): readonly string[] {
  const dirty = vscode.workspace.textDocuments.filter(({ isDirty }) => isDirty);
  return dirty.map(({ uri }) => uri.path);
}

async function whileDirty(path: string, text: string, work: () => Promise<void>): Promise<void> {
  const document = await vscode.workspace.openTextDocument(uriOf(path));
  const edit = new vscode.WorkspaceEdit();
  edit.insert(document.uri, new vscode.Position(0, 0), text);
  assert.equal(await vscode.workspace.applyEdit(edit), true);
  try {
    await work();
  } finally {
    await vscode.window.showTextDocument(document);
    await vscode.commands.executeCommand('workbench.action.files.revert');
    await vscode.commands.executeCommand('workbench.action.closeActiveEditor');
  }
}

async function call(
  tool: Tool,
  parameters: object,
  signal: AbortSignal = new AbortController().signal,
): Promise<string> {
  return resultText(await tool.prepare(parameters).run(toolContext('t', signal)));
}

async function contentOf(path: string): Promise<TextContent> {
  const content = await gate.read(path, toolContext(), (target) => readFile(target, gate));
  assert.equal(content.kind, 'text');
  return content;
}

describe('the read-only tools', () => {
  let ripgrep: RipgrepProgram;

  before(async () => {
    const program = await findRipgrep(vscode.env.appRoot);
    assert.ok(program !== undefined, `There is no ripgrep in ${vscode.env.appRoot}.`);
    ripgrep = ripgrepAt(program);
  });

  after(async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await rm(uriOf('').fsPath, { recursive: true, force: true });
  });

  describe('read_file', () => {
    const tool = readFileTool(gate);

    it('numbers the lines, and states their total', async () => {
      const path = await put('lines.txt', 'one\r\ntwo\r\nthree\r\n');
      const head = `${path}, lines 1-3 of 3`;
      assert.equal(await call(tool, { path }), `${head}\n1\tone\n2\ttwo\n3\tthree`);
      assert.match(await call(tool, { path, start: 2, end: 2 }), /lines 2-2 of 3\n2\ttwo$/);
      await assert.rejects(call(tool, { path, start: 4 }), /has 3 lines/);
    });

    it('masks secrets, but not in a file that the person allowed', async () => {
      const token = `ghp_${'a1B2c3D4'.repeat(5)}`;
      const open = await put('token.ts', `const token = '${token}';\n`);
      assert.match(
        await call(tool, { path: open }),
        /1\tconst token = 'ghp_‹masked [0-9a-f]{6}›';$/,
      );
      const secret = await put('prod.env', `TOKEN=${token}\n`);
      assert.ok((await call(tool, { path: secret })).endsWith(`1\tTOKEN=${token}`));
    });

    it('truncates long text, and says how to continue', async () => {
      const lines = Array.from({ length: 5000 }, (_, index) => `this is line ${index + 1}`);
      const path = await put('long.txt', lines.join('\n'));
      const text = await call(tool, { path });
      const next = /\(Cut: read on from line (\d+)\.\)$/.exec(text)?.[1];
      assert.ok(text.length < 40_000);
      const nextPart = await call(tool, { path, start: Number(next) });
      assert.ok(nextPart.includes(`\n${next}\tthis is line ${next}\n`));
    });

    it('continues in a truncated line', async () => {
      const path = await put('minified.js', `${'x'.repeat(10_000)}end`);
      const next = /… \(6003 more characters, from column (\d+)\)$/.exec(
        await call(tool, { path }),
      )?.[1];
      const nextPart = await call(tool, { path, column: Number(next) });
      assert.match(nextPart, /lines 1-1 of 1, from column 4001\n1\tx{6000}end$/);
    });

    it('reads unsaved changes', async () => {
      const path = await put('dirty.txt', 'saved');
      await whileDirty('dirty.txt', 'typed, not ', async () => {
        const text = `${path}, lines 1-1 of 1, not saved\n1\ttyped, not saved`;
        assert.equal(await call(tool, { path }), text);
      });
    });

    it('reads UTF-16 and marks', async () => {
      const words = Buffer.from('\u{feff}Grüße', 'utf16le');
      assert.match(await call(tool, { path: await put('utf16.txt', words) }), /\n1\tGrüße$/);
      const marked = await put('marked.txt', '\u{feff}Grüße');
      assert.match(await call(tool, { path: marked }), /\n1\tGrüße$/);
    });

    it('reads the configured encoding, and detects undecodable bytes', async () => {
      const path = await put('latin.txt', Buffer.from('Grüße', 'latin1'));
      assert.equal((await contentOf(path)).isLossy, true);
      const files = vscode.workspace.getConfiguration('files');
      const { Workspace } = vscode.ConfigurationTarget;
      await files.update('encoding', 'iso88591', Workspace);
      try {
        const { text, isLossy } = await contentOf(path);
        assert.deepEqual([text, isLossy], ['Grüße', false]);
      } finally {
        await files.update('encoding', undefined, Workspace);
      }
    });

    it("describes files that aren't text", async () => {
      const binary = await put('picture.bin', Uint8Array.of(0x89, 0x50, 0, 0, 0, 13));
      assert.match(await call(tool, { path: binary }), /is binary \(6 bytes\)/);
      const huge = await put('huge.txt', 'x'.repeat(2_000_001));
      assert.match(
        await call(tool, { path: huge }),
        /too large to read \(2000001 bytes\).*search_text/,
      );
      await assert.rejects(call(tool, { path: folder }), /is a folder/);
      await assert.rejects(call(tool, { path: `${folder}/none` }), /does not exist/);
    });

    it('does not wait for a pipe', async () => {
      if (process.platform === 'win32') return;
      await put('any.txt', '');
      execFileSync('mkfifo', [uriOf('pipe').fsPath]);
      await assert.rejects(call(tool, { path: `${folder}/pipe` }), /not a regular file/);
    });
  });

  describe('readFile', () => {
    it('detects later changes, on the disk and in the editor', async () => {
      const path = await put('changing.txt', 'one');
      const first = await contentOf(path);
      assert.equal(await first.isCurrent(), true);
      await put('changing.txt', 'two');
      // The time and size are unchanged.
      await utimes(uriOf('changing.txt').fsPath, 0, 0);
      assert.equal(await first.isCurrent(), false);
      const second = await contentOf(path);
      await whileDirty('changing.txt', 'x', async () => {
        assert.equal(await second.isCurrent(), false);
        const third = await contentOf(path);
        assert.deepEqual([third.text, third.isDirty], ['xtwo', true]);
        assert.equal(await third.isCurrent(), true);
      });
      await rm(uriOf('changing.txt').fsPath);
      await until(() => !dirtyPaths().includes(uriOf('changing.txt').path));
      assert.equal(await second.isCurrent(), false);
    });
  });

  const searches: readonly (readonly [string, () => FileSearchAt])[] = [
    ['with ripgrep', () => fileSearches(() => Promise.resolve(ripgrep))],
    ['without', () => fileSearches(() => Promise.resolve(undefined))],
  ];
  for (const [how, searchAt] of searches) {
    describe(`list_files and search_text, ${how}`, () => {
      let outside: TemporaryFolder;
      const list = (parameters: object): Promise<string> =>
        call(listFilesTool(gate, searchAt()), parameters);
      const search = (parameters: object): Promise<string> =>
        call(searchTextTool(gate, searchAt()), parameters);
      const path = `${folder}/tree`;

      before(async () => {
        outside = await TemporaryFolder.create();
        await writeFile(join(outside.path, 'outside.ts'), 'findable outside');
        await put('tree/.gitignore', '*.log\ngenerated/\n');
        await put('tree/a.ts', 'nothing\nFindable in a\n');
        await put('tree/b.log', 'findable, ignored\n');
        await put('tree/generated/c.ts', 'findable, ignored\n');
        await put('tree/deep/d.tsx', 'before\nfindable in d\nafter\n');
        await put('tree/.env', 'SECRET=findable-hunter2\n');
        await put('tree/hidden.ts', 'findable, excluded\n');
        await symlink(outside.path, uriOf('tree/link').fsPath, 'junction');
        await setExclude({ [`${path}/hidden.ts`]: true });
      });

      after(async () => {
        await setExclude(undefined);
        await rm(uriOf('tree').fsPath, { recursive: true, force: true });
        await outside.dispose();
      });

      it('lists files that are neither ignored nor excluded, and follows no link', async () => {
        const files = `${path}/\n .env\n .gitignore\n a.ts\n${path}/deep/\n d.tsx`;
        assert.equal(await list({ path }), `4 files\n${files}`);
        assert.equal(await list({ path, pattern: '*.ts' }), `1 file\n${path}/\n a.ts`);
        const deep = `1 file\n${path}/deep/\n d.tsx`;
        assert.equal(await list({ path, pattern: 'deep/*' }), deep);
        assert.equal(await list({ pattern: `${path}/deep/**` }), deep);
        await assert.rejects(list({ path: `${path}/none` }), /does not exist/);
      });

      it('finds lines by file, except in files with secrets', async () => {
        const text = await search({ path, query: 'findable' });
        const matches = `${path}/a.ts\n2:Findable in a\n\n${path}/deep/d.tsx\n2:findable in d`;
        assert.equal(text, matches);
        // The person allowed this file.
        const allowed = `${path}/.env`;
        const named = await search({ path: allowed, query: 'SECRET' });
        assert.match(named, /1:SECRET=/);
        assert.doesNotMatch(named, /hunter2/, 'what it is called tells that it is a secret');
        assert.equal(await search({ path: allowed, query: 'findable' }), 'Nothing found.');
      });

      /** Results of all searches, while the files contain a secret. */
      async function resultsWith(secret: string, queries: readonly object[]): Promise<string[]> {
        const files = {
          '.ENV': `KEY=${secret}\n`,
          'deep/prod.env': `KEY=${secret}\n`,
          'deep/credentials': `KEY=${secret}\n`,
          'deep/server.key': `-----BEGIN PRIVATE KEY-----\n${secret}\n`,
          '.aws/config': `KEY=${secret}\n`,
          'token.ts': `before\nconst t = "ghp_${secret}";\nafter\n`,
          'key.ts': `\`-----BEGIN PRIVATE KEY-----\n${secret}\n-----END PRIVATE KEY-----\`\n`,
        };
        for (const [name, text] of Object.entries(files)) await put(`secret/${name}`, text);
        const results: string[] = [];
        for (const query of queries) {
          const parameters = { path: `${folder}/secret`, regex: true, ...query };
          results.push(await search(parameters).catch((error: unknown) => String(error)));
        }
        return results.map((text) => text.replace(/‹masked [0-9a-f]{6}/g, '‹masked'));
      }

      it('reveals no secrets by expressions', async () => {
        const [token, otherToken] = ['a1B2c3D4', 'z9Y8x7W6'].map((part) => part.repeat(5));
        assert.ok(token !== undefined && otherToken !== undefined);
        const parts = [
          'KEY',
          'KEY=[a-m]',
          'a1',
          'z9',
          '^KEY=.{3}[A-Z]',
          '=$',
          '.',
          '^[a-m]',
          'BEGIN',
        ];
        const near = ['ghp_[^a]', 'ghp_a', '^"|ghp_a', 'ghp_\\b|ghp_a', '[^a]"', 'ghp_(?-u:[^a])'];
        const edges = [
          '\\bghp_a',
          '4"',
          '"$|4";',
          'const',
          '\\bconst\\b',
          'ghp_.{40}',
          '\\A|ghp_a',
          '(?m)^|_a',
          'after',
        ];
        const queries = [...parts, ...near, ...edges].flatMap((query) => [
          { query },
          { query, context: 1 },
        ]);
        const [first, second] = [
          await resultsWith(token, queries),
          await resultsWith(otherToken, queries),
        ];
        for (const [index, query] of queries.entries()) {
          assert.equal(first[index], second[index], JSON.stringify(query));
        }
        assert.ok(!first.join('\n').includes(token.slice(0, 12)));
        assert.match(first.join('\n'), /2:const t = "ghp_‹masked›";/);
        assert.doesNotMatch(first.join('\n'), /secret\/(\.ENV|deep|\.aws)/);
        await rm(uriOf('secret').fsPath, { recursive: true });
      });

      if (process.platform !== 'win32') {
        it('treats no part of a name as another file', async () => {
          await put('lines/a\nforged.ts', 'findable\n');
          await put('lines/b.ts', 'findable\n');
          const inLines = { path: `${folder}/lines` };
          assert.doesNotMatch(await search({ ...inLines, query: 'findable' }), /^forged/m);
          assert.doesNotMatch(await list(inLines), /^ *forged/m);
          await rm(uriOf('lines').fsPath, { recursive: true });
        });
      }

      it('accepts expressions and whole words', async () => {
        const inD = `${path}/deep/d.tsx\n2:findable in d`;
        assert.equal(await search({ path, query: '\\bin d\\b', regex: true }), inD);
        const expression = search({ path, query: 'in [d-z]$', regex: true });
        if (how === 'with ripgrep') assert.equal(await expression, inD);
        else await assert.rejects(expression, /Only folders on disk/);
      });

      it('accepts case, globs, single files and context lines', async () => {
        const upper = await search({ path, query: 'Findable' });
        assert.equal(upper, `${path}/a.ts\n2:Findable in a`);
        const inD = `${path}/deep/d.tsx\n2:findable in d`;
        assert.equal(await search({ path, query: 'findable', include: '*.tsx' }), inD);
        assert.equal(await search({ path, query: 'findable', include: 'deep/**' }), inD);
        const around = `${path}/deep/d.tsx\n1-before\n2:findable in d\n3-after`;
        const file = `${path}/deep/d.tsx`;
        assert.equal(await search({ path: file, query: 'findable', context: 3 }), around);
        assert.equal(await search({ path, query: 'nowhere at all' }), 'Nothing found.');
      });

      it('reports the problem of an expression', async () => {
        await assert.rejects(search({ path, query: '(', regex: true }), { name: 'ToolError' });
        await assert.rejects(search({ path, query: '' }), { name: 'ToolError' });
        await assert.rejects(search({ path, query: 'a\nb' }), { name: 'ToolError' });
      });

      it('searches unsaved documents in place of their files', async () => {
        await whileDirty('tree/a.ts', 'typed findable\n', async () => {
          const text = await search({ path, query: 'findable', include: '*.ts' });
          assert.equal(text, `${path}/a.ts\n1:typed findable\n3:Findable in a`);
        });
      });

      it('does not search unsaved documents behind links', async () => {
        await whileDirty('tree/link/outside.ts', 'typed findable\n', async () => {
          assert.doesNotMatch(await search({ path, query: 'findable' }), /outside/);
        });
      });

      it('stops at the signal', async () => {
        const tool = searchTextTool(gate, searchAt());
        const stopped = AbortSignal.abort();
        await assert.rejects(call(tool, { path, query: 'findable' }, stopped), {
          name: 'AbortError',
        });
      });
    });
  }

  describe('language features', () => {
    before(async () => {
      await put('shapes.ts', 'export class Shape {\n  area(): number {\n    return 1;\n  }\n}\n');
      await put('use.ts', "import { Shape } from './shapes';\n\nnew Shape().area();\n");
    });

    it('outlines a file', async () => {
      const path = `${folder}/shapes.ts`;
      const tool = findSymbolsTool(gate);
      const outline = `${path}\n1-5 class Shape\n 2-4 method area`;
      assert.equal(await call(tool, { path }), outline);
      assert.equal(await call(tool, { path, query: 'AREA' }), outline);
      assert.match(await call(tool, { path, query: 'nothing' }), /No symbols/);
      await assert.rejects(call(tool, {}), /query or the path/);
    });

    it('finds symbols of the workspace', async () => {
      await vscode.window.showTextDocument(uriOf('shapes.ts'));
      const tool = findSymbolsTool(gate);
      let symbols = '';
      while (!symbols.includes('Shape')) symbols = await call(tool, { query: 'Shape' });
      assert.match(symbols, new RegExp(`${folder}/shapes\\.ts\n1: class Shape`));
    });

    it('finds references, with their lines', async () => {
      await vscode.window.showTextDocument(uriOf('use.ts'));
      const tool = findReferencesTool(gate);
      const parameters = { path: `${folder}/shapes.ts`, line: 2, symbol: 'area' };
      let references = '';
      // The language server is still loading the project.
      while (!references.includes('use.ts')) references = await call(tool, parameters);
      assert.match(references, /^References, including the declaration: 2/);
      assert.match(references, /shapes\.ts\n2: area\(\): number \{/);
      assert.match(references, /use\.ts\n3: new Shape\(\)\.area\(\);/);
      await assert.rejects(call(tool, { ...parameters, symbol: 'nowhere' }), /does not contain/);
    });
  });

  describe('get_diagnostics', () => {
    it('lists errors and warnings, of one file or all', async () => {
      const path = await put('faulty.txt', 'one\ntwo\n');
      const collection = vscode.languages.createDiagnosticCollection('test');
      try {
        const at = (line: number): vscode.Range => new vscode.Range(line, 0, line, 1);
        const { Error: error, Warning: warning, Hint: hint } = vscode.DiagnosticSeverity;
        const bad = new vscode.Diagnostic(at(1), 'This is wrong.', error);
        bad.source = 'checker';
        bad.code = 42;
        const poor = new vscode.Diagnostic(at(0), 'This is poor.', warning);
        const idea = new vscode.Diagnostic(at(0), 'An idea.', hint);
        collection.set(uriOf('faulty.txt'), [poor, idea, bad]);
        const tool = getDiagnosticsTool(gate);
        // VS Code may report more problems for files that were opened earlier.
        await vscode.window.showTextDocument(uriOf('faulty.txt'));
        const text = `${path}\n2: error: This is wrong. (checker 42)\n1: warning: This is poor.`;
        assert.equal(await call(tool, { path }), text);
        assert.ok((await call(tool, {})).includes(text));
        collection.clear();
        assert.match(await call(tool, { path }), /No known errors/);
      } finally {
        collection.dispose();
      }
    });

    it('lists visible files first, since a long list is truncated', async () => {
      await put('many.txt', 'one\n');
      const path = await put('seen.txt', 'one\n');
      const collection = vscode.languages.createDiagnosticCollection('test');
      const { Error: error, Warning: warning } = vscode.DiagnosticSeverity;
      const problem = (severity: vscode.DiagnosticSeverity): vscode.Diagnostic =>
        new vscode.Diagnostic(new vscode.Range(0, 0, 0, 1), 'Found here.', severity);
      const all = (): Promise<string> => call(getDiagnosticsTool(gate), {});
      try {
        collection.set(uriOf('many.txt'), Array<vscode.Diagnostic>(150).fill(problem(error)));
        collection.set(uriOf('seen.txt'), [problem(error)]);
        assert.doesNotMatch(await all(), /seen\.txt/);
        await vscode.window.showTextDocument(uriOf('seen.txt'));
        const text = await all();
        assert.ok(text.includes(`${path}\n1: error: Found here.`), text);
        assert.match(text, /\(\d+ more: ask for one file\.\)$/);
        collection.set(uriOf('seen.txt'), [problem(warning)]);
        assert.doesNotMatch(await all(), /seen\.txt/);
      } finally {
        collection.dispose();
      }
    });

    it('includes no content of files with secrets or outside the workspace', async () => {
      const collection = vscode.languages.createDiagnosticCollection('test');
      await put('.env', 'KEY=hunter2\n');
      try {
        const range = new vscode.Range(0, 0, 0, 1);
        const problem = new vscode.Diagnostic(range, 'Found hunter2.');
        collection.set(uriOf('.env'), [problem]);
        collection.set(vscode.Uri.file('/elsewhere/a.txt'), [problem]);
        assert.doesNotMatch(await call(getDiagnosticsTool(gate), {}), /hunter2/);
      } finally {
        collection.dispose();
      }
    });
  });

  describe('the editor', () => {
    it('is described: file, selection, open files', async () => {
      await put('shown.txt', 'one\ntwo\nthree\n');
      const editor = await vscode.window.showTextDocument(uriOf('shown.txt'));
      editor.selection = new vscode.Selection(1, 0, 2, 3);
      const text = await call(getEditorStateTool(gate), {});
      assert.match(text, new RegExp(`^Active: ${folder}/shown\\.txt\n`));
      assert.match(text, /\nSelected: lines 2-3\n2\ttwo\n3\tthr/);
      assert.match(text, new RegExp(`Open files:\n(.*\n)*${folder}/shown\\.txt`));
    });

    it('does not name a file of a denied place', async () => {
      await put('kept/notes.txt', 'mine\n');
      await vscode.window.showTextDocument(uriOf('kept/notes.txt'));
      const denied = [toLocation(uriOf('kept'))];
      const strict: ReadGate = { ...gate, leftOut: (root) => unlistedBelow(root, denied) };
      assert.match(await call(getEditorStateTool(gate), {}), /Active: .*kept\/notes\.txt/);
      assert.doesNotMatch(await call(getEditorStateTool(strict), {}), /kept/);
    });

    it('includes no selection of a file with secrets', async () => {
      await put('.env', 'KEY=hunter2\n');
      const editor = await vscode.window.showTextDocument(uriOf('.env'));
      editor.selection = new vscode.Selection(0, 0, 0, 11);
      const text = await call(getEditorStateTool(gate), {});
      assert.match(text, /Selected: lines 1-1\n\(not shown\)/);
      assert.doesNotMatch(text, /hunter2/);
    });

    it('shows a file at a line, and no content to the model', async () => {
      const lines = Array.from({ length: 200 }, (_, index) => `line ${index + 1}`);
      const path = await put('tall.txt', lines.join('\n'));
      const text = await call(openFileTool(gate), { path, line: 150 });
      assert.equal(text, `${path} is shown.`);
      const editor = vscode.window.visibleTextEditors.find(({ document }) =>
        document.uri.path.endsWith('/tall.txt'),
      );
      assert.ok(editor);
      assert.equal(editor.selection.active.line, 149);
      await until(() =>
        editor.visibleRanges.some((range) => range.contains(new vscode.Position(149, 0))),
      );
      await assert.rejects(call(openFileTool(gate), { path: folder }), /a folder/);
    });
  });

  describe('get_changes', () => {
    const git = (...gitArguments: string[]): void => {
      const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@example.test'];
      execFileSync('git', [...identity, ...gitArguments], { cwd: uriOf('repository').fsPath });
    };
    const path = `${folder}/repository`;

    before(async () => {
      await put('repository/a.txt', 'one\n');
      await put('repository/b.txt', 'one\n');
      await put('repository/.env', 'KEY=old\n');
      git('init', '--quiet');
      git('add', '.');
      git('commit', '--quiet', '--message=First');
      await put('repository/a.txt', 'one\nstaged\n');
      git('add', 'a.txt');
      await put('repository/a.txt', 'one\nstaged\nunstaged\n');
      await put('repository/.env', 'KEY=hunter2\n');
      await put('repository/new.txt', 'new\n');
      // Git would interpret this name as a pattern, which matches the secrets too.
      if (process.platform !== 'win32') await put('repository/.en*', 'x\n');
      await vscode.commands.executeCommand('git.openRepository', uriOf('repository').fsPath);
      while (!(await isOpen())) await new Promise((resolve) => setImmediate(resolve));
    });

    async function isOpen(): Promise<boolean> {
      const repositories = await gitRepositories();
      return repositories.some(({ rootUri }) => rootUri.path === uriOf('repository').path);
    }

    it('returns differences from the last commit, and only names of secret files', async () => {
      const text = await call(getChangesTool(gate, readRepository), { path });
      assert.match(text, /^Changes on \w+:/);
      assert.match(text, /a\.txt: modified, partly staged\n@@.*@@\n one\n\+staged\n\+unstaged/);
      assert.match(text, /new\.txt: new, not tracked, not staged/);
      assert.match(text, /\.env: modified, not staged\. It may contain secrets/);
      assert.doesNotMatch(text, /hunter2|KEY/);
      assert.doesNotMatch(text, /b\.txt/);
    });

    it('masks secrets, or asks, and lists nothing in a denied place', async () => {
      await put('repository/a.txt', `one\ntoken = ghp_${'a1B2c3D4'.repeat(5)}\n`);
      const masked = await call(getChangesTool(gate, readRepository), { path });
      assert.match(masked, /\+token = ghp_‹masked [0-9a-f]{6}›/);
      const location = toLocation(uriOf('repository'));
      const questions: string[] = [];
      const denied = [{ ...location, path: `${location.path}/.env` }];
      const asking = {
        mayShow: () => true,
        leftOut: (root: PathLocation) => unlistedBelow(root, denied),
        maySend: (_: vscode.Uri, diff: string) => Promise.resolve(questions.push(diff) < 0),
      };
      const { signal } = new AbortController();
      const places = [{ location, named: location }];
      const [text = ''] = await changesBelow(places, asking, readRepository, signal);
      assert.match(text, /a\.txt: modified, partly staged\. It may contain secrets: not shown/);
      assert.doesNotMatch(text, /token|\.env/);
      assert.match(questions.join('\n'), /a1B2c3D4/);
    });

    it('returns a single file', async () => {
      const text = await call(getChangesTool(gate, readRepository), {
        path: `${path}/new.txt`,
      });
      assert.match(text, /new\.txt/);
      assert.doesNotMatch(text, /a\.txt/);
    });

    it('reports if there is no repository', async () => {
      const other = await put('elsewhere.txt', '');
      await assert.rejects(
        call(getChangesTool(gate, readRepository), { path: other }),
        /No Git repository/,
      );
    });
  });
});

async function setExclude(value: Readonly<Record<string, boolean>> | undefined): Promise<void> {
  const { Workspace } = vscode.ConfigurationTarget;
  await vscode.workspace.getConfiguration('files').update('exclude', value, Workspace);
}
