import fc from 'fast-check';
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SearchScope } from '../../../../src/core/files/fileSearch.ts';
import { readFoundLine, Ripgrep, withoutDot } from '../../../../src/core/files/ripgrep.ts';
import { ToolError } from '../../../../src/core/support/toolError.ts';
import { DelimitedReader, findRipgrep, ripgrepAt } from '../../../../src/host/node/ripgrepRun.ts';
import { isRunning } from '../../../support/isRunning.ts';
import { nothingLeftOut } from '../../../support/nothingLeftOut.ts';
import { TemporaryFolder } from '../../../support/temporaryFolder.ts';
import { until } from '../../../support/until.ts';

const query = { text: 'x', isRegex: false, context: 0 };

/** Runs a fake program instead of ripgrep, since its output and its exit are what is tested. */
describe('Ripgrep', function () {
  let folder: TemporaryFolder;
  const never = new AbortController().signal;

  beforeEach(async () => {
    folder = await TemporaryFolder.create();
  });
  afterEach(() => folder.dispose());

  async function program(script: string): Promise<Ripgrep> {
    const path = await folder.put('program', `#!${process.execPath}\n${script}`, 0o755);
    return new Ripgrep(ripgrepAt(path), (location) => location.path);
  }

  function scope(): SearchScope {
    const root = { scheme: 'file', authority: '', path: folder.path };
    return { root, start: '', include: [], exclude: [], leftOut: nothingLeftOut };
  }

  async function paths(ripgrep: Ripgrep, signal = never): Promise<string[]> {
    const matches: string[] = [];
    await ripgrep.files(scope(), (path) => matches.push(path) > 0, signal);
    return matches;
  }

  it('returns paths and lines', async () => {
    const lister = await program(String.raw`process.stdout.write('./a b\0./src/c\n d\0')`);
    assert.deepEqual(await paths(lister), ['a b', 'src/c\n d']);
    const searcher = await program(
      String.raw`process.stdout.write('./ä\x0012:x\n--\n./ä\x0020-y')`,
    );
    const matches: string[] = [];
    await searcher.lines(scope(), query, (line) => matches.push(line.path + line.text) > 0, never);
    assert.deepEqual(matches, ['äx', 'äy']);
  });

  it('receives the text of a document, and returns its lines under the given name', async () => {
    const echo = String.raw`process.stdin.on('data', (text) => process.stdout.write('<stdin>\x001:' + text))`;
    const lines = await (await program(echo)).linesOf('a.ts', 'unsaved', query, never);
    assert.deepEqual(lines, [{ path: 'a.ts', line: 1, text: 'unsaved', fits: true }]);
  });

  it('runs in the folder, without the environment', async () => {
    process.env['ASIDE_TEST_SECRET'] = 'sk-canary';
    try {
      const where = await program(
        `process.stdout.write(process.cwd() + '\\0' + Object.keys(process.env) + '\\0')`,
      );
      const [cwd, names = ''] = await paths(where);
      assert.equal(cwd, folder.path);
      assert.doesNotMatch(names, /ASIDE|PATH|HOME/);
    } finally {
      delete process.env['ASIDE_TEST_SECRET'];
    }
  });

  it('ends when it has enough, and kills the program', async () => {
    const endless = await program(
      `const more = () => process.stdout.write('a\\0'.repeat(1000), more); more();`,
    );
    let count = 0;
    await endless.files(scope(), () => ++count < 5, never);
    assert.equal(count, 5);
  });

  it('kills the program at the signal', async () => {
    const stop = new AbortController();
    const pidFile = join(folder.path, 'pid');
    const hanging = await program(
      `require('node:fs').writeFileSync(${JSON.stringify(pidFile)}, String(process.pid));
      process.on('SIGTERM', () => {}); process.stdout.write('a\\0'); setInterval(() => {}, 1000);`,
    );
    const searching = hanging.files(scope(), () => (stop.abort(), true), stop.signal);
    await assert.rejects(searching, { name: 'AbortError' });
    const pid = Number(await readFile(pidFile, 'utf8'));
    await until(() => !isRunning(pid));
  });

  it('reports the problem of an expression to the model', async () => {
    const failing = await program(`console.error('regex parse error'); process.exitCode = 2;`);
    await assert.rejects(paths(failing), (error) => {
      assert.ok(error instanceof ToolError);
      assert.equal(error.message, 'regex parse error');
      return true;
    });
  });

  describe('findRipgrep', () => {
    const put = (path: string, mode = 0o755): Promise<string> => folder.put(path, '', mode);
    const find = (): Promise<string | undefined> => findRipgrep(folder.path, 'linux', 'x64');

    it('finds it at the locations of old and new versions', async () => {
      const packed = await put('node_modules.asar.unpacked/@vscode/ripgrep/bin/rg');
      assert.equal(await find(), packed);
      const old = await put('node_modules/@vscode/ripgrep/bin/rg');
      assert.equal(await find(), old);
      const current = await put('node_modules/@vscode/ripgrep-universal/bin/linux-x64/rg');
      assert.equal(await find(), current);
    });

    it("finds nothing elsewhere, and nothing that can't be run", async () => {
      await put('rg');
      await put('node_modules/@vscode/ripgrep/bin/rg', 0o644);
      assert.equal(await find(), undefined);
      assert.equal(await findRipgrep('', 'linux', 'x64'), undefined);
      assert.equal(await findRipgrep('.', 'linux', 'x64'), undefined);
    });
  });

  it('returns only those whose path matches', async () => {
    const lister = await program(String.raw`process.stdout.write('./src/a.ts\0./web/src/a.ts\0')`);
    const matches: string[] = [];
    const include = ['src/*.ts'];
    await lister.files({ ...scope(), include }, (path) => matches.push(path) > 0, never);
    assert.deepEqual(matches, ['src/a.ts']);
  });

  it('continues if a file could not be read', async () => {
    const partly = await program(`process.stdout.write('a\\0'); process.exitCode = 2;`);
    assert.deepEqual(await paths(partly), ['a']);
  });
});

