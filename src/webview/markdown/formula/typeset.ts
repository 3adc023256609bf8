import { toMathML, type MathElement } from './mathml.ts';

/** Parses TeX into the library's own tree. Throws for invalid TeX. */
type ReadTeX = (tex: string, display: boolean) => unknown;

let readTeX: ReadTeX | undefined;
let loading: Promise<boolean> | undefined;

/** Cache, since each frame renders the open paragraph again. */
const known = new Map<string, MathElement | 'source'>();
const mostKnown = 500;

/**
 * Commands whose formulas are shown as source: links, images and attributes, and definitions, which
 * could make a short formula arbitrarily long.
 */
const refused =
  /\\(?:href|url|includegraphics|html[A-Za-z]*|class|id|style|data|[gex]?def|(?:future)?let|global|long|(?:re|provide)?newcommand|ref|eqref|label|ce|pu)(?![A-Za-z])/;

/** Characters. Longer formulas would block the page while they are parsed. */
const maxLength = 8000;

/**
 * Commands that build their argument two or three times: nested, they would make a short formula
 * use up all memory.
 */
const repeating = /\\(?:cancelto|equilibrium(?:Left|Right)|(?:math)?llap)(?![A-Za-z])/g;
const maxRepeating = 4;

/**
 * The formula as MathML, or `source` if it is shown as source. Undefined until the library is
 * loaded.
 */
export function typeset(tex: string, display: boolean): MathElement | 'source' | undefined {
  if (readTeX === undefined) return undefined;
  const key = `${display ? 'd' : 'i'}${tex}`;
  const drawn = known.get(key) ?? draw(readTeX, tex, display);
  if (known.size >= mostKnown) known.clear();
  known.set(key, drawn);
  return drawn;
}

function draw(read: ReadTeX, tex: string, display: boolean): MathElement | 'source' {
  if (tex.length > maxLength || refused.test(tex)) return 'source';
  if ((tex.match(repeating)?.length ?? 0) > maxRepeating) return 'source';
  try {
    return toMathML(read(tex, display));
  } catch {
    return 'source';
  }
}

/** Loads the library for the first formula. Never rejects: TeX is readable as source. */
export async function loadTypesetter(): Promise<boolean> {
  loading ??= load();
  return loading;
}

async function load(): Promise<boolean> {
  try {
    const { default: temml } = await import('temml');
    readTeX = (tex, displayMode) =>
      temml.__renderToMathMLTree(tex, {
        displayMode,
        throwOnError: true,
        wrap: 'tex',
        trust: false,
        maxExpand: 1000,
      });
    return true;
  } catch {
    // The next formula retries.
    loading = undefined;
    return false;
  }
}
