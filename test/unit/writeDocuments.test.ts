import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { figureRow, ratioRow } from '../bench/row.ts';
import { outdated } from '../bench/measuredCommit.ts';
import { isRival, Table } from '../bench/table.ts';
import { chosenRows, writeDocuments } from '../bench/writeDocuments.ts';
import { projectFolder } from '../support/paths.ts';
import { TemporaryFolder } from '../support/temporaryFolder.ts';

const block = 'Before\n\n<!-- bench -->\n\nold\n\n<!-- /bench -->\n\nAfter\n';
const other = 'a row of the page alone';

function tableOf(names: readonly string[]): Table {
  const table = new Table(() => undefined, '0123456789ab');
  for (const name of names) table.add(figureRow({ name, value: 1, unit: 'ms', goal: 2 }));
  return table;
}

describe('documents of benchmarks', () => {
  let temporary: TemporaryFolder;
  let folder: string;

  beforeEach(async () => {
    temporary = await TemporaryFolder.create();
    folder = temporary.path;
    await mkdir(join(folder, 'docs'));
    for (const name of ['README.md', 'docs/benchmarks.md', 'docs/measured.md']) {
      await writeFile(join(folder, name), block);
    }
  });
  afterEach(() => temporary.dispose());

  it('get the whole table, and the README the chosen rows', async () => {
    await writeDocuments(tableOf([other, ...chosenRows.toReversed()]), folder);
    const page = await readFile(join(folder, 'docs/benchmarks.md'), 'utf8');
    const readme = await readFile(join(folder, 'README.md'), 'utf8');
    for (const text of [page, readme]) {
      assert.match(text, /^Before\n\n<!-- bench -->\n/);
      assert.match(text, /\n<!-- \/bench -->\n\nAfter\n$/);
      assert.doesNotMatch(text, /old/);
      for (const name of chosenRows) assert.ok(text.includes(`| ${name} `));
    }
    assert.ok(page.includes(`| ${other} `) && page.includes('Measured at commit 0123456789ab on '));
    assert.equal(outdated(page, folder), undefined);
    assert.equal(readme.split('\n| ').length - 1, 1 + 1 + chosenRows.length);
  });

  it('get the rows against other programs, and those that miss their goals', async () => {
    const table = tableOf([other, ...chosenRows]);
    table.add(
      ratioRow({ name: 'search', against: 'ripgrep by hand', ours: 1, theirs: 1, goal: 2 }),
    );
    table.add(figureRow({ name: 'slow', value: 3, unit: 'ms', goal: 2 }));
    await writeDocuments(table, folder);
    const page = await readFile(join(folder, 'docs/measured.md'), 'utf8');
    assert.deepEqual(
      page
        .split('\n')
        .filter((row) => /^\| (?!what|--)/.test(row))
        .map((row) => row.split(' ')[1]),
      ['search', 'slow'],
    );
  });

  it('stay as they are where a chosen row was not measured', async () => {
    await assert.rejects(writeDocuments(tableOf(chosenRows.slice(1)), folder), /0 rows are named/);
    assert.equal(await readFile(join(folder, 'docs/benchmarks.md'), 'utf8'), block);
  });

  it('show the same figures of the chosen rows', async () => {
    const page = await rowsOf('docs/benchmarks.md');
    assert.deepEqual(
      await rowsOf('README.md'),
      chosenRows.flatMap((name) => page.filter((row) => row.startsWith(`| ${name} |`))),
    );
  });

  it('show the same figures of other programs and of missed goals', async () => {
    const page = await rowsOf('docs/benchmarks.md');
    assert.deepEqual(
      await rowsOf('docs/measured.md'),
      page.filter((row) => isRival(row.split(' | ')[1] ?? '') || row.endsWith('| missed |')),
    );
  });
});

/** The rows between the marks, without the spaces that align columns. */
async function rowsOf(path: string): Promise<readonly string[]> {
  const text = await readFile(join(projectFolder, path), 'utf8');
  const inside = text.slice(text.indexOf('<!-- bench -->'), text.indexOf('<!-- /bench -->'));
  const lines = inside.split('\n').map((line) => line.replaceAll(/ +/g, ' '));
  return lines.filter((line) => line.startsWith('| ')).slice(2);
}
