import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import ts from 'typescript';

const root = new URL('../../', import.meta.url);
/** Dependencies that the benchmarks install. */
const exclude = ['**/node_modules/**'];
const sources = globSync('{src,test}/**/*.{ts,tsx,js}', { cwd: root, exclude }).map(withSlashes);
const documents = globSync('docs/**/*.md', { cwd: root }).map(withSlashes);
const pages = [...documents, 'README.md', 'CONTRIBUTING.md', 'CHANGELOG.md'];

const service = read('docs/service.md');
const threats = read('docs/threats.md');

function withSlashes(path: string): string {
  return path.replaceAll('\\', '/');
}

function read(path: string): string {
  return readFileSync(new URL(path, root), 'utf8');
}

function exists(path: string): boolean {
  return existsSync(new URL(path, root));
}

/** All comments of a file, joined into one line. */
function commentsOf(path: string, text = read(path)): string {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const comments = new Map<number, string>();
  const add = (ranges: readonly ts.CommentRange[] | undefined): void => {
    for (const { pos, end } of ranges ?? []) comments.set(pos, text.slice(pos, end));
  };
  const visit = (node: ts.Node): void => {
    if (node.kind !== ts.SyntaxKind.JsxText) {
      add(ts.getLeadingCommentRanges(text, node.pos));
      add(ts.getTrailingCommentRanges(text, node.end));
    }
    for (const child of node.getChildren(file)) visit(child);
  };
  visit(file);
  return [...comments]
    .toSorted(([first], [second]) => first - second)
    .map(([, comment]) => wordsOf(comment.replace(/^\/\*+|\*\/$/g, '')))
    .join(' ');
}

/** Joins lines, without the prefixes of comment lines. */
function wordsOf(text: string): string {
  const lines = text.split('\n');
  return lines.map((line) => line.replace(/^\s*(?:\*|\/\/)?/, '').trim()).join(' ');
}

/** A document without fenced code. Inline code stays. */
function proseOf(path: string): string {
  return read(path).replace(/^```.*?^```/gms, '');
}

/** Descriptions of a text's dangling references, for the failure message. */
function danglingIn(text: string): readonly string[] {
  return [...wrongSections(text), ...wrongThreats(text), ...wrongFiles(text)];
}

const number = String.raw`\d+(?:\.\d+)?`;
const sectionList = new RegExp(
  String.raw`\bsections? (${number}(?:(?:, and |, | and | to | or )${number})*)(?:,? rules? (\d+(?:(?:, | and )\d+)*))?`,
  'gi',
);

function wrongSections(text: string): readonly string[] {
  return [...text.matchAll(sectionList)].flatMap(([, sections = '', rules = '']) => {
    const named = numbersIn(sections);
    const wrong = named.filter((section) => sectionOf(section) === undefined);
    const body = sectionOf(named.at(-1) ?? '') ?? '';
    const missing = numbersIn(rules).filter((rule) => !body.includes(`\n${rule}. `));
    return [
      ...wrong.map((section) => `section ${section}`),
      ...missing.map((rule) => `section ${sections}, rule ${rule}`),
    ];
  });
}

function numbersIn(list: string): readonly string[] {
  return list.match(new RegExp(number, 'g')) ?? [];
}

/** Text of a section up to the next heading of any level. Undefined if there is no such section. */
function sectionOf(section: string): string | undefined {
  const escaped = section.replace('.', String.raw`\.`);
  return new RegExp(String.raw`^#+ ${escaped}\.? [^\n]*\n(.*?)(?=^#|(?![^]))`, 'ms').exec(
    service,
  )?.[0];
}

