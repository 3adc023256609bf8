import { background } from '../../core/support/background.ts';
import type { Grammar } from './grammar.ts';

/** Languages that most replies need, loaded in advance. */
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

/** Grammars by name in the info string; undefined for unknown languages. */
const grammars = new Map<string, (() => Grammar) | undefined>();
const loading = new Map<string, Promise<boolean>>();

/** A grammar in its initial state; undefined if the language is unknown or not loaded. */
export function grammarFor(name: string): Grammar | undefined {
  return grammars.get(name)?.();
}

/**
 * Loads the grammar of a language. Returns undefined if it is loaded; otherwise resolves with false
 * if there is none. Never rejects: code is readable without highlighting.
 */
export function loadGrammar(name: string): Promise<boolean> | undefined {
  if (grammars.has(name)) return undefined;
  const running = loading.get(name) ?? load(name);
  loading.set(name, running);
  return running;
}

export function loadLikelyGrammars(): void {
  for (const name of likely) background(loadGrammar(name));
}

async function load(name: string): Promise<boolean> {
  try {
    const { findGrammar } = await import('./grammar.ts');
    grammars.set(name, await findGrammar(name));
  } catch {
    // The next block in this language retries.
  }
  loading.delete(name);
  return grammars.get(name) !== undefined;
}
