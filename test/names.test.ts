import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { projectFolder } from './support/paths.ts';

/** Words that describe how a value was obtained instead of its role. */
const roleless = new Set(
  'given found one rest own place kept shown told met taken left asked'.split(' '),
);

type NamedDeclaration =
  | ts.VariableDeclaration
  | ts.ParameterDeclaration
  | ts.BindingElement
  | ts.FunctionDeclaration
  | ts.FunctionExpression
  | ts.PropertySignature
  | ts.PropertyDeclaration
  | ts.MethodSignature
  | ts.MethodDeclaration
  | ts.AccessorDeclaration;

/** Names that a file declares, each with its 1-based line, except keys of object literals. */
function namesIn(file: string, text: string): readonly (readonly [string, number])[] {
  const kind = file.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true, kind);
  const names: (readonly [string, number])[] = [];
  const visit = (node: ts.Node): void => {
    if (isNamed(node) && node.name !== undefined) {
      const { line } = source.getLineAndCharacterOfPosition(node.name.getStart());
      names.push([node.name.getText().replace('#', ''), line + 1]);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return names;
}

function isNamed(node: ts.Node): node is NamedDeclaration {
  return (
    ts.isVariableDeclaration(node) ||
    ts.isParameter(node) ||
    ts.isBindingElement(node) ||
    ts.isFunctionDeclaration(node) ||
    ts.isFunctionExpression(node) ||
    ts.isPropertySignature(node) ||
    ts.isPropertyDeclaration(node) ||
    ts.isMethodSignature(node) ||
    ts.isMethodDeclaration(node) ||
    ts.isAccessor(node)
  );
}

function rolelessNames(file: string, text: string): readonly string[] {
  return namesIn(file, text)
    .filter(([name]) => roleless.has(name))
    .map(([name, line]) => `${file}:${line} ${name}`);
}

describe('names of locals, parameters, functions and members', () => {
  const options = {
    cwd: projectFolder,
    exclude: ['test/bench/rivals/**'],
  };
  const files = globSync('{src,test,build}/**/*.{ts,tsx}', options).map((file) =>
    file.replaceAll('\\', '/'),
  );
  const read = (file: string): string => readFileSync(join(projectFolder, file), 'utf8');

  it('tell the role of the value', () => {
    assert.ok(files.length > 800);
    assert.deepEqual(
      files.flatMap((file) => rolelessNames(file, read(file))),
      [],
    );
  });
});

describe('the check of names', () => {
  it('notices every kind of declaration', () => {
    const declarations = [
      'const found = 1;',
      'const { key: found } = entry;',
      'const [found] = entries;',
      'for (const found of entries) use(found);',
      'use((found) => 1);',
      'function found() {}',
      'use(function found() {});',
      'interface Shape { found: string }',
      'interface Shape { found(): string }',
      'type Shape = { found: string };',
      'class Shape { #found = 1; }',
      'class Shape { constructor(found: string) {} }',
      'class Shape { found() {} }',
      'class Shape { get found() { return 1; } }',
    ];
    for (const text of declarations)
      assert.deepEqual(rolelessNames('a.ts', text), ['a.ts:1 found'], text);
  });

  it('accepts keys of literals, which others declare, and names that only contain such a word', () => {
    for (const text of ['use({ left: 1 });', 'const { left: edge } = box;', 'const foundAt = 1;'])
      assert.deepEqual(rolelessNames('a.ts', text), [], text);
  });
});
