import type { Grammar } from './grammar.ts';

/** What most replies need; worth loading before it is asked for. */
const likely = [
  'ts',
  'typescript',
  'js',
  'javascript',
  'json',
  'python',
  'bash',
  'sh',
  'css',
  'html',
];

/** By name as it is written after a fence; undefined where there is none of that name. */
const grammars = new Map<string, (() => Grammar) | undefined>();
const loading = new Map<string, Promise<boolean>>();

/** The grammar of a language before the first line; undefined where it is unknown or not loaded. */
export function grammarFor(name: string): Grammar | undefined {
  return grammars.get(name)?.();
}

/**
 * Loads the grammar of a language. Undefined where that was done; else resolves with whether there
 * is one now, and never rejects: code without colours is code all the same.
 */
export function loadGrammar(name: string): Promise<boolean> | undefined {
  if (grammars.has(name)) return undefined;
  const running = loading.get(name) ?? load(name);
  loading.set(name, running);
  return running;
}

export function loadLikelyGrammars(): void {
  for (const name of likely) void loadGrammar(name);
}

async function load(name: string): Promise<boolean> {
  try {
    const { findGrammar } = await import('./catalog.ts');
    grammars.set(name, await findGrammar(name));
  } catch {
    // Asked for again by the next block.
  }
  loading.delete(name);
  return grammars.get(name) !== undefined;
}
