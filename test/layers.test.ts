import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { withBlock } from './support/documentBlock.ts';
import { layers, mapLines } from './support/layers.ts';
import { projectFolder } from './support/paths.ts';
import { importsOf, readSource, sourceFiles } from './support/sourceFiles.ts';

/** Globals that only some runtimes have, and the folders that must run in the others too. */
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
  const folder = folderOf(file, Object.keys(layers)) ?? '';
  // The row of `host` covers the files directly in it, not its subfolders.
  const siblings = ['', 'host'].includes(folder) ? [] : [folder];
  const { imports = [], shared = [] } = layers[folder] ?? {};
  const allowed = [...imports, ...shared, ...siblings];
  return importsOf(file, text).filter((path) => !allowed.some((target) => isWithin(path, target)));
}

/** Subfolders of the host and the view that have no row. */
function foldersWithoutRow(files: readonly string[]): readonly string[] {
  const folders = new Set(files.map((file) => file.split('/').slice(0, -1).slice(0, 2).join('/')));
  return [...folders].filter((folder) => /^(?:host|webview)\b/.test(folder) && !(folder in layers));
}

/**
 * Globals used in a file that another runtime lacks. Properties with such a name are allowed, and
 * so are variables declared in the file.
 */
function forbiddenGlobals(file: string, text = readSource(file)): string[] {
  const ofRuntimes = globals[folderOf(file, Object.keys(globals)) ?? ''] ?? [];
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const declared = declaredIn(source);
  const words = ofRuntimes.filter((word) => !declared.has(word));
  const names: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node) && words.includes(node.text) && !isName(node)) names.push(node.text);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return names;
}

/** Names of the variables and parameters that a file declares. */
function declaredIn(source: ts.SourceFile): ReadonlySet<string> {
  const names = new Set<string>();
  const visit = (node: ts.Node): void => {
    const isDeclaration =
      ts.isParameter(node) || ts.isVariableDeclaration(node) || ts.isBindingElement(node);
    if (isDeclaration && ts.isIdentifier(node.name)) names.add(node.name.text);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return names;
}

/** True if the identifier only names a member, as in `vscode.window` or `{ window: 1 }`. */
function isName(node: ts.Identifier): boolean {
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent)) return parent.name === node;
  return ts.isPropertyAssignment(parent) || ts.isPropertySignature(parent);
}

describe('layers', () => {
  it('find the files', () => assert.ok(sourceFiles.length > 50));

  it('have a row for each folder of the host and the view', () => {
    assert.deepEqual(foldersWithoutRow(sourceFiles), []);
    const more = [
      'host/platform/errors.ts',
      'host/new/a.ts',
      'webview/new/deep/b.ts',
      'core/new/c.ts',
    ];
    assert.deepEqual(foldersWithoutRow(more), ['host/new', 'webview/new']);
  });

  it('let each file import only what its folder may', () => {
    const wrong = sourceFiles.flatMap((file) =>
      [...forbiddenImports(file), ...forbiddenGlobals(file)].map((name) => `${file}: ${name}`),
    );
    assert.deepEqual(wrong, []);
  });

  const breaches: readonly (readonly [string, string])[] = [
    ['core/turn/a.ts', "import type { Uri } from 'vscode';"],
    ['core/support/a.ts', "import { reduce } from '../conversation/reduce.ts';"],
    ['core/service/a.ts', "export * from '../turn/prompt.ts';"],
    ['core/service/a.ts', "import { readFile } from 'node:fs';"],
    ['host/chat/a.ts', "import fs = require('node:fs');"],
    ['host/a.ts', "const local = await import('../local/service.ts');"],
    ['local/a.ts', "import type { Client } from '../core/service/client.ts';"],
    ['webview/a.tsx', "import { text } from '../host/errorText.ts';"],
    ['host/main.ts', "import { findRipgrep } from './node/ripgrepRun.ts';"],
    ['host/chat/a.ts', "import { createAside } from '../main.ts';"],
    ['webview/view/a.tsx', "import MarkdownIt from 'markdown-it';"],
  ];
  it('notice an import of another layer', () => {
    for (const [file, text] of breaches) assert.equal(forbiddenImports(file, text).length, 1, text);
  });

  it('notice globals of another runtime', () => {
    assert.deepEqual(forbiddenGlobals('core/a.ts', 'process.env; Buffer.from([]);'), [
      'process',
      'Buffer',
    ]);
    assert.deepEqual(forbiddenGlobals('protocol/a.ts', 'document.title;'), ['document']);
    assert.deepEqual(forbiddenGlobals('host/a.ts', 'vscode.window.tabGroups;'), []);
    assert.deepEqual(forbiddenGlobals('host/a.ts', 'window.document;'), ['window']);
    assert.deepEqual(forbiddenGlobals('host/a.ts', '(window) => window.log;'), []);
    assert.deepEqual(forbiddenGlobals('webview/a.ts', 'document.title;'), []);
  });
});

describe('map of the layers', () => {
  it('is in docs/architecture.md; UPDATE_TRANSCRIPTS=1 npm run test:unit -- layers writes it', async () => {
    const path = join(projectFolder, 'docs/architecture.md');
    const page = await withBlock(path, 'map', mapLines());
    if (process.env['UPDATE_TRANSCRIPTS'] === '1') writeFileSync(path, page);
    assert.equal(readFileSync(path, 'utf8'), page);
  });
});
