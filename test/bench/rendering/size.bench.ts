/** Size of the scripts that render a reply, without grammars that are loaded later. */
import { gzipSync } from 'node:zlib';
import { build, type Metafile } from 'esbuild';
import { projectFolder } from '../../support/paths.ts';
import { figureRow } from '../row.ts';
import type { Table } from '../table.ts';

const entry = 'src/webview/markdown/index.ts';

/** Adds one row. */
export async function bench(table: Table): Promise<void> {
  const { outputFiles, metafile } = await build({
    absWorkingDir: projectFolder,
    entryPoints: [entry],
    outdir: 'site',
    write: false,
    metafile: true,
    bundle: true,
    minify: true,
    format: 'esm',
    splitting: true,
    platform: 'browser',
    target: 'chrome138',
    logLevel: 'error',
  });
  const early = loadedEarly(metafile);
  const sizes = outputFiles
    .filter(({ path }) => early.some((name) => path.replaceAll('\\', '/').endsWith(`/${name}`)))
    .map(({ contents }) => gzipSync(contents, { level: 9 }).length / 1000);
  table.add(
    figureRow({
      name: 'Renderer with highlighter, minified, gzip, at start',
      value: sizes.reduce((sum, size) => sum + size, 0),
      unit: 'KB',
      goal: 60,
    }),
  );
}

/** The entry and its static imports, recursively. */
function loadedEarly({ outputs }: Metafile): string[] {
  const early = Object.keys(outputs).filter((name) => outputs[name]?.entryPoint === entry);
  for (const name of early) {
    for (const { path, kind } of outputs[name]?.imports ?? [])
      if (kind === 'import-statement' && !early.includes(path)) early.push(path);
  }
  return early;
}
