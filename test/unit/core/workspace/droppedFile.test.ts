import assert from 'node:assert/strict';
import { locateDropped } from '../../../../src/core/workspace/resolveTarget.ts';
import type { Location } from '../../../../src/core/workspace/places.ts';

/** The parts of a URI, decoded as VS Code does. */
function parse(address: string): Location {
  const [, scheme = '', authority = '', path = ''] =
    /^([^:]+):\/\/([^/]*)(.*)$/.exec(address) ?? [];
  return { scheme, authority: decodeURIComponent(authority), path: decodeURIComponent(path) };
}

/** Remotes and folders of windows, a dropped address, and its file. */
const accepted: readonly (readonly [
  remote: string | undefined,
  folders: readonly string[],
  address: string,
  file: string,
])[] = [
  [undefined, ['file:///work'], 'file:///work/a.ts', 'file:///work/a.ts'],
  [undefined, [], 'file:///c%3A/a%20b.ts', 'file:///c:/a b.ts'],
  [
    'ssh-remote',
    ['file:///work'],
    'vscode-remote://ssh-remote%2Bdevbox/work/a.ts',
    'file:///work/a.ts',
  ],
  [
    'ssh-remote',
    ['file:///work'],
    'vscode-remote://SSH-REMOTE+devbox/elsewhere/a.ts',
    'file:///elsewhere/a.ts',
  ],
  ['wsl', ['file:///work'], 'vscode-remote://wsl%2Bubuntu/work/%C3%BC%23.ts', 'file:///work/ü#.ts'],
  ['dev-container', [], 'vscode-remote://dev-container%2B7b2268/work/a.ts', 'file:///work/a.ts'],
  [
    '127.0.0.1:8080',
    ['file:///work'],
    'vscode-remote://127.0.0.1:8080/work/a.ts',
    'file:///work/a.ts',
  ],
  [
    'localhost:3000',
    ['file:///work'],
    'vscode-remote://localhost%3A3000/work/a.ts',
    'file:///work/a.ts',
  ],
  [
    undefined,
    ['vscode-vfs://github/o/r'],
    'vscode-vfs://github/o/r/a.ts',
    'vscode-vfs://github/o/r/a.ts',
  ],
  [
    undefined,
    ['vscode-vfs://github/o/r'],
    'vscode-vfs://github/o/other/a.ts',
    'vscode-vfs://github/o/other/a.ts',
  ],
  [undefined, ['memfs:///x'], 'memfs:///x/a.ts', 'memfs:///x/a.ts'],
  [
    'tunnel',
    ['vscode-remote://tunnel+box/work'],
    'vscode-remote://tunnel%2Bbox/work/a',
    'vscode-remote://tunnel+box/work/a',
  ],
];

const refused: readonly (readonly [string | undefined, readonly string[], string])[] = [
  [undefined, ['file:///work'], 'vscode-remote://ssh-remote%2Bdevbox/work/a.ts'],
  ['wsl', ['file:///work'], 'vscode-remote://ssh-remote%2Bdevbox/work/a.ts'],
  ['ssh-remote', ['file:///work'], 'vscode-remote://ssh-remote.evil%2Bx/work/a.ts'],
  ['127.0.0.1:8080', ['file:///work'], 'vscode-remote://127.0.0.1:9090/work/a.ts'],
  ['', ['file:///work'], 'vscode-remote:///work/a.ts'],
  [undefined, ['file:///work'], 'file://server/share/a.ts'],
  ['wsl', ['file:///work'], 'file://wsl/share/a.ts'],
  [undefined, ['file:///work'], 'vscode-vfs://github/o/r/a.ts'],
  [undefined, ['vscode-vfs://github/o/r'], 'vscode-vfs://gitlab/o/r/a.ts'],
  [undefined, ['memfs:///x'], 'vscode-userdata:///x/settings.json'],
];

describe('a dropped file', () => {
  for (const [remote, folders, address, file] of accepted) {
    it(`is found by ${address} in a window of ${remote ?? 'this machine'}`, () => {
      const window = { remote, folders: folders.map(parse) };
      const { scheme, authority, path } = locateDropped(parse(address), window) ?? {};
      assert.equal(`${scheme}://${authority}${path}`, file);
    });
  }

  for (const [remote, folders, address] of refused) {
    it(`is not accepted by ${address} in a window of ${remote ?? 'this machine'}`, () => {
      const window = { remote, folders: folders.map(parse) };
      assert.equal(locateDropped(parse(address), window), undefined);
    });
  }
});
