import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';

const alive = new Set<ServerProcess>();
process.once('exit', () => {
  for (const server of alive) server.kill();
});
// Not `once`: a second signal must not end this process before the servers have ended.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => process.exit(130));

/** A process whose children all end with this process. */
export class ServerProcess {
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;
  #output = '';

  /** @param parameters script for Node, and its parameters */
  constructor(node: string, parameters: readonly string[], environment: NodeJS.ProcessEnv) {
    this.#child = spawn(node, [...parameters], {
      env: environment,
      // A process group, so that the extension host ends with the server.
      detached: process.platform !== 'win32',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#ended = once(this.#child, 'close');
    alive.add(this);
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => (this.#output += text));
  }

  get id(): number {
    const { pid } = this.#child;
    if (pid === undefined) throw new Error('The server did not start.');
    return pid;
  }

  /** All output so far. */
  get output(): string {
    return this.#output;
  }

  /** Resolves with the first group of the pattern. Rejects when the process ends, or after a minute. */
  async printed(pattern: RegExp): Promise<string> {
    const stop = new AbortController();
    const limit = setTimeout(60_000, undefined, { signal: stop.signal }).catch(() => undefined);
    try {
      return await Promise.race([this.#find(pattern), this.#fail(limit, pattern)]);
    } finally {
      stop.abort();
    }
  }

  async stop(): Promise<void> {
    this.kill('SIGTERM');
    const stopped = new AbortController();
    const timeout = setTimeout(5000, undefined, { signal: stopped.signal });
    await Promise.race([this.#ended, timeout.catch(() => undefined)]);
    stopped.abort();
    // Kills the remaining processes of the group.
    this.kill();
    await this.#ended;
    alive.delete(this);
  }

  kill(signal: NodeJS.Signals = 'SIGKILL'): void {
    const id = this.#child.pid;
    if (id === undefined) return;
    if (process.platform === 'win32') {
      spawnSync('taskkill', ['/pid', String(id), '/T', '/F'], { stdio: 'ignore' });
      return;
    }
    try {
      process.kill(-id, signal);
    } catch {
      // All processes of the group have ended.
    }
  }

  async #find(pattern: RegExp): Promise<string> {
    for (;;) {
      const match = pattern.exec(this.#output)?.[1];
      if (match !== undefined) return match;
      const stream = this.#child.stdout;
      if (stream === null) throw new Error('The output of the server cannot be read.');
      await once(stream, 'data');
    }
  }

  async #fail(limit: Promise<unknown>, pattern: RegExp): Promise<never> {
    await Promise.race([this.#ended, limit]);
    throw new Error(`The server did not print ${String(pattern)}. It printed:\n${this.#output}`);
  }
}
