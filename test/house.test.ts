import assert from 'node:assert/strict';
import { posix } from 'node:path';
import ts from 'typescript';
import { importsOf, readSource, sourceFiles } from './support/sourceFiles.ts';

/** Limits that keep `src` easy to navigate. */
const maxFilesOfFolder = 31;
const maxLinesOfSmallFile = 25;
const maxShareOfSmallFiles = 0.05;
const maxLinesOfFunction = 60;
/** Limits of the wiring in `app`, which should connect objects without making decisions. */
const maxLinesOfWiring = 1400;
const maxImportsOfWiring = 20;
/**
 * Maximum number of calls that load a module only to call one of its functions; `lazyMethods`
 * replaces them.
 */
const maxForwardedCalls = 12;
/** Maximum number of members of an interface that a feature or a scope needs. */
const maxMembersOfNeeds = 9;

/** Maximum number of types that pick members of another type. A named type is better where possible. */
const maxPickedTypes = 84;

/** Sources by their paths relative to `src`. */
type Sources = ReadonlyMap<string, string>;
/** Imports of each file or folder. */
type ImportGraph = ReadonlyMap<string, ReadonlySet<string>>;

function largeFolders(files: readonly string[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const file of files) {
    const folder = posix.dirname(file);
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  return [...counts]
    .filter(([, count]) => count > maxFilesOfFolder)
    .map(([folder, count]) => `${folder}: ${count} files`);
}

/** The small files, if their share is too large. The file of a feature may be small. */
function tooManySmallFiles(sources: Sources): readonly string[] {
  const small = [...sources]
    .filter(([file]) => posix.basename(file) !== 'feature.ts')
    .filter(([, text]) => text.trimEnd().split('\n').length <= maxLinesOfSmallFile)
    .map(([file]) => file);
  return small.length > sources.size * maxShareOfSmallFiles ? small : [];
}

function longFunctions(file: string, text: string): readonly string[] {
  const source = parse(file, text);
  const problems: string[] = [];
  const visit = (node: ts.Node): void => {
    const { name, body } = functionParts(node);
    if (body !== undefined) {
      const lines = lineOf(body.getEnd()) - lineOf(body.getStart(source)) + 1;
      const line = lineOf(node.getStart(source)) + 1;
      if (lines > maxLinesOfFunction) problems.push(`${file}:${line} ${name}: ${lines} lines`);
    }
    ts.forEachChild(node, visit);
  };
  const lineOf = (offset: number): number => source.getLineAndCharacterOfPosition(offset).line;
  visit(source);
  return problems;
}

/** Interfaces of needs with too many members. Interfaces that a feature offers have no limit. */
function largeNeeds(file: string, text: string): readonly string[] {
  return parse(file, text)
    .statements.filter(ts.isInterfaceDeclaration)
    .filter(({ name }) => /(?:Needs|Options|Parts|Scope|Window)$/.test(name.text))
    .filter(({ members }) => members.length > maxMembersOfNeeds)
    .map(({ name, members }) => `${file} ${name.text}: ${members.length} members`);
}

/** Number of calls that load a module and forward to it. */
function forwardedCalls(text: string): number {
  return [...text.matchAll(/\(await [\w.]+\.load\(\)\)/g)].length;
}

/** Name and body of a function of any kind. The body is undefined for other nodes. */
function functionParts(node: ts.Node): { name: string; body: ts.Node | undefined } {
  if (ts.isConstructorDeclaration(node)) return { name: 'constructor', body: node.body };
  if (ts.isArrowFunction(node)) return { name: 'arrow function', body: node.body };
  if (
    ts.isFunctionDeclaration(node) ||
    ts.isFunctionExpression(node) ||
    ts.isMethodDeclaration(node) ||
    ts.isAccessor(node)
  ) {
    return { name: node.name?.getText() ?? 'function', body: node.body };
  }
  return { name: '', body: undefined };
}

function parse(file: string, text: string): ts.SourceFile {
  return ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
}

function importsOfFiles(sources: Sources): ImportGraph {
  return new Map(
    [...sources].map(([file, text]) => {
      const imports = importsOf(file, text).filter((path) => sources.has(path));
      return [file, new Set(imports)];
    }),
  );
}

function importsOfFolders(files: ImportGraph): ImportGraph {
  const folders = new Map<string, Set<string>>();
  for (const [file, imports] of files) {
    const folder = posix.dirname(file);
    const others = folders.get(folder) ?? new Set();
    for (const other of [...imports].map((path) => posix.dirname(path))) {
      if (other !== folder) others.add(other);
    }
    folders.set(folder, others);
  }
  return folders;
}

/** One cycle of the graph, such as `a → b → a`. Empty if there is none. */
function circularImports(graph: ImportGraph): readonly string[] {
  const finished = new Set<string>();
  const path: string[] = [];
  const search = (node: string): readonly string[] => {
    if (finished.has(node)) return [];
    if (path.includes(node)) return [[...path.slice(path.indexOf(node)), node].join(' → ')];
    path.push(node);
    for (const next of graph.get(node) ?? []) {
      const cycle = search(next);
      if (cycle.length > 0) return cycle;
    }
    path.pop();
    finished.add(node);
    return [];
  };
  for (const node of graph.keys()) {
    const cycle = search(node);
    if (cycle.length > 0) return cycle;
  }
  return [];
}

/** Names that two files export. Re-exports don't count. */
function namesExportedTwice(sources: Sources): readonly string[] {
  const exporters = new Map<string, Set<string>>();
  for (const [file, text] of sources) {
    for (const name of exportsOf(file, text)) {
      exporters.set(name, (exporters.get(name) ?? new Set()).add(file));
    }
  }
  return [...exporters]
    .filter(([, files]) => files.size > 1)
    .map(([name, files]) => `${name}: ${[...files].join(', ')}`);
}

function exportsOf(file: string, text: string): readonly string[] {
  const { statements } = parse(file, text);
  const imported = statements.filter(ts.isImportDeclaration).flatMap(importedNames);
  return statements.flatMap((statement) => {
    if (ts.isExportDeclaration(statement)) {
      return exportedInBraces(statement).filter((name) => !imported.includes(name));
    }
    if (!isExported(statement)) return [];
    if (ts.isVariableStatement(statement)) {
      return statement.declarationList.declarations.map(({ name }) => name.getText());
    }
    return isNamedDeclaration(statement) && statement.name !== undefined
      ? [statement.name.getText()]
      : [];
  });
}

function exportedInBraces({ exportClause, moduleSpecifier }: ts.ExportDeclaration): string[] {
  if (moduleSpecifier !== undefined || exportClause === undefined) return [];
  if (!ts.isNamedExports(exportClause)) return [];
  return exportClause.elements.map(({ name }) => name.text);
}

function importedNames({ importClause }: ts.ImportDeclaration): string[] {
  const names = importClause?.namedBindings;
  return names !== undefined && ts.isNamedImports(names)
    ? names.elements.map(({ name }) => name.text)
    : [];
}

function isExported(statement: ts.Statement): boolean {
  const modifiers = ts.canHaveModifiers(statement) ? ts.getModifiers(statement) : undefined;
  const kinds = modifiers?.map(({ kind }) => kind) ?? [];
  return (
    kinds.includes(ts.SyntaxKind.ExportKeyword) && !kinds.includes(ts.SyntaxKind.DefaultKeyword)
  );
}

function isNamedDeclaration(
  node: ts.Node,
): node is
  | ts.FunctionDeclaration
  | ts.ClassDeclaration
  | ts.InterfaceDeclaration
  | ts.TypeAliasDeclaration
  | ts.EnumDeclaration {
  return (
    ts.isFunctionDeclaration(node) ||
    ts.isClassDeclaration(node) ||
    ts.isInterfaceDeclaration(node) ||
    ts.isTypeAliasDeclaration(node) ||
    ts.isEnumDeclaration(node)
  );
}

function graphOf(...edges: readonly (readonly [string, string])[]): ImportGraph {
  const graph = new Map<string, Set<string>>();
  for (const [from, to] of edges) graph.set(from, (graph.get(from) ?? new Set()).add(to));
  return graph;
}

describe('source files', () => {
  const sources: Sources = new Map(sourceFiles.map((file) => [file, readSource(file)]));
  const fileImports = importsOfFiles(sources);

  it('are found', () => {
    assert.ok(sources.size > 200);
    assert.ok([...fileImports.values()].some((imports) => imports.size > 5));
  });

  it(`are at most ${maxFilesOfFolder} per folder`, () => {
    assert.deepEqual(largeFolders(sourceFiles), []);
  });

  it(`have more than ${maxLinesOfSmallFile} lines, except one in twenty`, () => {
    assert.deepEqual(tooManySmallFiles(sources), []);
  });

  it(`have no function of more than ${maxLinesOfFunction} lines`, () => {
    const long = [...sources].flatMap(([file, text]) => longFunctions(file, text));
    assert.deepEqual(long, []);
  });

  it(`wire objects with at most ${maxLinesOfWiring} lines, and ${maxImportsOfWiring} imports per file`, () => {
    const wiring = [...sources].filter(([file]) => file.startsWith('app/'));
    const lines = wiring.reduce((sum, [, text]) => sum + text.trimEnd().split('\n').length, 0);
    assert.ok(lines > 0 && lines <= maxLinesOfWiring, `${lines} lines`);
    const wide = wiring
      .map(([file, text]) => [file, new Set(importsOf(file, text)).size] as const)
      .filter(([, count]) => count > maxImportsOfWiring);
    assert.deepEqual(wide, []);
  });

  it('rarely load a module only to forward a call', () => {
    const calls = [...sources.values()].reduce((sum, text) => sum + forwardedCalls(text), 0);
    assert.ok(calls <= maxForwardedCalls, `${calls} calls`);
  });

  it('rarely pick members of other types', () => {
    const picked = [...sources.values()].join('').split('Pick<').length - 1;
    assert.ok(picked <= maxPickedTypes, `${picked} types`);
  });

  it(`need at most ${maxMembersOfNeeds} objects per scope and feature`, () => {
    const files = [...sources].filter(([file]) =>
      /^app\/|\/feature\.ts$|^host\/workspace\/window\.ts$/.test(file),
    );
    assert.deepEqual(
      files.flatMap(([file, text]) => largeNeeds(file, text)),
      [],
    );
  });

  it('have no circular imports, types included', () => {
    assert.deepEqual(circularImports(fileImports), []);
  });

  it('are in folders without circular imports, types included', () => {
    assert.deepEqual(circularImports(importsOfFolders(fileImports)), []);
  });

  it('export each name once', () => {
    const others = [...sources].filter(([file]) => file !== entryOfNode);
    assert.deepEqual(namesExportedTwice(new Map(others)), []);
  });
});

/** VS Code calls the same exports of this file with Node, and of another one in a browser. */
const entryOfNode = 'extension.ts';

describe('the check of source files', () => {
  it('notices a folder with too many files', () => {
    const files = Array.from({ length: maxFilesOfFolder + 1 }, (_, index) => `core/${index}.ts`);
    assert.deepEqual(largeFolders(files), ['core: 32 files']);
    assert.deepEqual(largeFolders(files.slice(1)), []);
  });

  it('notices too many small files', () => {
    const long = 'const line = 1;\n'.repeat(maxLinesOfSmallFile + 1);
    const files = (small: number): Sources =>
      new Map(
        Array.from({ length: 20 }, (_, index) => [`${index}.ts`, index < small ? 'one' : long]),
      );
    assert.deepEqual(tooManySmallFiles(files(1)), []);
    assert.deepEqual(tooManySmallFiles(files(2)), ['0.ts', '1.ts']);
  });

  it('notices a long function of every kind', () => {
    const body = (lines: number): string => `{\n${'x();\n'.repeat(lines - 2)}}`;
    const long = body(maxLinesOfFunction + 1);
    const kinds = [
      `function name() ${long}`,
      `class A { name() ${long} }`,
      `class A { constructor() ${long} }`,
      `class A { get name() ${long} }`,
      `const name = () => ${long};`,
      `call(function () ${long});`,
    ];
    for (const text of kinds) assert.equal(longFunctions('a.ts', text).length, 1, text);
    const short = body(maxLinesOfFunction);
    assert.deepEqual(longFunctions('a.ts', `function name() ${short}`), []);
  });

  it('notices needs with too many members, and forwarded calls', () => {
    const members = (count: number): string =>
      Array.from({ length: count }, (_, index) => `m${index}: 1;`).join(' ');
    const needs = (count: number): string => `export interface ANeeds { ${members(count)} }`;
    assert.deepEqual(largeNeeds('app/a.ts', needs(maxMembersOfNeeds)), []);
    assert.deepEqual(largeNeeds('app/a.ts', needs(maxMembersOfNeeds + 1)), [
      'app/a.ts ANeeds: 10 members',
    ]);
    assert.equal(forwardedCalls('run: async () => (await features.code.load()).run()'), 1);
    assert.equal(forwardedCalls('const code = await features.code.load();'), 0);
  });

  it('notices circular imports of files, folders and types', () => {
    assert.deepEqual(circularImports(graphOf(['a', 'b'], ['b', 'c'], ['c', 'b'])), ['b → c → b']);
    assert.deepEqual(circularImports(graphOf(['a', 'b'], ['b', 'c'], ['a', 'c'])), []);
    const files = importsOfFiles(
      new Map([
        ['core/a.ts', "import type { B } from '../host/b.ts';"],
        ['host/b.ts', 'export interface B {}'],
        ['host/c.ts', "export { a } from '../core/a.ts';"],
      ]),
    );
    assert.deepEqual(circularImports(files), []);
    assert.deepEqual(circularImports(importsOfFolders(files)), ['core → host → core']);
  });

  it('notices a name that is exported twice, but ignores re-exports', () => {
    const sources: Sources = new Map([
      ['a.ts', 'export const one = 1, two = 2; export interface Shape {}'],
      ['b.ts', 'const one = 1; export { one }; export type Shape = string;'],
      ['c.ts', "export { two } from './a.ts'; const one = 3; class Shape {}"],
      ['d.ts', "import { two } from './a.ts'; export { two };"],
    ]);
    assert.deepEqual(namesExportedTwice(sources), ['one: a.ts, b.ts', 'Shape: a.ts, b.ts']);
  });
});
