import assert from 'node:assert/strict';
import { build, type Plugin } from 'esbuild';
import * as z from 'zod/mini';
import { leanParser } from '../../leanParser.js';
import { projectFolder } from '../support/paths.ts';

const helper = '_defineProperty';

/** Bundles the installed markdown-it as a module. */
async function bundleParser(plugins: Plugin[]): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: "export { default } from 'markdown-it';", resolveDir: projectFolder },
    bundle: true,
    format: 'esm',
    platform: 'browser',
    legalComments: 'none',
    write: false,
    logLevel: 'error',
    plugins,
  });
  return outputFiles.map(({ text }) => text).join('');
}

interface Parser {
  render(text: string): string;
}

const module = z.object({ default: z.custom<new () => Parser>() });

describe('the lean parser', () => {
  let lean: string;

  before(async () => {
    lean = await bundleParser([leanParser]);
  });

  it('is needed as long as markdown-it defines its fields through a helper', async () => {
    assert.ok((await bundleParser([])).includes(helper));
  });

  it('assigns every field instead', () => {
    assert.ok(!lean.includes(helper));
  });

  it('leaves out the packages that rewrite addresses', () => {
    const sources = [...lean.matchAll(/^\/\/ (\S+)$/gm)].map(([, source]) => source);
    assert.deepEqual(
      sources.filter((source) => /node_modules\/(?:mdurl|punycode)/.test(source ?? '')),
      [],
    );
  });

  it('parses', async () => {
    const url = `data:text/javascript;base64,${Buffer.from(lean).toString('base64')}`;
    const MarkdownIt = module.parse(await import(url)).default;
    assert.equal(new MarkdownIt().render('- *one*'), '<ul>\n<li><em>one</em></li>\n</ul>\n');
  });
});
