import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';

/** An extension for benchmarks: a script in `samples`, and parts of its manifest. */
export interface Sample {
  /** Name of the file and of the extension, whose id is `bench.NAME`. */
  readonly name: string;
  readonly activationEvents?: readonly string[];
  readonly contributes?: object;
}

/** Copies a sample to the folder in which VS Code looks for extensions on its first start. */
export async function installSample(sample: Sample, extensionsFolder: string): Promise<void> {
  const { name, activationEvents = [], contributes = {} } = sample;
  const folder = join(extensionsFolder, `bench.${name}-1.0.0`);
  await mkdir(folder, { recursive: true });
  await build({
    entryPoints: [join(import.meta.dirname, 'samples', `${name}.ts`)],
    outfile: join(folder, 'main.cjs'),
    bundle: true,
    minify: true,
    platform: 'node',
    format: 'cjs',
    external: ['vscode'],
  });
  const manifest = {
    name,
    publisher: 'bench',
    version: '1.0.0',
    engines: { vscode: '^1.106.0' },
    main: './main.cjs',
    activationEvents,
    contributes,
  };
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest));
}
