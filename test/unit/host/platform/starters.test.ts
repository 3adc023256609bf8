import assert from 'node:assert/strict';
import { withFakeVsCode } from '../../../support/withFakeVsCode.ts';

interface World {
  readonly isTrusted?: boolean;
  readonly folders?: readonly string[];
  /** The path of the file in the active editor. */
  readonly active?: string;
  readonly changes?: readonly string[];
}

async function startersIn({
  isTrusted = true,
  folders = ['/project'],
  active,
  changes,
}: World): Promise<unknown> {
  const { findStarters } = await withFakeVsCode(
    `
    const uri = (path) => ({ scheme: 'file', authority: '', path, fsPath: path, toString: () => 'file://' + path });
    const on = () => ({ dispose() {} });
    const folders = ${JSON.stringify(folders)}.map((path) => ({ uri: uri(path), name: 'work', index: 0 }));
    const active = ${JSON.stringify(active ?? null)};
    const changes = ${JSON.stringify(changes ?? null)};
    const state = { indexChanges: [], mergeChanges: [], workingTreeChanges: changes ?? [] };
    export const l10n = { t: (text) => text };
    export const window = {
      activeTextEditor: active === null ? undefined : { document: { uri: uri(active) } },
      onDidChangeActiveTextEditor: on,
    };
    export const workspace = {
      isTrusted: ${isTrusted}, workspaceFolders: folders, notebookDocuments: [],
      getWorkspaceFolder: ({ path }) => folders.find((one) => path.startsWith(one.uri.path)),
      asRelativePath: ({ path }) => path.replace('/project/', ''),
      onDidSaveTextDocument: on, onDidChangeWorkspaceFolders: on, onDidGrantWorkspaceTrust: on,
    };
    export const extensions = {
      getExtension: () => changes === null ? undefined :
        { isActive: true, exports: { enabled: true, getAPI: () => ({ repositories: [{ state }] }) } },
    };`,
    () => import('../../../../src/host/platform/starters.ts'),
  );
  return findStarters().current();
}

describe('a suggestion for the first message', () => {
  const cases: readonly (readonly [string, World, unknown])[] = [
    ['a folder alone', {}, { hasFolder: true }],
    ['the open file', { active: '/project/src/a.py' }, { hasFolder: true, file: 'src/a.py' }],
    ['no file outside', { active: '/other/a.py' }, { hasFolder: true }],
    ['no file with a dot in front', { active: '/project/.env' }, { hasFolder: true }],
    ['changes', { changes: ['a.py'] }, { hasFolder: true, hasChanges: true }],
    ['no changes', { changes: [] }, { hasFolder: true }],
    ['nothing without a folder', { folders: [], active: '/project/a.py' }, {}],
    ['nothing in an untrusted workspace', { isTrusted: false, active: '/project/a.py' }, {}],
  ];
  for (const [what, world, expected] of cases)
    it(`is ${what}`, async () => assert.deepEqual(await startersIn(world), expected));
});
