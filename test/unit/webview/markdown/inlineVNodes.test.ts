import assert from 'node:assert/strict';
import { createMarkdownStream } from '../../../../src/webview/markdown/index.ts';
import { safeHref } from '../../../../src/webview/markdown/inlineVNodes.ts';
import { openPage } from '../page.ts';

const refused = [
  ...[
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    ' javascript:alert(1)',
    'java\tscript:alert(1)',
  ],
  ...['data:text/html,<script>1</script>', 'vbscript:x', 'file:///etc/passwd', 'file://host/x'],
  ...[
    'command:workbench.action.quit',
    'command:x?%5B1%5D',
    'vscode://pub.ext/x',
    'vscode-file://x',
  ],
  ...['vscode-webview://x', 'ftp://example.com', 'ws://example.com', 'blob:https://e.org/1'],
  ...['mailto:a@example.com', 'tel:+123', 'about:blank', 'filesystem:https://e.org/x', 'ssh://h'],
  ...['/etc/passwd', './relative.ts', 'relative.ts#L3', '//example.com/x', '#fragment', '?q', ''],
  ...['http:', 'http://', 'https:///', 'http:/one-slash', 'https:example.com', 'http://[::1'],
  ...['http://a b/', 'https://exa mple.com', 'xhttps://example.com', 'https//example.com'],
];
const opened = [
  ['https://example.com', 'https://example.com/'],
  ['HTTP://Example.com/A', 'http://example.com/A'],
  ['https://аpple.example/', 'https://xn--pple-43d.example/'],
  ['https://user@evil.example/', 'https://user@evil.example/'],
] as const;

describe('safeHref', () => {
  for (const address of refused)
    it(`refuses ${JSON.stringify(address)}`, () => assert.equal(safeHref(address), undefined));

  for (const [address, href] of opened)
    it(`opens ${address} as ${href}`, () => assert.equal(safeHref(address), href));

  it('leaves the text and the address of a refused link readable', () => {
    const container = openPage().document.createElement('div');
    const stream = createMarkdownStream(container);
    stream.push('[run](command:x) [file](src/a.ts) <mailto:a@e.org> [same.ts](same.ts)');
    stream.end();
    assert.equal(container.querySelector('a'), null);
    assert.equal(container.textContent, 'run (command:x) file (src/a.ts) mailto:a@e.org same.ts');
  });
});
