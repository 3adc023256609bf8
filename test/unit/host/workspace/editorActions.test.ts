import assert from 'node:assert/strict';
import { withoutVsCode } from '../../../support/withoutVsCode.ts';

const { judgeLink } = await withoutVsCode(
  () => import('../../../../src/host/workspace/editorActions.ts'),
);

describe('judgeLink', () => {
  it('opens plain web addresses', () => {
    const links = [
      ['https://example.com', 'the docs'],
      ['https://example.com/a?b=c#d', 'https://example.com/a'],
      ['http://localhost:3000/', 'here'],
      ['https://example.com/app.ts', 'app.ts'],
      ['https://example.com', 'example.com'],
    ];
    for (const [href = '', label = ''] of links)
      assert.equal(judgeLink(href, label).type, 'open', href);
  });

  it('asks where a link could carry data away or is not what it seems', () => {
    const links = [
      [`https://example.com/?d=${'x'.repeat(40)}`, 'docs'],
      [`https://example.com/#${'x'.repeat(41)}`, 'docs'],
      ['https://exаmple.com/', 'docs'],
      ['https://xn--e1awd7f.com/', 'docs'],
      ['https://evil.test/', 'https://example.com/'],
      ['https://evil.test/', 'www.example.com'],
      ['https://evil.test/', 'example.com'],
      ['https://me:pw@example.com/', 'docs'],
    ];
    for (const [href = '', label = ''] of links)
      assert.equal(judgeLink(href, label).type, 'ask', href);
  });

  it('refuses everything that is no web address', () => {
    const links = [
      'command:workbench.action.quit',
      'javascript:alert(1)',
      'vscode://x.y/z',
      'file:///etc/passwd',
      'data:text/html,x',
      'mailto:a@b.c',
      '//evil.test',
      '/relative',
      '',
      'ftp://a.b',
    ];
    for (const href of links) assert.equal(judgeLink(href, 'x').type, 'refuse', href);
  });
});
