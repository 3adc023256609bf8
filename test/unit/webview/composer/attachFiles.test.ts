import assert from 'node:assert/strict';
import { pastedAddresses } from '../../../../src/webview/composer/dropAndPaste.tsx';

describe('pastedAddresses', () => {
  const files: readonly (readonly [string, readonly string[]])[] = [
    ['/home/me/app.ts', ['/home/me/app.ts']],
    ['/home/me/My Files/app.ts\n', ['/home/me/My Files/app.ts']],
    ['/home/me/src/', ['/home/me/src/']],
    ['C:\\Users\\me\\app.ts', ['C:\\Users\\me\\app.ts']],
    ['c:/Users/me/app.ts', ['c:/Users/me/app.ts']],
    ['file:///home/me/a%20b.ts', ['file:///home/me/a%20b.ts']],
    ['vscode-remote://ssh/home/a.ts', ['vscode-remote://ssh/home/a.ts']],
    ['/home/me/a.ts\r\n/home/me/b.ts\r\n', ['/home/me/a.ts', '/home/me/b.ts']],
  ];
  for (const [text, addresses] of files) {
    it(`accepts ${JSON.stringify(text)}`, () => assert.deepEqual(pastedAddresses(text), addresses));
  }

  const words: readonly string[] = [
    '',
    '\n',
    'app.ts',
    'src/app.ts',
    '/explain',
    '// a comment',
    '/* a comment */',
    'https://example.com/a.ts',
    '\\\\server\\share\\a.ts',
    'see /home/me/app.ts',
    '/home/me/app.ts\nfails',
    `/home/${'a'.repeat(5000)}`,
    '/home/me/a.ts\n'.repeat(101),
  ];

  for (const text of words) {
    it(`treats ${JSON.stringify(text.slice(0, 40))} as text`, () =>
      assert.deepEqual(pastedAddresses(text), []));
  }
});
