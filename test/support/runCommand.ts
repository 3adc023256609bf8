import { spawn } from 'node:child_process';

export interface CommandOptions {
  readonly folder?: string;
  readonly environment?: NodeJS.ProcessEnv;
  /** Milliseconds until it is ended. */
  readonly limit?: number;
  /** Keeps the output from the terminal. */
  readonly quiet?: boolean;
  /** Sees the output as it comes. */
  readonly onOutput?: (text: string) => void;
}

/**
 * Runs a program to its end without a terminal to ask at. Resolves with the exit code, which is 1
 * when a signal ended it; rejects when it cannot be started.
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
