import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';

const root = new URL('../../', import.meta.url);
const pages = [
  ...globSync('docs/**/*.md', { cwd: root }).map((path) => path.replaceAll('\\', '/')),
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
];

function read(path: string): string {
  return readFileSync(new URL(path, root), 'utf8');
}

function exists(path: string): boolean {
  return existsSync(new URL(path, root));
}

/** A document without fenced code. Inline code stays. */
function proseOf(path: string): string {
  return read(path).replace(/^```.*?^```/gms, '');
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

describe('documents', () => {
  for (const path of pages) {
    it(`have no broken links in ${path}`, () => assert.deepEqual(brokenLinks(path), []));
  }

  it('notice broken links', () => {
    const text =
      '# A b\n[a](missing.md) [b](service.md#6-events) [c](#a-b) [d](#c) [e](https://a.b)';
    assert.deepEqual(brokenLinks('docs/new.md', text), ['missing.md', '#c']);
    assert.deepEqual(brokenLinks('docs/new.md', '[a](service.md#nowhere)'), ['service.md#nowhere']);
    assert.deepEqual(brokenLinks('docs/new.md', '[a]: ../missing.md'), ['../missing.md']);
  });

  it('name only files that exist in the map of the code', () => {
    const page = read('docs/architecture.md');
    const names = [...page.matchAll(/`((?:[\w-]+\/)+[\w-]+\.tsx?)`/g)].map(([, name = '']) => name);
    assert.ok(names.length > 50);
    assert.deepEqual(
      names.filter((name) => !exists(name) && !exists(`src/${name}`)),
      [],
    );
  });
});
