import { spawn } from 'node:child_process';

export interface CommandOptions {
  readonly folder?: string;
  readonly environment?: NodeJS.ProcessEnv;
  /** Milliseconds until the process is killed. */
  readonly limit?: number;
  /** Does not print the output to the terminal. */
  readonly quiet?: boolean;
  /** Receives output as it is printed. */
  readonly onOutput?: (text: string) => void;
}

/**
 * Runs a program without stdin. Resolves with the exit code, or 1 if a signal ended it; rejects if
 * it cannot be started.
 */
export function runCommand(
  command: string,
  parameters: readonly string[],
  { folder, environment = process.env, limit, quiet, onOutput }: CommandOptions = {},
): Promise<number> {
  const child = spawn(command, [...parameters], {
    cwd: folder,
    env: environment,
    timeout: limit,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  for (const [from, to] of [
    [child.stdout, process.stdout],
    [child.stderr, process.stderr],
  ] as const) {
    from.setEncoding('utf8').on('data', (text: string) => {
      if (quiet !== true) to.write(text);
      onOutput?.(text);
    });
  }
  return new Promise((resolve, reject) => {
    child.on('error', reject).on('close', (code) => resolve(code ?? 1));
  });
}
