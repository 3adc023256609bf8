import { background } from '../core/support/background.ts';
import { isObject } from '../core/support/json.ts';
import { noProcess, type HostProcess } from './leases.ts';

/** The part of `navigator.locks` that Aside uses. */
interface Locks {
  request(name: string, hold: () => Promise<unknown>): Promise<unknown>;
  query(): Promise<LockNames>;
}

interface LockNames {
  readonly held?: readonly { readonly name?: string }[];
  readonly pending?: readonly { readonly name?: string }[];
}

interface WorkerScope {
  readonly navigator?: unknown;
  readonly origin?: unknown;
}

/**
 * The browser worker that runs the extension. It holds a lock until it ends, even if it crashes, so that
 * workers of the same origin can look for it. VS Code gives each workspace's worker another origin.
 */
export function browserProcess(scope: WorkerScope = globalThis): HostProcess {
  const { origin } = scope;
  const locks = locksOf(scope);
  if (locks === undefined || typeof origin !== 'string' || origin === 'null') return noProcess;
  const id = Math.floor(Math.random() * Number.MAX_SAFE_INTEGER);
  const untilItEnds = new Promise<never>(() => undefined);
  // If that fails, other windows take its chats over, and it notices before it writes the next line.
  background(locks.request(nameOf(id), () => untilItEnds));
  return {
    machine: `browser ${origin}`,
    id,
    async isRunning(other) {
      const { held = [], pending = [] } = await locks.query();
      return [...held, ...pending].some(({ name }) => name === nameOf(other));
    },
  };
}

function nameOf(id: number): string {
  return `aside-window-${id}`;
}

function locksOf({ navigator }: WorkerScope): Locks | undefined {
  const locks = isObject(navigator) ? navigator['locks'] : undefined;
  return isLocks(locks) ? locks : undefined;
}

function isLocks(value: unknown): value is Locks {
  return isObject(value) && ['request', 'query'].every((name) => typeof value[name] === 'function');
}
