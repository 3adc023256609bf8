import assert from 'node:assert/strict';
import fc from 'fast-check';
import { deniedPlaces } from '../../../../src/core/approval/deniedPlaces.ts';
import { unlistedBelow, unsearchedBelow } from '../../../../src/core/approval/secrets.ts';
import { SearchResults } from '../../../../src/core/search/searchResults.ts';
import { WalkSearch, type FolderReader } from '../../../../src/core/search/walkSearch.ts';
import { fileAt } from './policyRig.ts';

const seed = Number(process.env['SEED'] ?? 3);
const home = fileAt('/home/me');
const denied = deniedPlaces([home], [fileAt('/home/me/data [1]/aside')]);

describe('a search by a model', () => {
  it('lists no denied places, not even their names, whatever their case', () => {
    const { has, globs } = unlistedBelow(home, denied);
    for (const path of ['.ssh/id_rsa', '.SSH/x', '.aws/credentials', '.config/Code - OSS/a']) {
      assert.equal(has(path), true, path);
    }
    for (const path of ['.env', 'src/app.ts', 'id_rsa', '.sshd', '.config/git/config']) {
      assert.equal(has(path), false, path);
    }
    assert.ok(globs.includes('/.ssh'));
    assert.ok(globs.includes('/.config/Code - *'));
    assert.ok(globs.includes(String.raw`/data \[1\]/aside`));
  });

  it('finds nothing in files that may contain secrets or keys', () => {
    const { has } = unsearchedBelow(fileAt('/home/me/ws'), denied);
    for (const path of ['.env', 'a/PROD.ENV', 'a/server.key', 'b/.aws/x', 'credentials']) {
      assert.equal(has(path), true, path);
    }
    for (const path of ['src/app.ts', 'credentials/index.ts', 'keys.ts']) {
      assert.equal(has(path), false, path);
    }
    assert.equal(unsearchedBelow(fileAt('/ws/.ssh'), denied).has('deploy'), true);
  });
});

class FakeReader implements FolderReader {
  readonly opened: string[] = [];
  readonly #files: Readonly<Record<string, string>>;

  constructor(files: Readonly<Record<string, string>>) {
    this.#files = files;
  }

  entries(folder: string): ReturnType<FolderReader['entries']> {
    const start = folder === '' ? '' : `${folder}/`;
    const below = Object.keys(this.#files).filter((path) => path.startsWith(start));
    const names = new Set(below.map((path) => path.slice(start.length).split('/')[0] ?? ''));
    return Promise.resolve(
      [...names].map((name) => ({ name, kind: start + name in this.#files ? 'file' : 'folder' })),
    );
  }

  kind(path: string): ReturnType<FolderReader['kind']> {
    return Promise.resolve(path in this.#files ? 'file' : 'folder');
  }

  text(path: string): Promise<string | undefined> {
    this.opened.push(path);
    return Promise.resolve(this.#files[path]);
  }
}

const secretPaths = [
  '.env',
  'a/.npmrc',
  'a/b/prod.env',
  '.AWS/Credentials',
  'tls/server.key',
  'x.pem',
];
const ordinaryFiles = {
  'a/app.ts': 'const key = process.env.KEY;\nconst value = 1;\n',
  'README.md': 'Set KEY in .env\nkey=value\n',
  'a/b/c.txt': 'KEY=abc\nnothing\n',
};

async function search(files: Readonly<Record<string, string>>, text: string, isRegex: boolean) {
  const reader = new FakeReader(files);
  const root = fileAt('/ws');
  const results = new SearchResults();
  const scope = {
    root,
    start: '',
    include: [],
    exclude: [],
    leftOut: unsearchedBelow(root, denied),
  };
  const { signal } = new AbortController();
  const query = { text, isRegex, context: 1 };
  try {
    await new WalkSearch(() => reader).lines(scope, query, (line) => results.add(line), signal);
  } catch (error) {
    return { text: String(error), opened: reader.opened };
  }
  return { text: results.render(0), opened: reader.opened };
}

describe('a search', () => {
  it('reveals nothing about files with secrets, in 200 queries', async () => {
    const character = fc.constantFrom(...Array.from('KEYkeyabc123=.^$*+?[]()|\\d-_ '));
    const query = fc.string({ unit: character, minLength: 1, maxLength: 12 });
    const secret = fc.stringMatching(/^(?:[A-Z_]{2,6}=[a-zA-Z0-9]{1,30}\n){1,5}$/);
    await fc.assert(
      fc.asyncProperty(
        query,
        fc.boolean(),
        secret,
        secret,
        async (text, isRegex, secret, otherSecret) => {
          const filesWith = (content: string) =>
            Object.fromEntries(secretPaths.map((path) => [path, content]));
          const [first, second] = [
            await search({ ...ordinaryFiles, ...filesWith(secret) }, text, isRegex),
            await search({ ...ordinaryFiles, ...filesWith(otherSecret) }, text, isRegex),
          ];
          assert.equal(first.text, second.text);
          for (const path of secretPaths) assert.ok(!first.text.includes(`${path}:`), first.text);
          assert.deepEqual(
            first.opened.filter((path) => secretPaths.includes(path)),
            [],
            'it opened them',
          );
        },
      ),
      { seed, numRuns: 200 },
    );
  });

  it('reveals nothing about tokens in other files', async () => {
    const character = fc.constantFrom(...Array.from('ghp_abcABC019=-"36 '));
    const word = fc.string({ unit: character, minLength: 1, maxLength: 10 });
    const query = fc.tuple(word, fc.boolean(), fc.boolean());
    const token = fc.stringMatching(/^ghp_[A-Za-z0-9]{36}$/);
    const withoutIds = (text: string): string => text.replace(/‹masked [0-9a-f]{6}›/g, '‹masked›');
    await fc.assert(
      fc.asyncProperty(
        query,
        token,
        token,
        async ([word, atStart, atEnd], firstToken, secondToken) => {
          const text = `${atStart ? '\\b' : ''}${word}${atEnd ? '\\b' : ''}`;
          const filesWith = (secret: string) => ({
            'a.ts': `const t = "${secret}";\nconst u = 1;\n`,
          });
          const first = await search(filesWith(firstToken), text, true);
          const second = await search(filesWith(secondToken), text, true);
          assert.equal(withoutIds(first.text), withoutIds(second.text));
          assert.ok(!first.text.includes(firstToken));
        },
      ),
      { seed, numRuns: 200 },
    );
  });
});
