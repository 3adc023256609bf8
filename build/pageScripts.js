/**
 * Joins the scripts that a page loads at once into one. esbuild puts whatever a page shares with a
 * module behind an `import()` into a chunk of its own: over ten files, and in a webview each costs a
 * trip through a service worker and VS Code's window.
 */
import { basename, join } from 'node:path';
import { build } from 'esbuild';

/**
 * The output of esbuild for one page, with its static chunks joined into the page's own script.
 * Modules that load later import from that script what they imported from the chunks, so that each
 * module still exists once.
 *
 * @param {{ outputFiles: { path: string, text: string }[], metafile: import('esbuild').Metafile }} result
 * @param {{ page: string, minify: boolean }} options `page` is the name of the page's script
 * @returns {Promise<{ path: string, contents: Uint8Array }[]>} the scripts, with the paths of before
 */
export async function joinPageScripts({ outputFiles, metafile }, { page, minify }) {
  const scripts = new Map(
    outputFiles
      .filter(({ path }) => path.endsWith('.js'))
      .map(({ path, text }) => [basename(path), text]),
  );
  const outputs = new Map(
    Object.entries(metafile.outputs).map(([path, output]) => [basename(path), output]),
  );
  const folder = join(outputFiles[0].path, '..');
  const joined = staticScripts(page, outputs);
  const chunks = [...joined].filter((name) => name !== page);
  const nameOf = (chunk, exported) => `c${chunks.indexOf(chunk)}_${exported}`;
  const exportsOf = (chunk, write) =>
    outputs
      .get(chunk)
      .exports.map((name) => write(name, nameOf(chunk, name)))
      .join(', ');

  const entry = [
    `import './${page}';`,
    ...chunks.map((chunk) => {
      return `export { ${exportsOf(chunk, (name, unique) => `${name} as ${unique}`)} } from './${chunk}';`;
    }),
  ].join('\n');
  const ofPage = (chunk) =>
    `export { ${exportsOf(chunk, (name, unique) => `${unique} as ${name}`)} } from './${page}';`;

  const linking = {
    name: 'page-scripts',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /.*/ }, ({ path, kind, importer, namespace }) => {
        const name = basename(path);
        if (kind === 'entry-point')
          return { path: name, namespace: name === page ? 'entry' : 'script' };
        // Loads later, or exists once for all that load later, or is the page from their side.
        const isInside = namespace === 'entry' || joined.has(importer);
        if (kind === 'dynamic-import' || namespace === 'of-page') return { path, external: true };
        if (isInside) return { path: name, namespace: 'script' };
        return chunks.includes(name)
          ? { path: name, namespace: 'of-page' }
          : { path, external: true };
      });
      onLoad({ filter: /.*/, namespace: 'entry' }, () => ({ contents: entry }));
      onLoad({ filter: /.*/, namespace: 'of-page' }, ({ path }) => ({ contents: ofPage(path) }));
      onLoad({ filter: /.*/, namespace: 'script' }, ({ path }) => ({
        contents: scripts.get(path),
      }));
    },
  };
  const { outputFiles: linked } = await build({
    entryPoints: [page, ...[...scripts.keys()].filter((name) => !joined.has(name))],
    outdir: folder,
    bundle: true,
    format: 'esm',
    minify,
    write: false,
    logLevel: 'warning',
    plugins: [linking],
  });
  return linked;
}

/** A script with all that it imports other than by `import()`. */
function staticScripts(name, outputs, visited = new Set()) {
  if (visited.has(name)) return visited;
  visited.add(name);
  for (const { path, kind } of outputs.get(name)?.imports ?? [])
    if (kind === 'import-statement') staticScripts(basename(path), outputs, visited);
  return visited;
}
