import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Uri } from 'vscode';
import { readMenuArguments } from '../../../../src/host/attachments/menuArguments.ts';

const isUri = (value: unknown): value is Uri => value instanceof URL;
const uri = (path: string): URL => new URL(`file:///work/${path}`);
const [one, other] = [uri('one.ts'), uri('other.ts')];

function read(...given: readonly unknown[]) {
  const { files, changed, groups, isInText } = readMenuArguments(given, isUri);
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
    assert.deepEqual(read(one), { ...nothing, files: [String(one)], isInText: true });
  });

  it('are the clicked and all selected files in the explorer, each once', () => {
    assert.deepEqual(read(one, [one]), { ...nothing, files: [String(one)] });
    assert.deepEqual(read(one, [other, one]), {
      ...nothing,
      files: [String(one), String(other)],
    });
  });

  it('are the file of an editor tab, not what is selected in it', () => {
    assert.deepEqual(read(one, { groupId: 0, editorIndex: 2 }), {
      ...nothing,
      files: [String(one)],
    });
  });

  it('are changed files and groups of them in Source Control', () => {
    const [first, second] = [{ resourceUri: one }, { resourceUri: other, decorations: {} }];
    assert.deepEqual(read(first), { ...nothing, changed: [String(one)] });
    assert.deepEqual(read(first, second, first), {
      ...nothing,
      changed: [String(one), String(other)],
    });
    const group = { id: 'index', label: 'Staged Changes', resourceStates: [first, second] };
    assert.deepEqual(read(group), {
      ...nothing,
      groups: [['Staged Changes', String(one), String(other)]],
    });
  });

  it('are nothing else, whatever is passed', () => {
    fc.assert(
      fc.property(fc.array(fc.anything()), (given) => {
        assert.deepEqual({ ...read(...given), isInText: false }, nothing);
      }),
    );
  });
});
