import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Uri } from 'vscode';
import { readMenuArguments } from '../../../../src/host/attachments/editorContext.ts';

const isUri = (value: unknown): value is Uri => value instanceof URL;
const uri = (path: string): URL => new URL(`file:///work/${path}`);
const [file, otherFile] = [uri('one.ts'), uri('other.ts')];

function read(...menuArguments: readonly unknown[]) {
  const { files, changed, groups, isInText } = readMenuArguments(menuArguments, isUri);
  return {
    files: files.map(String),
    changed: changed.map(String),
    groups: groups.map(({ label, files: inGroup }) => [label, ...inGroup.map(String)]),
    isInText,
  };
}
const nothing = { files: [], changed: [], groups: [], isInText: false };

describe('the arguments of menus', () => {
  it('are none for a keybinding, and the file for the text of an editor', () => {
    assert.deepEqual(read(), { ...nothing, isInText: true });
    assert.deepEqual(read(file), { ...nothing, files: [String(file)], isInText: true });
  });

  it('are the clicked and all selected files in the explorer, each once', () => {
    assert.deepEqual(read(file, [file]), { ...nothing, files: [String(file)] });
    assert.deepEqual(read(file, [otherFile, file]), {
      ...nothing,
      files: [String(file), String(otherFile)],
    });
  });

  it('are the file of an editor tab, not what is selected in it', () => {
    assert.deepEqual(read(file, { groupId: 0, editorIndex: 2 }), {
      ...nothing,
      files: [String(file)],
    });
  });

  it('are changed files and groups of them in Source Control', () => {
    const [first, second] = [{ resourceUri: file }, { resourceUri: otherFile, decorations: {} }];
    assert.deepEqual(read(first), { ...nothing, changed: [String(file)] });
    assert.deepEqual(read(first, second, first), {
      ...nothing,
      changed: [String(file), String(otherFile)],
    });
    const group = { id: 'index', label: 'Staged Changes', resourceStates: [first, second] };
    assert.deepEqual(read(group), {
      ...nothing,
      groups: [['Staged Changes', String(file), String(otherFile)]],
    });
  });

  it('are empty for any other value', () => {
    fc.assert(
      fc.property(fc.array(fc.anything()), (menuArguments) => {
        assert.deepEqual({ ...read(...menuArguments), isInText: false }, nothing);
      }),
    );
  });
});
