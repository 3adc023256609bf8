import assert from 'node:assert/strict';
import { build } from 'esbuild';
import * as z from 'zod/mini';
import type { createMarkdownStream } from '../../../../src/webview/markdown/index.ts';
import { projectFolder } from '../../../support/paths.ts';
import { until } from '../../../support/until.ts';
import { document } from './rendering.ts';

const renderer = z.object({
  createMarkdownStream: z.custom<typeof createMarkdownStream>(),
});

let count = 0;

/** A separate instance of the renderer, which has loaded no library yet. */
async function freshRenderer(): Promise<z.infer<typeof renderer>> {
  const { outputFiles } = await build({
    absWorkingDir: projectFolder,
    entryPoints: ['src/webview/markdown/index.ts'],
    bundle: true,
    format: 'esm',
    platform: 'browser',
    write: false,
    logLevel: 'error',
  });
  // A module with another URL is evaluated again.
  const script = `${outputFiles.map(({ text }) => text).join('')}// ${(count += 1)}`;
  const url = `data:text/javascript;base64,${Buffer.from(script).toString('base64')}`;
  return renderer.parse(await import(url));
}

describe('The first formula', () => {
  it('is shown as source, and then rendered in place', async () => {
    const fresh = await freshRenderer();
    const page = document.createElement('div');
    document.body.append(page);
    const stream = fresh.createMarkdownStream(page);
    stream.push('Let $x^2$ be **so**.\n\n$$y$$\n');
    stream.end();
    assert.equal(page.querySelectorAll('math').length, 0);
    assert.equal(page.querySelector('p')?.textContent, 'Let $x^2$ be so.');
    const nodes = Array.from(page.querySelectorAll('.formula, .formula-source, strong, p'));
    const text = page.querySelector('.formula-source')?.firstChild ?? null;
    assert.ok(text);
    document.getSelection()?.selectAllChildren(page);
    await until(() => page.querySelectorAll('math').length === 2);
    assert.deepEqual(
      Array.from(page.querySelectorAll('.formula, .formula-source, strong, p')),
      nodes,
    );
    assert.equal(page.querySelector('.formula.drawn > .formula-source')?.firstChild, text);
    assert.ok(document.getSelection()?.containsNode(text));
    page.remove();
  });
});
