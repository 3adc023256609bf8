import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { dialogsWith } from '../support/dialogsWith.ts';
import type { Attachment } from '../../src/core/conversation/conversation.ts';
import { AttachmentApproval } from '../../src/host/context/attachmentApproval.ts';
import { AttachmentResolver } from '../../src/host/attachments/attachmentResolver.ts';
import { Changes } from '../../src/host/tools/changes.ts';
import { Editing } from '../../src/host/tools/editing.ts';
import { ChangeActions } from '../../src/host/tools/changeActions.ts';
import { workspaceTexts } from '../../src/host/tools/notebookTexts.ts';
import { DiskFiles } from '../../src/host/node/diskFiles.ts';
import { diskView } from '../../src/host/node/thisMachine.ts';
import { ReviewDiff } from '../../src/host/review/reviewDiff.ts';
import { createFileTool } from '../../src/host/tools/createFile.ts';
import { editFileTool } from '../../src/host/tools/editFile.ts';
import { getDiagnosticsTool } from '../../src/host/tools/getDiagnostics.ts';
import { openFileTool } from '../../src/host/tools/openFile.ts';
import { readFileTool } from '../../src/host/tools/readFile.ts';
import type { Tool } from '../../src/core/tools/tool.ts';
import { toLocation } from '../../src/host/platform/location.ts';
import { readContent } from '../../src/host/platform/notebooks.ts';
import { ReadOnlyDocuments } from '../../src/host/platform/readOnlyDocuments.ts';
import { GrantingGate, resultText, toolContext } from '../support/grantingGate.ts';
import { TemporaryFolder } from '../support/temporaryFolder.ts';
import {
  analysis,
  openNotebook,
  outputsOf,
  putNotebook,
  showNotebook,
  sourcesOf,
  uriOf,
} from './support/notebooks.ts';
import { consentsWith } from '../support/consentsWith.ts';

const analysisText = `%% cell 1 markdown
# Readings
of one day
%% cell 2 code python
high = 9
low = 4
%% cell 3 code python
print(high - low)
`;

/** Runs a tool with arguments parsed like those of a model. */
async function call(tool: Tool, parameters: object): Promise<string> {
  return resultText(await tool.prepare(parameters).run(toolContext()));
}

async function cellsOnDisk(path: string): Promise<unknown> {
  const bytes = await vscode.workspace.fs.readFile(uriOf(path));
  const content: unknown = JSON.parse(new TextDecoder().decode(bytes));
  return content;
}

