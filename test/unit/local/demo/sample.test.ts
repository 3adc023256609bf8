import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { withChanges } from '../../../../src/local/demo/script.ts';
import { sampleParts } from '../../../../src/local/demo/sample.ts';
import { topicReply } from '../../../../src/local/demo/topics.ts';
import { english } from './demoEdits.ts';
import { projectFolder } from '../../../support/paths.ts';

const { files: sampleFiles, changes: sampleChanges, tests: sampleTests } = english.sample;
const { commits, explanations, topics } = english.texts;

const files = new Map<string, string>(Object.entries(sampleFiles));

describe('the sample of the demo', () => {
  for (const [path, text] of files)
    it(`contains ${path} as in test/fixtures/workspace`, () => {
      const folder = join(projectFolder, 'test/fixtures/workspace');
      assert.equal(readFileSync(join(folder, path), 'utf8'), text);
    });

  it('has changes that apply to its files, initially or after another change', () => {
    for (const { file, search, replace, task, name } of sampleChanges) {
      const text = files.get(file) ?? '';
      const others = sampleChanges.filter((change) => change.file === file);
      const texts = [text, ...others.map((change) => withChanges(text, [change]))];
      assert.ok(
        texts.some(
          (before) => withChanges(before, [{ file, search, replace, task, name }]) !== before,
        ),
        `${file}: ${search}`,
      );
      assert.ok(['fix', 'improve', 'document', 'test'].includes(task), task);
      assert.ok(Object.hasOwn(commits, name), name);
    }
    for (const name of Object.keys(commits).filter((key) => key !== 'sample'))
      assert.ok(
        sampleChanges.some((change) => change.name === name),
        name,
      );
  });

  it('has parts that occur in its files, and tests for its files', () => {
    for (const { file, mark } of sampleParts) assert.ok(files.get(file)?.includes(mark), mark);
    for (const file of Object.keys(sampleTests)) assert.ok(files.has(file), file);
  });
});

describe('an explanation of the sample', () => {
  it('contains the correct temperatures', () => {
    const rows = [...explanations.toFahrenheit.matchAll(/^\| (−?)(\d+) \| (−?)(\d+) \|/gm)];
    assert.equal(rows.length, 4);
    for (const [, sign = '', celsius, otherSign = '', fahrenheit] of rows) {
      const degrees = Number(celsius) * (sign === '' ? 1 : -1);
      assert.equal((degrees * 9) / 5 + 32, Number(fahrenheit) * (otherSign === '' ? 1 : -1));
    }
  });

  it('plots the readings that are in the file', () => {
    const rows = sampleFiles['data/july.csv'].trim().split('\n').slice(1);
    const columns = [2, 1, 0].map((column) => rows.map((row) => Number(row.split(',')[column])));
    const lists = [...topicReply('plot', english).matchAll(/^ {2}(?:line|x-axis) \[(.*)\]$/gm)];
    const plotted = lists.map(([, numbers = '']) => numbers.split(', ').map(Number));
    assert.deepEqual([...plotted.slice(1), plotted[0]], columns);
    const spreads = columns[0]?.map((highest, day) => highest - (columns[1]?.[day] ?? 0)) ?? [];
    assert.equal(Math.max(...spreads), 12.5);
    assert.equal(spreads[4], 12.5);
  });

  it('names only existing files', () => {
    const texts = JSON.stringify([explanations, topics]);
    for (const [, path = ''] of texts.matchAll(/`((?:src|server|data)\/[\w./]+)`/g))
      assert.ok(files.has(path), path);
  });
});
