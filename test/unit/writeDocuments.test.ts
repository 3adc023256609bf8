import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { figureRow, ratioRow } from '../bench/row.ts';
import { isRival, Table } from '../bench/table.ts';
import { writeDocuments } from '../bench/writeDocuments.ts';
import { projectFolder } from '../support/paths.ts';
import { TemporaryFolder } from '../support/temporaryFolder.ts';

const block = 'Before\n\n<!-- bench -->\n\nold\n\n<!-- /bench -->\n\nAfter\n';

function tableOf(names: readonly string[]): Table {
  const table = new Table(() => undefined, { commit: '0123456789ab' });
  for (const name of names) table.add(figureRow({ name, value: 1, unit: 'ms', goal: 2 }));
  return table;
}

describe('benchmark documents', () => {
  let temporary: TemporaryFolder;
  let folder: string;

  beforeEach(async () => {
    temporary = await TemporaryFolder.create();
    folder = temporary.path;
    await mkdir(join(folder, 'docs'));
    for (const name of ['docs/benchmarks.md', 'docs/measured.md'])
      await writeFile(join(folder, name), block);
  });
  afterEach(() => temporary.dispose());

  it('contain the whole table, the measured commit and their other text', async () => {
    await writeDocuments(tableOf(['start', 'stream']), folder);
    const page = await readFile(join(folder, 'docs/benchmarks.md'), 'utf8');
    assert.match(page, /^Before\n\n<!-- bench -->\n/);
    assert.match(page, /\n<!-- \/bench -->\n\nAfter\n$/);
    assert.doesNotMatch(page, /old/);
    assert.match(page, /^\| start +\|[^]*^\| stream +\|/m);
    assert.match(page, /^Measured at commit 0123456789ab on /m);
  });

  it('contain comparisons with other programs, and rows that miss their goals', async () => {
    const table = tableOf(['start', 'stream']);
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

  it('agree on comparisons and missed goals', async () => {
    const page = await rowsOf('docs/benchmarks.md');
    assert.deepEqual(
      await rowsOf('docs/measured.md'),
      page.filter((row) => isRival(row.split(' | ')[1] ?? '') || row.endsWith('| missed |')),
    );
  });
});

/** Rows between the marks, without the spaces that align columns. */
async function rowsOf(path: string): Promise<readonly string[]> {
  const text = await readFile(join(projectFolder, path), 'utf8');
  const inside = text.slice(text.indexOf('<!-- bench -->'), text.indexOf('<!-- /bench -->'));
  const lines = inside.split('\n').map((line) => line.replaceAll(/ +/g, ' '));
  return lines.filter((line) => line.startsWith('| ')).slice(2);
}
