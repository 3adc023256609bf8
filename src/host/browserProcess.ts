import { isObject } from '../core/support/json.ts';
import { noProcess, type HostProcess } from './leases.ts';

/** What is used of `navigator.locks`. */
interface Locks {
  request(name: string, hold: () => Promise<unknown>): Promise<unknown>;
  query(): Promise<LockNames>;
}

interface LockNames {
  readonly held?: readonly { readonly name?: string }[];
  readonly pending?: readonly { readonly name?: string }[];
}

/** The global object of a worker. */
interface WorkerScope {
  readonly navigator?: unknown;
  readonly origin?: unknown;
}

/**
 * The worker of a browser that runs the extension: it holds a lock until it ends, however it ends, which
 * workers of the same origin can look for. VS Code gives the workers of other workspaces other origins.
 */
export function browserProcess(scope: WorkerScope = globalThis): HostProcess {
  const { origin } = scope;
  const locks = locksOf(scope);
  if (locks === undefined || typeof origin !== 'string' || origin === 'null') return noProcess;
  const id = Math.floor(Math.random() * Number.MAX_SAFE_INTEGER);
  const untilItEnds = new Promise<never>(() => undefined);
  // Where that fails, others take its chats over, which is found out before the next line.
  void locks.request(nameOf(id), () => untilItEnds).catch(() => undefined);
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

function isLocks(given: unknown): given is Locks {
  return isObject(given) && ['request', 'query'].every((name) => typeof given[name] === 'function');
}
