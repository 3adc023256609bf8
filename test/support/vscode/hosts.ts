import type { VsCodeAge } from './fetchVsCode.ts';

/** An environment in which Aside runs. */
export interface Host {
  readonly age: VsCodeAge;
  /** Uses the extension host of a browser, which has no Node. */
  readonly inWorker: boolean;
  /** Opens a virtual folder, from the file system of another extension. */
  readonly isVirtual: boolean;
  readonly words: string;
}

export const hosts = {
  newest: { age: 'newest', inWorker: false, isVirtual: false, words: 'the newest VS Code' },
  oldest: { age: 'oldest', inWorker: false, isVirtual: false, words: 'the oldest VS Code' },
  virtual: { age: 'newest', inWorker: false, isVirtual: true, words: 'a virtual folder' },
  web: { age: 'newest', inWorker: true, isVirtual: true, words: 'a browser, on a virtual folder' },
  served: { age: 'newest', inWorker: true, isVirtual: false, words: 'a browser, on a folder' },
} as const satisfies Readonly<Record<string, Host>>;

export type HostName = keyof typeof hosts;

export const hostNames = ['newest', 'oldest', 'virtual', 'web', 'served'] as const;

/** Value of `--on`, which applies to a whole run. */
export function hostNamed(name = 'newest'): HostName {
  const host = hostNames.find((known) => known === name);
  if (host !== undefined) return host;
  throw new Error(`There is no host ${name}. Choose one of: ${hostNames.join(', ')}.`);
}

export const hostName = hostNamed(process.env['ASIDE_HOST']);
