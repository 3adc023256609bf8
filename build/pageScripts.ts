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

/** The global variable of a page with what its later scripts use of its own. */
const registry = 'asideShared';
/** The module that sets it. */
const sharing = 'sharing.js';

/**
 * Joins the static chunks of a page into the page's own script. Scripts that load later get from a
 * global variable what they imported from the chunks, so that each module still exists once, also if
 * the page's script is written into the HTML and has no address.
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
  const exportsOf = (chunk: string): readonly string[] => outputs.get(chunk)?.exports ?? [];
  const nameOf = (chunk: string, exported: string): string =>
    `c${chunks.indexOf(chunk)}_${exported}`;
  const shared = chunks.flatMap((chunk, index) =>
    exportsOf(chunk).map((name) => `${nameOf(chunk, name)}: c${index}.${name}`),
  );
  /** The contents of the modules that stand for something else. */
  const standIns: Readonly<Record<string, (name: string) => string>> = {
    entry: () => `import './${sharing}'; import './${page}';`,
    sharing: () =>
      [
        ...chunks.map((chunk, index) => `import * as c${index} from './${chunk}';`),
        `globalThis.${registry} = { ${shared.join(', ')} };`,
      ].join('\n'),
    'of-page': (chunk) => {
      const names = exportsOf(chunk);
      const read = names.map((name) => `${nameOf(chunk, name)}: ${name}`).join(', ');
      return `const { ${read} } = globalThis.${registry};\nexport { ${names.join(', ')} };`;
    },
    script: (name) => scripts.get(name) ?? '',
  };

  const linking: Plugin = {
    name: 'page-scripts',
    setup(linked) {
      linked.onResolve({ filter: /.*/ }, ({ path, kind, importer, namespace }) => {
        const name = basename(path);
        if (kind === 'entry-point')
          return { path: name, namespace: name === page ? 'entry' : 'script' };
        if (name === sharing) return { path: name, namespace: 'sharing' };
        // Scripts that load later stay outside, and get what is in the page's chunks from the page.
        const isInside = namespace !== 'script' || joined.has(importer);
        if (kind === 'dynamic-import') return { path, external: true };
        if (isInside) return { path: name, namespace: 'script' };
        return chunks.includes(name)
          ? { path: name, namespace: 'of-page' }
          : { path, external: true };
      });
      for (const [namespace, contentsOf] of Object.entries(standIns))
        linked.onLoad({ filter: /.*/, namespace }, ({ path }) => ({ contents: contentsOf(path) }));
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
