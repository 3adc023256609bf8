/**
 * Joins the scripts that a page loads at once into one. esbuild puts modules shared with a module
 * behind an `import()` into chunks: over ten files, each of which costs a webview a trip through a
 * service worker and VS Code's window.
 */
import { basename, dirname } from 'node:path';
import { build, type Metafile, type OutputFile, type Plugin } from 'esbuild';

/** esbuild's output for a page. */
interface PageBuild {
  readonly outputFiles: readonly OutputFile[];
  readonly metafile: Metafile;
}

type Outputs = ReadonlyMap<string, Metafile['outputs'][string]>;

/**
 * Joins the static chunks of a page into the page's own script. Modules that load later import from
 * that script what they imported from the chunks, so that each module still exists once.
 *
 * @param options `page` is the name of the page's script
 * @returns the scripts, with their original paths
 */
export async function joinPageScripts(
  { outputFiles, metafile }: PageBuild,
  { page, minify }: { readonly page: string; readonly minify: boolean },
): Promise<readonly OutputFile[]> {
  const scripts = new Map(
    outputFiles
      .filter(({ path }) => path.endsWith('.js'))
      .map(({ path, text }) => [basename(path), text]),
  );
  const outputs = new Map(
    Object.entries(metafile.outputs).map(([path, output]) => [basename(path), output]),
  );
  const folder = dirname(outputFiles[0]?.path ?? '');
  const joined = staticScripts(page, outputs);
  const chunks = [...joined].filter((name) => name !== page);
  const nameOf = (chunk: string, exported: string): string =>
    `c${chunks.indexOf(chunk)}_${exported}`;
  const exportsOf = (chunk: string, write: (name: string, unique: string) => string): string =>
    (outputs.get(chunk)?.exports ?? []).map((name) => write(name, nameOf(chunk, name))).join(', ');

  const entry = [
    `import './${page}';`,
    ...chunks.map((chunk) => {
      return `export { ${exportsOf(chunk, (name, unique) => `${name} as ${unique}`)} } from './${chunk}';`;
    }),
  ].join('\n');
  const reexportsOf = (chunk: string): string =>
    `export { ${exportsOf(chunk, (name, unique) => `${unique} as ${name}`)} } from './${page}';`;

  const linking: Plugin = {
    name: 'page-scripts',
    setup(linked) {
      linked.onResolve({ filter: /.*/ }, ({ path, kind, importer, namespace }) => {
        const name = basename(path);
        if (kind === 'entry-point')
          return { path: name, namespace: name === page ? 'entry' : 'script' };
        // Scripts that load later stay outside, and import the page instead of its chunks.
        const isInside = namespace === 'entry' || joined.has(importer);
        if (kind === 'dynamic-import' || namespace === 'of-page') return { path, external: true };
        if (isInside) return { path: name, namespace: 'script' };
        return chunks.includes(name)
          ? { path: name, namespace: 'of-page' }
          : { path, external: true };
      });
      linked.onLoad({ filter: /.*/, namespace: 'entry' }, () => ({ contents: entry }));
      linked.onLoad({ filter: /.*/, namespace: 'of-page' }, ({ path }) => ({
        contents: reexportsOf(path),
      }));
      linked.onLoad({ filter: /.*/, namespace: 'script' }, ({ path }) => ({
        contents: scripts.get(path) ?? '',
      }));
    },
  };
  const { outputFiles: joinedFiles } = await build({
    entryPoints: [page, ...[...scripts.keys()].filter((name) => !joined.has(name))],
    outdir: folder,
    bundle: true,
    format: 'esm',
    minify,
    write: false,
    logLevel: 'warning',
    plugins: [linking],
  });
  return joinedFiles;
}

/** A script and everything that it imports statically. */
function staticScripts(
  name: string,
  outputs: Outputs,
  visited = new Set<string>(),
): ReadonlySet<string> {
  if (visited.has(name)) return visited;
  visited.add(name);
  for (const { path, kind } of outputs.get(name)?.imports ?? [])
    if (kind === 'import-statement') staticScripts(basename(path), outputs, visited);
  return visited;
}