describe('attachments of notebooks', () => {
  function createResolver(): {
    attached: Attachment[];
    resolver: AttachmentResolver;
    questions: string[];
  } {
    const attached: Attachment[] = [];
    const questions: string[] = [];
    const dialogs = dialogsWith({
      confirm(message) {
        questions.push(message);
        return Promise.resolve(false);
      },
      pickSeveral: (choices) => Promise.resolve(choices.slice(0, 1).map(({ value }) => value)),
    });
    const resolver = new AttachmentResolver({
      composer: {
        attachments: attached,
        attach: (attachment) => attached.push(attachment),
        remove: () => undefined,
      },
      requireImages: () => undefined,
      saveImage: () => Promise.resolve(undefined),
      approval: new AttachmentApproval(consentsWith(dialogs), () => Promise.resolve([]), diskView),
      dialogs,
      filesIn: () => Promise.resolve([]),
    });
    return { attached, resolver, questions };
  }

  afterEach(() => vscode.commands.executeCommand('workbench.action.closeAllEditors'));

  it('contain the cells without outputs', async () => {
    const { attached, resolver } = createResolver();
    const path = await putNotebook(analysis);
    await resolver.attach(uriOf(path));
    assert.deepEqual(
      attached.map((attachment) => ({ ...attachment, id: '' })),
      [
        {
          id: '',
          kind: 'file',
          name: path.slice('notebooks/'.length),
          path,
          language: '',
          text: analysisText,
        },
      ],
    );
  });

  it('name the file and the number of a cell, and the lines of a selection', async () => {
    const { attached, resolver } = createResolver();
    const path = await putNotebook(analysis);
    const { uri } = (await openNotebook(path)).cellAt(1).document;
    await resolver.attach(uri);
    await resolver.attach(uri, new vscode.Range(1, 0, 1, 7));
    assert.deepEqual(
      attached.map(({ path: label, language, text, range }) => ({ label, language, text, range })),
      [
        {
          label: `${path}, cell 2`,
          language: 'python',
          text: 'high = 9\nlow = 4',
          range: undefined,
        },
        {
          label: `${path}, cell 2`,
          language: 'python',
          text: 'low = 4',
          range: { start: 2, end: 2 },
        },
      ],
    );
  });

  it('need approval for the file if they may contain secrets', async () => {
    const { attached, resolver, questions } = createResolver();
    const path = await putNotebook(analysis, 'notebooks/.ssh');
    const { uri } = (await openNotebook(path)).cellAt(1).document;
    const source = `token = "ghp_${'a1B2'.repeat(9)}"`;
    const cells = [{ ...analysis.cells[1], source: [source] }];
    const secret = await putNotebook({ ...analysis, cells });
    await resolver.attach(uri);
    await resolver.attach(uriOf(secret));
    await resolver.attach((await openNotebook(secret)).cellAt(0).document.uri);
    assert.deepEqual(attached, []);
    assert.deepEqual(
      questions,
      [path, secret, secret].map((file) => `Attach ${file}?`),
    );
  });

  it('are selected by cell if the notebook is long', async () => {
    const { attached, resolver } = createResolver();
    const cells = Array.from({ length: 3 }, (_, index) => ({
      ...analysis.cells[1],
      id: `c${index}`,
      source: [`# ${index} `.padEnd(40_000, 'x')],
    }));
    const path = await putNotebook({ ...analysis, cells });
    await resolver.attach(uriOf(path));
    assert.deepEqual(
      attached.map(({ path: label, kind }) => ({ label, kind })),
      [{ label: `${path}, cell 1`, kind: 'selection' }],
    );
  });

  it("report files that can't be opened", async () => {
    const damaged = await putNotebook('{"cells": [');
    await assert.rejects(
      createResolver().resolver.attach(uriOf(damaged)),
      /can't be opened as a notebook/,
    );
  });
});