const seed = Number(process.env['SEED'] ?? 7);

function read(pieces: readonly string[], end = '\n'): string[] {
  const parts: string[] = [];
  const reader = new DelimitedReader(end, (part) => parts.push(part) > 0);
  for (const piece of pieces) reader.read(piece);
  reader.finish();
  return parts;
}

describe('PartReader', () => {
  it('finds the same parts wherever the pieces are cut', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '\n', '\0'), maxLength: 60 });
    fc.assert(
      fc.property(text, fc.array(fc.nat(60)), (whole, cuts) => {
        const places = [0, ...cuts.toSorted((first, second) => first - second), whole.length];
        const pieces = places.map((start, index) => whole.slice(start, places[index + 1]));
        const expected = whole.split('\n');
        if (expected.at(-1) === '') expected.pop();
        assert.deepEqual(read(pieces), expected);
      }),
      { seed },
    );
  });

  it('buffers no unterminated part', () => {
    const piece = 'x'.repeat(600_000);
    assert.deepEqual(read([piece, piece, '\n', 'short\n']), ['', 'short']);
  });
});

describe('readFoundLine', () => {
  it('reads matching lines, and those around', () => {
    const hit = { path: 'src/a.ts', line: 12, text: 'a: b-c', fits: true };
    assert.deepEqual(readFoundLine('./src/a.ts\x0012:a: b-c'), hit);
    assert.deepEqual(readFoundLine('./src/a.ts\x0012-a: b-c\r'), { ...hit, fits: false });
    assert.equal(readFoundLine('a\x001:')?.text, '');
  });

  it("ignores output that isn't a line of a file", () => {
    for (const other of ['--', '', 'a.ts:12:x', './a\0x:y', './a\0:', './a\x0012', './a\x0012 x']) {
      assert.equal(readFoundLine(other), undefined, JSON.stringify(other));
    }
  });

  it('does not mistake a NUL in a line for the end of the path', () => {
    assert.equal(readFoundLine('./a\x001:x\x002:y')?.text, 'x\x002:y');
  });
});

describe('withoutDot', () => {
  it('makes paths relative, with slashes', () => {
    assert.equal(withoutDot('./a/b'), 'a/b');
    assert.equal(withoutDot('.\\a\\b', '\\'), 'a/b');
    assert.equal(withoutDot('.github/a'), '.github/a');
    assert.equal(withoutDot('./a\\b'), 'a\\b');
  });
});
