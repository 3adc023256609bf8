import assert from 'node:assert/strict';
import fc from 'fast-check';
import { withoutVsCode } from '../../../support/withoutVsCode.ts';

const { judgeLink } = await withoutVsCode(
  () => import('../../../../src/host/platform/editorActions.ts'),
);

describe('judgeLink', () => {
  it('opens plain web addresses', () => {
    const links = [
      ['https://example.com', 'the docs'],
      ['https://example.com/a?b=c#d', 'https://example.com/a'],
      ['http://localhost:3000/', 'here'],
      ['https://example.com', 'example.com'],
    ];
    for (const [href = '', label = ''] of links)
      assert.equal(judgeLink(href, label).type, 'open', href);
  });

  it('asks if a link could send data or is misleading', () => {
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

  it('refuses everything except web addresses', () => {
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

/** Ways to write the host of an address in the text of a link. */
const spellings: readonly ((host: string) => string)[] = [
  (host) => host,
  (host) => host.toUpperCase(),
  (host) => `${host}.`,
  (host) => `${host}...`,
  (host) => `//${host}`,
  (host) => `\\\\${host}`,
  (host) => `https://${host}`,
  (host) => `HTTP://${host}/path?query`,
  (host) => `https:/${host}`,
  (host) => `https:\\\\${host}\\x`,
  (host) => `https:${host}`,
  (host) => `ftp://${host}`,
  (host) => `www.${host}`,
  (host) => `${host}/a/b.ts`,
  (host) => `${host}:8443`,
  (host) => `${host}?a=b`,
  (host) => `${host}@evil.test`,
  (host) => `https://${host}@evil.test/`,
  (host) => `<${host}>`,
  (host) => `(see ${host} for more)`,
  (host) => `Docs: ${host}, and more`,
  (host) => `→ ${host}`,
  (host) => host.replaceAll('.', '\u3002'),
  (host) => host.replaceAll('.', '\uff0e'),
  (host) =>
    host.replace(/[a-z]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) + 0xff41 - 0x61)),
  (host) => `⟨${host}⟩`,
  (host) => `~${host}~`,
  (host) => `*${host}*`,
  (host) => `_${host}_`,
  (host) => `${host}—now`,
  (host) => `a=${host}`,
  (host) => `see:${host}`,
  (host) => `url:https://${host}`,
  (host) => `git@${host}:a/b`,
  (host) => `${host}%2Flogin`,
  (host) => `https:\u2215\u2215${host}`,
  (host) => `https\ua789//${host}`,
];
const invisible = [
  ...['\u200b', '\u2060', '\ufeff', '\u00ad', '\u202e', '\u2066', '\u{e0041}', '\u034f'],
  '',
];
describe('a link whose text names another host', () => {
  it('needs confirmation, however the text spells it', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('github', 'my-bank', 'sub.example'),
        fc.constantFrom('com', 'co.uk', 'rs', 'nowhere', 'онлайн', 'xn--p1ai'),
        fc.constantFrom(...spellings),
        fc.constantFrom(...invisible),
        fc.constantFrom(...invisible),
        fc.nat({ max: 30 }),
        (name, domain, spell, first, second, at) => {
          const text = spell(`${name}.${domain}`);
          const cut = Math.min(at, text.length);
          const label = first + text.slice(0, cut) + second + text.slice(cut);
          for (const href of ['https://evil.test/', 'https://evil.test/github.com']) {
            assert.equal(judgeLink(href, label).type, 'ask', JSON.stringify(label));
          }
        },
      ),
      { numRuns: 2000 },
    );
  });

  it('needs confirmation if bidirectional characters reorder it', () => {
    const signs = ['\u061c', '\u200e', '\u200f', '\u202a', '\u202b', '\u202d', '\u202e', '\u2067'];
    for (const sign of signs)
      for (const label of [`${sign}moc.buhtig`, `com${sign}.${sign}github`, `a ${sign}word`])
        assert.equal(judgeLink('https://evil.test/', label).type, 'ask', JSON.stringify(label));
  });

  it('needs confirmation with what may be an address: a scheme, or words with a dot between', () => {
    const labels = [
      ...['app.ts', 'README.md', 'console.log', 'Node.js', 'version 1.2.3', 'e.g. this'],
      ...['127.0.0.1', '10.0.0.1:3000/x', 'http://localhost:3000', 'ftp://intranet', 'a_b.c-d'],
    ];
    for (const label of labels)
      assert.equal(judgeLink('https://evil.test/README.md', label).type, 'ask', label);
  });

  const fine: readonly (readonly [href: string, label: string])[] = [
    ['https://github.com/a/b', 'github.com/a/b'],
    ['https://github.com/', 'https://GitHub.com.'],
    ['https://github.com/', '(see “github.com”, for more)'],
    ['https://www.example.com/', 'example.com'],
    ['https://example.com/', 'www.example.com'],
    ['http://example.com/', 'http://example.com:80'],
    ['https://example.com/', '\u200bexample.com'],
    ['http://localhost:3000/', 'localhost:3000'],
    ['https://evil.test/', 'Note: this, std::vector and a=b'],
    ['https://evil.test/', 'src/core/and/or'],
    ['https://evil.test/', '// a comment'],
    ['https://evil.test/', 'The end. The beginning…'],
    ['https://evil.test/', ''],
  ];
  for (const [href, label] of fine) {
    it(`is opened as ${JSON.stringify(label)}`, () => {
      assert.equal(judgeLink(href, label).type, 'open');
    });
  }
});
