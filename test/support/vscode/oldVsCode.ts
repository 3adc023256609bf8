import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { npmInstall } from '../runNpm.ts';

/**
 * Native packages of the oldest VS Code, each with the first version that ships binaries, because a
 * machine that runs the tests may have no compiler.
 */
const compiled = { 'node-pty': '1.2.0-beta.15', '@parcel/watcher': '2.5.1' } as const;
const passwords = 'argon2@0.44.0';
const ripgrep = '@vscode/ripgrep-universal@1.18.0';
const ending = process.platform === 'win32' ? '.exe' : '';

const dependencies = z.record(z.string(), z.string());
const manifest = z.looseObject({ dependencies });
const lock = z.looseObject({ packages: z.record(z.string(), z.looseObject({})) });

/** The Node for which this VS Code was built, without features of later ones. */
export function oldNode(home: string): string {
  return join(home, 'node_modules', nodePackage(), `bin/node${ending}`);
}

/**
 * Installs the dependencies of the oldest VS Code, some with newer versions that ship binaries.
 * @param home folder of the installed code-server
 * @param inner its folder with VS Code
 */
export async function installOldVsCode(home: string, inner: string): Promise<void> {
  await npmInstall(home, `${nodePackage()}@22`, passwords, ripgrep, '--omit=dev');
  // This copy would have to be compiled, and Node finds it before the outer one.
  await rm(join(home, 'node_modules/code-server/node_modules/argon2'), { recursive: true });
  await chooseCompiled(inner);
  await npmInstall(inner, '--omit=dev');
  const from = `${process.platform}-${process.arch}/rg${ending}`;
  const to = join(inner, 'node_modules/@vscode/ripgrep/bin');
  await mkdir(to, { recursive: true });
  await cp(join(home, 'node_modules/@vscode/ripgrep-universal/bin', from), join(to, `rg${ending}`));
}

/** One package has a Git address, which npm would have to compile too. */
async function chooseCompiled(inner: string): Promise<void> {
  const [manifestFile, lockFile] = [
    join(inner, 'package.json'),
    join(inner, 'npm-shrinkwrap.json'),
  ];
  const wanted = manifest.parse(JSON.parse(await readFile(manifestFile, 'utf8')));
  const locked = lock.parse(JSON.parse(await readFile(lockFile, 'utf8')));
  Object.assign(wanted.dependencies, compiled);
  const others = Object.entries(locked.packages).filter(
    ([path]) => !Object.keys(compiled).some((name) => path === `node_modules/${name}`),
  );
  const packages = { ...Object.fromEntries(others), '': wanted };
  await writeFile(manifestFile, JSON.stringify(wanted));
  await writeFile(lockFile, JSON.stringify({ ...locked, packages }));
}

/** Name of the package with the binary for this machine. */
function nodePackage(): string {
  const platform = process.platform === 'win32' ? 'win' : process.platform;
  const machine = `${platform}-${process.arch}`;
  return machine === 'darwin-arm64' ? `node-bin-${machine}` : `node-${machine}`;
}
