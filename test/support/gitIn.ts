import { execFileSync } from 'node:child_process';

/** Runs Git in a folder with a neutral author, and returns its output. */
export function gitIn(folder: string, ...words: readonly string[]): string {
  return execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...words], {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** Makes a folder a repository, and commits its files. */
export function commitAll(folder: string, message: string): void {
  gitIn(folder, 'init', '--quiet', '--initial-branch=main');
  gitIn(folder, 'add', '.');
  gitIn(folder, 'commit', '--quiet', `--message=${message}`);
}

/** Absolute path of Git. */
export function gitProgram(): string {
  const finder = process.platform === 'win32' ? 'where' : 'which';
  const [path = ''] = execFileSync(finder, ['git'], { encoding: 'utf8' }).split(/\r?\n/, 1);
  return path;
}
