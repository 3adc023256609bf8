import assert from 'node:assert/strict';
import { posix } from 'node:path';
import ts from 'typescript';
import { importsOf, readSource, sourceFiles } from './support/sourceFiles.ts';

/** What every folder of the view may import. */
const view = ['protocol', 'core/conversation', 'core/support', 'preact', '@preact', '@vscode/l10n'];

/** The folders of the host, and which others of them each may import. */
function hostTable(): Readonly<Record<string, readonly string[]>> {
  const folders: Readonly<Record<string, readonly string[]>> = {
    workspace: [],
    usage: [],
    connection: ['usage'],
    provider: ['usage', 'connection'],
    approval: ['workspace'],
    terminal: ['workspace'],
    review: ['workspace'],
    changes: ['workspace', 'approval', 'review'],
    tools: ['workspace', 'approval', 'terminal', 'changes'],
    code: ['workspace', 'usage', 'connection', 'terminal', 'review'],
    commit: ['workspace', 'code'],
    comments: ['workspace', 'code', 'commit'],
    attachments: ['workspace', 'approval', 'terminal', 'review', 'tools'],
    presets: ['workspace', 'code', 'attachments'],
    chat: ['workspace', 'usage', 'connection', 'approval', 'code', 'attachments', 'presets'],
    history: ['chat', 'changes'],
    request: ['chat'],
  };
  const shared = ['core', 'protocol', 'vscode', 'zod', '../media'];
  // Files of `host` itself are for all of its folders, and import none of these.
  const own = filesIn('host');
  const rows: [string, readonly string[]][] = [
    ['host', [...shared, ...own]],
    ['host/node', ['host', 'core', 'protocol', 'vscode', 'zod', 'node:']],
  ];
  for (const [folder, others] of Object.entries(folders)) {
    rows.push([`host/${folder}`, [...shared, ...own, ...others.map((other) => `host/${other}`)]]);
  }
  return Object.fromEntries(rows);
}

/** The files of a folder itself. */
function filesIn(folder: string): readonly string[] {
  return sourceFiles.filter((file) => posix.dirname(file) === folder);
}

/** The files and folders of the host that a browser can run. */
function foldersWithoutNode(): readonly string[] {
  return Object.entries(hostTable()).flatMap(([row, allowed]) => {
    if (row === 'host/node') return [];
    return row === 'host' ? allowed.filter((one) => one.startsWith('host/')) : [row];
  });
}

/**
 * Who may import whom: for each folder of `src`, the other folders and the packages that its files
 * may name. The longest folder that fits a file counts.
 */
const table: Readonly<Record<string, readonly string[]>> = {
  'core/support': [],
  'core/conversation': ['core/support', 'zod'],
  'core/service': ['core/support', 'core/conversation', 'zod', 'eventsource-parser'],
  'core/workspace': ['core/support', 'zod'],
  'core/search': ['core/support', 'core/workspace'],
  'core/edits': ['core/support', 'diff'],
  'core/history': ['core/support', 'core/conversation', 'zod'],
  'core/tools': ['core/support', 'core/conversation', 'core/edits', 'zod'],
  'core/terminal': ['core/support', 'core/tools'],
  'core/approval': [
    'core/support',
    'core/conversation',
    'core/workspace',
    'core/search',
    'core/edits',
    'core/tools',
    'core/terminal',
    'zod',
  ],
  'core/code': [
    'core/support',
    'core/edits',
    'core/approval',
    'core/service/wire.ts',
    'zod',
    '@vscode/l10n',
  ],
  'core/review': ['core/support', 'core/edits'],
  'core/attachments': ['core/support', 'core/conversation', 'core/service', 'core/edits'],
  'core/turn': ['core'],
  local: ['core/service/wire.ts', 'core/support', 'zod'],
  'local/demo': ['core/support', 'zod'],
  protocol: ['core/conversation', 'core/support', 'zod'],
  ...hostTable(),
  webview: [...view, 'webview'],
  'webview/state': view,
  'webview/scroll': [...view, 'webview/state'],
  'webview/parts': [...view, 'webview/state'],
  'webview/find': [...view, 'webview/state', 'webview/scroll', 'webview/parts'],
  'webview/markdown': ['core/support', 'markdown-it', 'temml', '@codemirror', '@vscode/l10n'],
  'webview/composer': [...view, 'webview/state', 'webview/parts'],
  'webview/tools': [...view, 'webview/state', 'webview/parts'],
  'webview/usage': view,
  'webview/request': [...view, 'webview/usage'],
  'webview/transcript': [
    ...view,
    'webview/state',
    'webview/scroll',
    'webview/parts',
    'webview/find',
    'webview/markdown',
    'webview/tools',
    'webview/composer',
  ],
  // What needs Node is handed in by `extension.ts`, and a browser has nothing of it.
  main: ['core', 'local', 'protocol', ...foldersWithoutNode(), ...filesIn('main'), 'vscode'],
  'main/node': ['main/nodePlatform.ts', 'host/node', 'core/support/background.ts', 'vscode'],
  'browser.ts': ['main/main.ts', 'main/activation.ts', 'vscode'],
  'extension.ts': ['browser.ts', 'main/node', 'main/activation.ts', 'vscode'],
};

