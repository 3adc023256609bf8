import assert from 'node:assert/strict';
import { cellsOfNewNotebook, jupyterNotebook } from '../../../../src/core/tools/newNotebook.ts';
import {
  isCellsText,
  normalizeCells,
  parseCells,
  withoutNumbers,
} from '../../../../src/core/edits/notebookText.ts';
import { ToolError } from '../../../../src/core/support/toolError.ts';

const text = '%% cell 1 markdown\n# New\n%% cell 2 code r\nx <- 1\ny\n%% cell 3 code sql\n\n';

function jsonOf(content: object): string {
  return JSON.stringify({ nbformat: 4, nbformat_minor: 5, metadata: {}, ...content });
}

describe('a new notebook', () => {
  it('is a Jupyter notebook with the cells of the text', () => {
    let ids = 0;
    const json = jupyterNotebook(parseCells(text), () => `id${ids++}`);
    const content: unknown = JSON.parse(json);
    assert.deepEqual(content, {
      cells: [
        { cell_type: 'markdown', id: 'id0', metadata: {}, source: ['# New'] },
        {
          cell_type: 'code',
          execution_count: null,
          id: 'id1',
          metadata: {},
          outputs: [],
          source: ['x <- 1\n', 'y'],
        },
        {
          cell_type: 'code',
          execution_count: null,
          id: 'id2',
          metadata: { vscode: { languageId: 'sql' } },
          outputs: [],
          source: [],
        },
      ],
      metadata: { language_info: { name: 'r' } },
      nbformat: 4,
      nbformat_minor: 5,
    });
  });

  it('can be written as the text of its cells or as JSON', () => {
    assert.equal(cellsOfNewNotebook(withoutNumbers(text)), text);
    const cells = [
      { cell_type: 'markdown', source: ['# A\n', 'b'] },
      { cell_type: 'code', source: 'x', outputs: [], metadata: { tags: [] } },
      { cell_type: 'raw', source: '' },
    ];
    const metadata = { kernelspec: { name: 'ir', language: 'R' } };
    const expected = '%% cell 1 markdown\n# A\nb\n%% cell 2 code R\nx\n%% cell 3 code raw\n\n';
    assert.equal(cellsOfNewNotebook(jsonOf({ cells, metadata })), expected);
    assert.match(cellsOfNewNotebook(jsonOf({ cells })), /%% cell 2 code python\n/);
  });

  it('is refused with an explanation of the format', () => {
    const code = { cell_type: 'code', source: 'x' };
    const bad: readonly (readonly [string, RegExp])[] = [
      ['print(1)', /This is no notebook\. Give its cells: “%% cell markdown”/],
      ['{"cells": []', /This is no notebook/],
      [jsonOf({ nbformat: 3, cells: [code] }), /This is no notebook/],
      [jsonOf({ cells: [{ cell_type: 'chart', source: '' }] }), /This is no notebook/],
      [jsonOf({ cells: [] }), /A new notebook needs a cell/],
      ['', /A new notebook needs a cell/],
      [jsonOf({ cells: [{ ...code, outputs: [{ output_type: 'stream' }] }] }), /outputs empty/],
    ];
    for (const [content, words] of bad) {
      assert.throws(
        () => cellsOfNewNotebook(content),
        (error) => error instanceof ToolError && words.test(error.message),
        content,
      );
    }
  });
});

describe('the text of an edited notebook', () => {
  it('gets the languages of new cells, and keeps the numbers of cells', () => {
    const edited = text.replace('%% cell 3 code sql', '%% cell\nz\n%% cell 3 code sql');
    assert.match(normalizeCells(edited, text), /%% cell code r\nz\n%% cell 3 code sql\n\n$/);
  });

  it('is compared without the numbers of cells, unlike other text', () => {
    assert.ok(withoutNumbers(text).startsWith('%% cell markdown\n# New\n%% cell code r\n'));
    for (const other of ['', '%% Cell title\n%% cell 1 code r', '{"cells": []}']) {
      assert.equal(isCellsText(other), false);
      assert.equal(withoutNumbers(other), other);
    }
  });
});
