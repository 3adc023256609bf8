import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { projectFolder } from '../support/paths.ts';

/** Words that tell how a value got there, and not what it is for. */
const roleless = new Set(
  'given found one rest own place kept shown told met taken left asked'.split(' '),
);

/** The names of locals and parameters in a file, each with its line. */
function* namesIn(file: string): Generator<{ readonly name: string; readonly line: number }> {
  const text = readFileSync(join(projectFolder, file), 'utf8');
  const kind = file.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true, kind);
  const waiting: ts.Node[] = [source];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (isBinding(node) && ts.isIdentifier(node.name)) {
      const { line } = source.getLineAndCharacterOfPosition(node.name.getStart());
      yield { name: node.name.text, line: line + 1 };
    }
    ts.forEachChild(node, (child) => void waiting.push(child));
  }
}

function isBinding(
  node: ts.Node,
): node is ts.VariableDeclaration | ts.ParameterDeclaration | ts.BindingElement {
  return ts.isVariableDeclaration(node) || ts.isParameter(node) || ts.isBindingElement(node);
}

describe('names of locals and parameters', () => {
  it('tell the role of the value', () => {
    const files = globSync('src/**/*.{ts,tsx}', { cwd: projectFolder });
    assert.ok(files.length > 400);
    const found = files.flatMap((file) =>
      [...namesIn(file)]
        .filter(({ name }) => roleless.has(name))
        .map(({ name, line }) => `${file}:${line} ${name}`),
    );
    assert.deepEqual(found, []);
  });
});