describe('tools and notebooks', () => {
  let temporary: TemporaryFolder;
  let gate: GrantingGate;
  let changes: Changes;
  let documents: ReadOnlyDocuments;
  let actions: ChangeActions;
  let read: Tool;
  let edit: Tool;
  let create: Tool;

  beforeEach(async () => {
    temporary = await TemporaryFolder.create();
    gate = new GrantingGate((path) => toLocation(uriOf(path)));
    changes = new Changes({
      storage: new DiskFiles(temporary.path),
      texts: workspaceTexts,
      findInPlace: (files) => Promise.resolve(files.map(() => true)),
      chatOf: () => 'chat',
      onError: (error) => assert.fail(String(error)),
    });
    documents = new ReadOnlyDocuments('aside-notebook-test');
    const review = new ReviewDiff(documents);
    actions = new ChangeActions(changes, workspaceTexts, review);
    const editing = new Editing(gate, (target) => readContent(target, gate), changes);
    read = readFileTool(gate);
    edit = editFileTool(editing);
    create = createFileTool(editing);
  });

  afterEach(async () => {
    documents.dispose();
    await vscode.commands.executeCommand('workbench.action.files.saveAll');
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await temporary.dispose();
  });

  function replace(path: string, search: string, replacement: string): Promise<string> {
    return call(edit, { path, edits: [{ search, replace: replacement }] });
  }

  it('show the cells without outputs, by lines, with secrets masked', async () => {
    const path = await putNotebook(analysis);
    const text = await call(read, { path });
    assert.match(
      text,
      /^notebooks\/\d+\.ipynb \(notebook, 3 cells without outputs; .*lines 1-8 of 8\n/,
    );
    assert.ok(text.endsWith('8\tprint(high - low)'), text);
    assert.doesNotMatch(text, /iVBOR|outputs"/);
    const part = await call(read, { path, start: 4, end: 5 });
    assert.ok(part.endsWith('\n4\t%% cell 2 code python\n5\thigh = 9'), part);
    const token = `ghp_${'a1B2'.repeat(9)}`;
    const secret = await putNotebook({
      ...analysis,
      cells: [{ cell_type: 'markdown', metadata: {}, source: `token ${token}` }],
    });
    const masked = await call(read, { path: secret });
    assert.match(masked, /token ghp_‹masked/);
    assert.ok(!masked.includes(token));
  });

  it('report the problem of invalid notebooks', async () => {
    const damaged = await putNotebook('{"cells": [');
    await assert.rejects(call(read, { path: damaged }), /cannot open .* as a notebook/);
    await assert.rejects(replace(damaged, 'cells', 'x'), /cannot open .* as a notebook/);
    const old = await putNotebook({ nbformat: 3, worksheets: [] });
    await assert.rejects(call(read, { path: old }), /cannot open .* as a notebook/);
    await assert.rejects(call(read, { path: 'notebooks/none.ipynb' }), /does not exist/);
  });

  it('change the source of one cell, and preserve all outputs through undo and redo', async () => {
    const path = await putNotebook(analysis);
    const result = await replace(path, 'high = 9', 'high = 10');
    assert.match(result, /^Changed notebooks\/\d+\.ipynb: \+1 −1, line 5\.$/);
    const [change] = gate.changes;
    assert.equal(change?.before, analysisText);
    assert.equal(change.after, analysisText.replace('high = 9', 'high = 10'));
    const notebook = await openNotebook(path);
    assert.equal(notebook.isDirty, false);
    const [first, second, third] = analysis.cells;
    // VS Code removes the execution count of an edited cell.
    const edited = { ...second, execution_count: null };
    const changed = { ...edited, source: ['high = 10\n', 'low = 4'] };
    assert.deepEqual(await cellsOnDisk(path), { ...analysis, cells: [first, changed, third] });
    await actions.change('t', undefined, 'undo');
    assert.deepEqual(await cellsOnDisk(path), { ...analysis, cells: [first, edited, third] });
    await actions.change('t', undefined, 'redo');
    assert.deepEqual(sourcesOf(notebook)[1], 'high = 10\nlow = 4');
    assert.deepEqual(outputsOf(notebook), [0, 1, 1]);
  });

  it('insert, change and delete cells, and restore deleted ones with their outputs', async () => {
    const path = await putNotebook(analysis);
    const notebook = await showNotebook(path, 0);
    const result = await call(edit, {
      path,
      edits: [
        { search: '%% cell 2 code python\nhigh = 9\nlow = 4\n', replace: '' },
        { search: 'print(high - low)', replace: 'print(high)\n%% cell markdown\nThe *end*' },
      ],
    });
    assert.match(result, /Its cells have new numbers: read it before you edit it again\.$/);
    assert.deepEqual(sourcesOf(notebook), ['# Readings\nof one day', 'print(high)', 'The *end*']);
    assert.deepEqual(outputsOf(notebook), [0, 1, 0]);
    await actions.change('t', undefined, 'diff');
    await actions.change('t', undefined, 'undo');
    assert.deepEqual(await cellsOnDisk(path), analysis);
    await actions.change('t', undefined, 'redo');
    assert.deepEqual(outputsOf(notebook), [0, 1, 0]);
    assert.deepEqual(sourcesOf(notebook), ['# Readings\nof one day', 'print(high)', 'The *end*']);
  });

  it('leave a notebook with unsaved changes unsaved, and undo after cells have run', async () => {
    const path = await putNotebook(analysis);
    const notebook = await showNotebook(path, 0);
    await replace(path, 'low = 4', 'low = 3');
    const run = new vscode.WorkspaceEdit();
    const data = new vscode.NotebookCellData(
      vscode.NotebookCellKind.Code,
      'print(high - low)',
      'python',
    );
    data.outputs = [1, 2].map(
      (value) => new vscode.NotebookCellOutput([vscode.NotebookCellOutputItem.text(`${value}`)]),
    );
    const range = new vscode.NotebookRange(2, 3);
    run.set(notebook.uri, [vscode.NotebookEdit.replaceCells(range, [data])]);
    assert.equal(await vscode.workspace.applyEdit(run), true);
    assert.equal(notebook.isDirty, true);
    const result = await replace(path, 'low = 3', 'low = 2');
    assert.match(result, /It already had unsaved changes, so it was not saved\.$/);
    assert.equal(notebook.isDirty, true);
    await actions.change('t', undefined, 'undo');
    assert.equal(sourcesOf(notebook)[1], 'high = 9\nlow = 4');
    assert.deepEqual(outputsOf(notebook), [0, 1, 2]);
  });

  it('show a notebook, and problems in its cells', async () => {
    const path = await putNotebook(analysis);
    const opened = await call(openFileTool(gate), { path, line: 7 });
    assert.match(opened, /is shown\.$/);
    const notebook = vscode.window.activeNotebookEditor?.notebook ?? (await openNotebook(path));
    assert.equal(notebook.uri.toString(), uriOf(path).toString());
    const problems = vscode.languages.createDiagnosticCollection('notebooks');
    const range = new vscode.Range(0, 0, 0, 5);
    problems.set(notebook.cellAt(2).document.uri, [new vscode.Diagnostic(range, 'No such name')]);
    try {
      const diagnostics = await call(getDiagnosticsTool(gate), { path });
      assert.match(diagnostics, /notebooks\/\d+\.ipynb, cell 3/);
      assert.match(diagnostics, /No such name/);
    } finally {
      problems.dispose();
    }
  });

  it("refuse texts that aren't cells, and notebooks that changed meanwhile", async () => {
    const path = await putNotebook(analysis);
    await assert.rejects(
      replace(path, '%% cell 3 code python', '%% cell python'),
      /"%% cell python" begins no cell/,
    );
    gate.meanwhile = async () => {
      const notebook = await openNotebook(path);
      const other = new vscode.WorkspaceEdit();
      const { document } = notebook.cellAt(2);
      other.insert(document.uri, new vscode.Position(0, 0), '# ');
      await vscode.workspace.applyEdit(other);
    };
    await assert.rejects(replace(path, 'high = 9', 'high = 1'), /has changed since it was read/);
    assert.equal(sourcesOf(await openNotebook(path))[1], 'high = 9\nlow = 4');
  });

  it('create a notebook that VS Code opens, from cells or JSON', async () => {
    const path = 'notebooks/new.ipynb';
    await call(create, { path, content: '%% cell markdown\n# New\n%% cell code r\nx <- 1\n' });
    const notebook = await openNotebook(path);
    assert.deepEqual(sourcesOf(notebook), ['# New', 'x <- 1']);
    assert.equal(notebook.cellAt(1).document.languageId, 'r');
    await actions.change('t', undefined, 'undo');
    const cells = analysis.cells.map((cell) => ({ ...cell, outputs: [] }));
    await call(create, { path, content: JSON.stringify({ ...analysis, cells }) });
    assert.equal(gate.changes[0]?.after, analysisText);
    await assert.rejects(
      call(create, { path: 'notebooks/bad.ipynb', content: 'print(1)' }),
      /This is no notebook/,
    );
  });
});