/** `(threats: T01, I4)`, a number that stands alone, and `class D` of the approval policy. */
function wrongThreats(text: string): readonly string[] {
  const lists = [...text.matchAll(/\(threats:([^)]*)\)/g)].flatMap(([, list = '']) =>
    list.split(',').map((reference) => reference.trim()),
  );
  const numbers = [...text.matchAll(/\b(?:[TF]\d{2}|I\d{1,2})\b/g)].map(([number]) => number);
  const classes = [...text.matchAll(/\bclass(?:es)? ([A-H])\d?\b(?: and ([A-H])\b)?/g)];
  const all = [
    ...lists,
    ...numbers,
    ...classes.flatMap(([, first = '', second = '']) => [first, second]),
  ];
  return [...new Set(all)]
    .filter((reference) => reference !== '' && !threats.includes(`\n| ${reference} `))
    .map((reference) => `threats: ${reference}`);
}

/** Documents of other projects, and invented files in examples. */
const foreign =
  /^(?:readme|agents|claude|gemini|skill)\.md$|\.(?:prompt|instructions|agent)\.md$|^src\/(?:app|[a-z])\.\w+$|\.github\//i;

/** Missing files that a text names: documents, and paths relative to the root, `src` or `test`. */
function wrongFiles(text: string): readonly string[] {
  const names = text.matchAll(
    /(?<![\w./:@<-])((?:[\w-]+\/)*[\w.-]+\.md|(?:src|test|docs|core|host|webview|protocol|local|unit|service|vscode|journeys)\/[\w./-]*\.(?:tsx?|js|css))(?![\w/*-])/g,
  );
  return [...names]
    .map(([, name = '']) => name)
    .filter((name) => !foreign.test(name))
    .filter((name) => !['', 'src/', 'test/', 'docs/'].some((folder) => exists(folder + name)))
    .map((name) => `file ${name}`);
}

/** Links of a page to missing files or headings. */
function brokenLinks(path: string, text = proseOf(path)): readonly string[] {
  const links = [...text.matchAll(/\]\(<?([^)>\s]+)>?(?: "[^"]*")?\)|^\[[^\]]+\]: (\S+)/gm)];
  return links
    .map(([, inline, reference]) => inline ?? reference ?? '')
    .filter((link) => !/^[a-z][a-z+.-]*:/i.test(link))
    .filter((link) => {
      const [file = '', anchor] = link.split('#');
      const target = file === '' ? path : posix.join(posix.dirname(path), decodeURIComponent(file));
      if (target !== path && !exists(target)) return true;
      return anchor !== undefined && !anchorsOf(target === path ? text : read(target)).has(anchor);
    });
}

/** Anchors that GitHub and VS Code give to headings. */
function anchorsOf(markdown: string): ReadonlySet<string> {
  const anchors = new Set<string>();
  for (const [, heading = ''] of markdown.matchAll(/^#+ +(.+?)\s*#*$/gm)) {
    const words = heading.toLowerCase().replace(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, '');
    const anchor = words.replaceAll(' ', '-');
    let free = anchor;
    for (let count = 1; anchors.has(free); count++) free = `${anchor}-${count}`;
    anchors.add(free);
  }
  return anchors;
}

/** Text of a page below a heading, up to the next heading of the same or a higher level. */
function below(heading: string, text: string): string {
  const [level = ''] = heading.split(' ');
  const after = text.slice(text.indexOf(`\n${heading}\n`) + heading.length + 1);
  const end = after.search(new RegExp(`^#{1,${level.length}} `, 'm'));
  return end < 0 ? after : after.slice(0, end);
}

describe('documents', () => {
  it('exist, and so do the files that refer to them', () => {
    assert.ok(sources.length > 200);
    const referring = sources.filter((path) => /\((?:sections? \d|threats)/.test(read(path)));
    assert.ok(referring.length > 30);
  });

  it('have everything that comments refer to', () => {
    // Parsing comments is slow, so only files that contain a suspicious reference anywhere are
    // parsed.
    const suspicious = sources.filter((path) => danglingIn(wordsOf(read(path))).length > 0);
    const dangling = suspicious.flatMap((path) =>
      danglingIn(commentsOf(path)).map((reference) => `${path}: ${reference}`),
    );
    assert.deepEqual(dangling, []);
  });

  for (const path of documents) {
    it(`have everything that ${path} refers to`, () => {
      assert.deepEqual(danglingIn(proseOf(path)), []);
    });
  }

  for (const path of pages) {
    it(`have no broken links in ${path}`, () => assert.deepEqual(brokenLinks(path), []));
  }

  const wrong: readonly (readonly [comment: string, dangling: readonly string[]])[] = [
    ['/** The reply (section 4.7). */', ['section 4.7']],
    ['// sections 2.1, 2.2 and\n// 12', ['section 12']],
    ['/** (section 4.1, rules 2 and 77) */', ['section 4.1, rule 77']],
    ['/* See section\n * 99. */', ['section 99']],
    ['/** It asks (threats: T25, T99). */', ['threats: T99']],
    ['/** As in MCPoison (threats: MCPoison). */', ['threats: MCPoison']],
    ['const a = 1; // (I77)', ['threats: I77']],
    ['/** After F99. */', ['threats: F99']],
    ['/** An edit of class F, and classes A and Z. */', ['threats: F']],
    ['/** As docs/missing.md says. */', ['file docs/missing.md']],
    [
      '/** See surface.md, and `core/tools/missing.ts`. */',
      ['file surface.md', 'file core/tools/missing.ts'],
    ],
  ];
  for (const [comment, dangling] of wrong) {
    it(`notice ${JSON.stringify(comment)}`, () => {
      const code = `const text = '(section 98)';\n${comment}\n`;
      assert.deepEqual(danglingIn(commentsOf('a.ts', code)), dangling);
    });
  }

  it('accept correct references', () => {
    const right = [
      '/** Rule 3 of section 4.1 (sections 2.1 to 2.4; section 4.1, rules 2 and 3). */',
      '// (threats), (threats: I4, T28), (T06), classes A and B',
      '/** In docs/service.md, `core/approval/gate.ts` and `test/layers.test.ts`; never `AGENTS.md`. */',
    ];
    assert.deepEqual(danglingIn(commentsOf('a.ts', right.join('\n'))), []);
  });

  it('notice broken links', () => {
    const text =
      '# A b\n[a](missing.md) [b](service.md#6-events) [c](#a-b) [d](#c) [e](https://a.b)';
    assert.deepEqual(brokenLinks('docs/new.md', text), ['missing.md', '#c']);
    assert.deepEqual(brokenLinks('docs/new.md', '[a](service.md#nowhere)'), ['service.md#nowhere']);
    assert.deepEqual(brokenLinks('docs/new.md', '[a]: ../missing.md'), ['../missing.md']);
  });
});

describe('docs/architecture.md', () => {
  const page = read('docs/architecture.md');
  const sections = below('## The five sections', page);

  it('is short enough to read in one go', () => {
    assert.ok(page.split('\n').length <= 350);
    const [, , ...rows] = below('## Where a line lives', page).match(/^\|.*/gm) ?? [];
    assert.ok(rows.length > 30 && rows.length <= 40, `${rows.length} rows`);
  });

  for (const [heading] of sections.matchAll(/^### .+/gm)) {
    it(`counts the files of ${heading.slice(4)}, all of which exist`, () => {
      const way = below(heading, page);
      const files = [...way.matchAll(/^\d+\. `([^`]+)`: /gm)].map(([, file = '']) => file);
      assert.match(way, new RegExp(`, in ${files.length} files:\n`));
      assert.equal(new Set(files).size, files.length);
      assert.deepEqual(
        files.filter((file) => !exists(`src/${file}`)),
        [],
      );
    });
  }

  it('names only files that exist', () => {
    const names = [...page.matchAll(/`((?:[\w-]+\/)+[\w-]+\.tsx?)`/g)].map(([, name = '']) => name);
    assert.ok(names.length > 100);
    assert.deepEqual(
      names.filter((name) => !exists(name) && !exists(`src/${name}`)),
      [],
    );
  });
});
