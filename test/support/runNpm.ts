import { runCommand, type CommandOptions } from './runCommand.ts';

/**
 * Runs the npm that started this process, else the one on the PATH. Resolves with its exit code.
 */
export function runNpm(parameters: readonly string[], options?: CommandOptions): Promise<number> {
  const program = process.env['npm_execpath'];
  // `npm_execpath` may name another package manager.
  if (program !== undefined && /npm-cli\.c?js$/.test(program))
    return runCommand(process.execPath, [program, ...parameters], options);
  if (process.platform === 'win32')
    return runCommand('cmd.exe', ['/d', '/s', '/c', 'npm', ...parameters], options);
  return runCommand('npm', parameters, options);
}

/** Installs packages into a separate folder, without running their scripts. */
export async function npmInstall(folder: string, ...parameters: string[]): Promise<void> {
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const code = await runNpm(['install', '--prefix', folder, ...quiet, ...parameters], { folder });
  if (code === 0) return;
  throw new Error(
    `npm could not install ${parameters.join(' ')} into ${folder} (exit code ${code}). ` +
      'Its own words are above. Check that npm reaches its registry, then start this again.',
  );
}