/** Globals of one runtime, and the folders that must run in others as well. */
const globals: Readonly<Record<string, readonly string[]>> = {
  core: ['process', 'Buffer', 'require', 'document', 'window'],
  local: ['process', 'Buffer', 'require', 'document', 'window'],
  protocol: ['process', 'Buffer', 'require', 'document', 'window'],
  host: ['process', 'Buffer', 'require', 'window'],
  'host/node': ['document', 'window'],
  webview: ['process', 'Buffer', 'require'],
};

function isWithin(path: string, folder: string): boolean {
  if (folder === '' || folder.endsWith(':')) return path.startsWith(folder);
  return path === folder || path.startsWith(`${folder}/`);
}

function folderOf(file: string, folders: readonly string[]): string | undefined {
  const fitting = folders.filter((folder) => isWithin(file, folder));
  return fitting.toSorted((first, second) => second.length - first.length)[0];
}

function forbiddenImports(file: string, text = readSource(file)): string[] {
  const folder = folderOf(file, Object.keys(table)) ?? '';
  // Files of `host` and `main` itself are in their rows: the folders inside are not for them.
  const own = ['', 'host', 'main'].includes(folder) ? [] : [folder];
  const allowed = [...(table[folder] ?? []), ...own];
  return importsOf(file, text).filter((path) => !allowed.some((one) => isWithin(path, one)));
}

/** Folders of the host and the view without a row of their own, though their files lie apart. */
function foldersWithoutRow(files: readonly string[]): readonly string[] {
  const folders = new Set(files.map((file) => file.split('/').slice(0, -1).slice(0, 2).join('/')));
  return [...folders].filter((folder) => /^(?:host|webview)\b/.test(folder) && !(folder in table));
}

/** Globals that a file says though another runtime lacks them; a property of that name is fine. */
function forbiddenGlobals(file: string, text = readSource(file)): string[] {
  const words = globals[folderOf(file, Object.keys(globals)) ?? ''] ?? [];
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node) && words.includes(node.text) && !isName(node)) found.push(node.text);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true));
  return found;
}

/** Whether the identifier only names a member, as in `vscode.window` or `{ window: 1 }`. */
function isName(node: ts.Identifier): boolean {
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent)) return parent.name === node;
  return ts.isPropertyAssignment(parent) || ts.isPropertySignature(parent);
}

describe('layers', () => {
  it('sees the files', () => assert.ok(sourceFiles.length > 50));

  it('has a row for each folder of the host and the view', () => {
    assert.deepEqual(foldersWithoutRow(sourceFiles), []);
    const more = ['host/errors.ts', 'host/new/a.ts', 'webview/new/deep/b.ts', 'core/new/c.ts'];
    assert.deepEqual(foldersWithoutRow(more), ['host/new', 'webview/new']);
  });

  for (const file of sourceFiles) {
    it(`src/${file} imports only what its folder may`, () => {
      assert.deepEqual(forbiddenImports(file), []);
      assert.deepEqual(forbiddenGlobals(file), []);
    });
  }

  const breaches: readonly (readonly [string, string])[] = [
    ['core/turn/a.ts', "import type { Uri } from 'vscode';"],
    ['core/support/a.ts', "import { reduce } from '../conversation/reduce.ts';"],
    ['core/service/a.ts', "export * from '../turn/prompt.ts';"],
    ['core/service/a.ts', "import { readFile } from 'node:fs';"],
    ['host/chat/a.ts', "import fs = require('node:fs');"],
    ['host/a.ts', "const local = await import('../local/service.ts');"],
    ['local/a.ts', "import type { Client } from '../core/service/client.ts';"],
    ['webview/a.tsx', "import { text } from '../host/errorText.ts';"],
    ['main/a.ts', "import { findRipgrep } from '../host/node/findRipgrep.ts';"],
    ['main/a.ts', "import { thisNode } from './node/thisNode.ts';"],
    ['webview/view/a.tsx', "import MarkdownIt from 'markdown-it';"],
  ];
  for (const [file, text] of breaches) {
    it(`notices ${text} in ${file}`, () => assert.equal(forbiddenImports(file, text).length, 1));
  }

  it('notices globals of another runtime', () => {
    assert.deepEqual(forbiddenGlobals('core/a.ts', 'process.env; Buffer.from([]);'), [
      'process',
      'Buffer',
    ]);
    assert.deepEqual(forbiddenGlobals('protocol/a.ts', 'document.title;'), ['document']);
    assert.deepEqual(forbiddenGlobals('host/a.ts', 'vscode.window.tabGroups;'), []);
    assert.deepEqual(forbiddenGlobals('webview/a.ts', 'document.title;'), []);
  });
});
