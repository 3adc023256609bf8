/**
 * Joins the scripts that are loaded together. esbuild puts modules shared with a module behind an
 * `import()` into chunks: over ten files, each of which costs a webview a trip through a service
 * worker and VS Code's window.
 */
import { basename, dirname } from 'node:path';
import { build, type Metafile, type OutputFile, type Plugin } from 'esbuild';

/** esbuild's output for a page. */
interface PageBuild {
  readonly outputFiles: readonly OutputFile[];
  readonly metafile: Metafile;
}

type Output = Metafile['outputs'][string];
type Outputs = ReadonlyMap<string, Output>;

/** Most of what the page loads later. The chunks that it alone needs are joined too. */
const laterModule = 'src/webview/transcript/turnList.tsx';

/** The global variable of a page with what its later scripts use of it. */
const registry = 'asideShared';
/** The module that sets it. */
const registryModule = 'registry';

/** The scripts of a page, by their names. */
interface Scripts {
  readonly page: string;
  /** Undefined if the page loads no {@link laterModule}. */
  readonly later: string | undefined;
  /** The scripts that chunks are joined into. */
  readonly homes: ReadonlyMap<string, string>;
  readonly texts: ReadonlyMap<string, string>;
  readonly exportsOf: (chunk: string) => readonly string[];
}

/**
 * Joins the chunks of a page into two scripts: the page's own, and that of {@link laterModule}. Each
 * module still exists once. Other scripts import from the second what they imported from its chunks.
 * They get from a global variable what they imported from chunks of the page, since its script has
 * no address if it is written into the HTML.
 *
 * @param page the name of the page's script
 * @returns the scripts, with their original paths
 */
export async function joinPageScripts(
  output: PageBuild,
  { page, minify }: { readonly page: string; readonly minify: boolean },
): Promise<readonly OutputFile[]> {
  const scripts = scriptsOf(output, page);
  const { outputFiles } = await build({
    entryPoints: [...scripts.texts.keys()].filter((name) => !scripts.homes.has(name)),
    outdir: dirname(output.outputFiles[0]?.path ?? ''),
    bundle: true,
    format: 'esm',
    minify,
    write: false,
    logLevel: 'warning',
    plugins: [joining(scripts)],
  });
  return outputFiles;
}

function scriptsOf({ outputFiles, metafile }: PageBuild, page: string): Scripts {
  const outputs = new Map(
    Object.entries(metafile.outputs).map(([path, output]) => [basename(path), output]),
  );
  const isLater = ({ entryPoint }: Output): boolean => entryPoint === laterModule;
  const [later] = [...outputs].find(([, output]) => isLater(output)) ?? [];
  // The page's come last: a chunk that both have is the page's.
  const chunks = [later, page].flatMap((home) =>
    home === undefined
      ? []
      : [...staticScripts(home, outputs)].map((name) => [name, home] as const),
  );
  const texts = outputFiles.filter(({ path }) => path.endsWith('.js'));
  return {
    page,
    later,
    homes: new Map(chunks.filter(([name, home]) => name !== home)),
    texts: new Map(texts.map(({ path, text }) => [basename(path), text])),
    exportsOf: (chunk) => outputs.get(chunk)?.exports ?? [],
  };
}

/** Resolves imports between scripts. Namespaces tell whose contents a module has. */
function joining(scripts: Scripts): Plugin {
  const { page, later, homes } = scripts;
  const homeOf = (name: string): string => homes.get(name) ?? name;
  const contents = contentsOf(scripts);
  return {
    name: 'page-scripts',
    setup(joined) {
      joined.onResolve({ filter: /.*/ }, ({ path, kind, importer, namespace }) => {
        const name = basename(path);
        if (kind === 'entry-point') {
          const joinedInto = name === later ? 'later' : 'script';
          return { path: name, namespace: name === page ? 'page' : joinedInto };
        }
        if (name === registryModule) return { path: name, namespace: 'registry' };
        if (kind === 'dynamic-import' || namespace === 'of-later') return { path, external: true };
        const user = namespace === 'registry' ? page : homeOf(importer);
        if (homeOf(name) === user) return { path: name, namespace: 'script' };
        if (!homes.has(name)) return { path, external: true };
        return { path: name, namespace: homeOf(name) === page ? 'of-page' : 'of-later' };
      });
      for (const [namespace, contentsOf] of Object.entries(contents))
        joined.onLoad({ filter: /.*/, namespace }, ({ path }) => ({ contents: contentsOf(path) }));
    },
  };
}

/** Writes the modules of each namespace of {@link joining}. */
function contentsOf(scripts: Scripts): Readonly<Record<string, (name: string) => string>> {
  const { page, later, homes, texts, exportsOf } = scripts;
  const chunks = [...homes.keys()];
  const prefix = (chunk: string): string => `c${chunks.indexOf(chunk)}`;
  const chunksOf = (home: string): readonly string[] =>
    chunks.filter((chunk) => homes.get(chunk) === home);
  const list = (chunk: string, write: (name: string, unique: string) => string): string =>
    exportsOf(chunk)
      .map((name) => write(name, `${prefix(chunk)}_${name}`))
      .join(', ');
  return {
    script: (name) => texts.get(name) ?? '',
    page: () => `import './${registryModule}'; import './${page}';`,
    registry: () => {
      const imports = chunksOf(page).map(
        (chunk) => `import * as ${prefix(chunk)} from './${chunk}';`,
      );
      const shared = chunksOf(page)
        .filter((chunk) => exportsOf(chunk).length > 0)
        .map((chunk) => list(chunk, (name, unique) => `${unique}: ${prefix(chunk)}.${name}`));
      return [...imports, `globalThis.${registry} = { ${shared.join(', ')} };`].join('\n');
    },
    'of-page': (chunk) =>
      `const { ${list(chunk, (name, unique) => `${unique}: ${name}`)} } = globalThis.${registry};
      export { ${exportsOf(chunk).join(', ')} };`,
    later: (name) =>
      [
        `export * from './${name}';`,
        ...chunksOf(name).map(
          (chunk) =>
            `export { ${list(chunk, (name, unique) => `${name} as ${unique}`)} } from './${chunk}';`,
        ),
      ].join('\n'),
    'of-later': (chunk) =>
      `export { ${list(chunk, (name, unique) => `${unique} as ${name}`)} } from './${later}';`,
  };
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
