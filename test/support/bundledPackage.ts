import { build, type Plugin } from 'esbuild';
import { projectFolder } from './paths.ts';

/** Bundles the default export of an installed package as a module for the page. */
export async function bundledPackage(name: string, plugins: Plugin[]): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: `export { default } from '${name}';`, resolveDir: projectFolder },
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
