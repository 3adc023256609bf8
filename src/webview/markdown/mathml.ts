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
  let drawn = known.get(key);
  if (drawn === undefined) {
    const isRefused =
      tex.length > maxLength ||
      refused.test(tex) ||
      (tex.match(repeating)?.length ?? 0) > maxRepeating;
    try {
      drawn = isRefused ? 'source' : toMathML(readTeX(tex, display));
    } catch {
      drawn = 'source';
    }
  }
  if (known.size >= mostKnown) known.clear();
  known.set(key, drawn);
  return drawn;
}

/** Loads the library for the first formula. Never rejects: TeX is readable as source. */
export async function loadTypesetter(): Promise<boolean> {
  loading ??= import('temml').then(
    ({ default: temml }) => {
      readTeX = (tex, displayMode) =>
        temml.__renderToMathMLTree(tex, {
          displayMode,
          throwOnError: true,
          wrap: 'tex',
          trust: false,
          maxExpand: 1000,
        });
      return true;
    },
    () => {
      // The next formula retries.
      loading = undefined;
      return false;
    },
  );
  return loading;
}

/** A MathML element as plain data, or a text. */
export type MathTree = MathElement | string;

/** A known element with validated attributes. */
export interface MathElement {
  readonly tag: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly MathTree[];
}

/** Limits on the size of a formula: more would take seconds to lay out. */
const maxNodes = 6000;
const maxDepth = 60;

const elements = new Set(
  (
    'math mfrac mi mmultiscripts mn mo mover mpadded mphantom mprescripts mroot mrow mspace msqrt ' +
    'mstyle msub msubsup msup mtable mtd mtext mtr munder munderover'
  ).split(' '),
);

const flag = /^(?:true|false)$/;
const size = /^[+-]?\d{0,3}(?:\.\d{0,6})?(?:em|ex|pt|px|mu)?$/;

/** Allowed attributes and values, without colors and links. */
const attributeValues: Readonly<Record<string, RegExp>> = {
  accent: flag,
  accentunder: flag,
  display: /^block$/,
  displaystyle: flag,
  fence: flag,
  form: /^(?:prefix|infix|postfix)$/,
  mathvariant: /^normal$/,
  movablelimits: flag,
  scriptlevel: /^[0-3]$/,
  separator: flag,
  stretchy: flag,
  symmetric: flag,
  depth: size,
  height: size,
  linethickness: size,
  lspace: size,
  maxsize: size,
  minsize: size,
  rspace: size,
  voffset: size,
  width: size,
};

/** Maximum length in em, so that content stays near its position. */
const longest = 20;
const shortest = -0.5;
/** Maximum vertical shift in em. */
const farthest = 2;

/** Maps classes of the library to those of the style sheet. */
const knownClasses: ReadonlyMap<string, string> = new Map([
  ['tml-left', 'm-left'],
  ['tml-right', 'm-right'],
  ['tml-jot', 'm-jot'],
  ['tml-small', 'm-small'],
  ['tml-tag', 'm-tag'],
  ['tml-vec', 'm-vec'],
  ['tml-prime', 'm-prime'],
  ['mathscr', 'm-script'],
  ...Array.from(['sml', 'med', 'lrg'], (name): [string, string] => [
    `tml-${name}-pad`,
    `m-pad-${name}`,
  ]),
  ...Array.from(['sml', 'med', 'lrg'], (name): [string, string] => [`chr-${name}`, `m-${name}`]),
  ...Array.from(['tilde-2', 'tilde-3', 'tilde-4'], (name): [string, string] => [
    `tml-${name}`,
    `m-${name}`,
  ]),
  ...Array.from(['hat-1', 'hat-2', 'hat-3', 'hat-4'], (name): [string, string] => [
    `tml-${name}`,
    `m-${name}`,
  ]),
]);

/** Lines around or through an expression, by notation of `menclose`. */
const notations: ReadonlyMap<string, string> = new Map([
  ['top', 'm-over'],
  ['bottom', 'm-under'],
  ['box', 'm-box'],
  ['updiagonalstrike', 'm-up'],
  ['downdiagonalstrike', 'm-down'],
  ['updiagonalstrike downdiagonalstrike', 'm-cross'],
  ['horizontalstrike', 'm-strike'],
]);

/** Supported styles of the library, and the class for each. */
const styleClasses: readonly (readonly [name: string, value: RegExp, drawn: string])[] = [
  ['paddingLeft', /^0(?:em|pt)$/, 'm-left-0'],
  ['paddingRight', /^0(?:em|pt)$/, 'm-right-0'],
  ['paddingLeft', /^1em$/, 'm-left-1'],
  ['borderTop', /solid|dashed/, 'm-line-top'],
  ['borderBottom', /solid|dashed/, 'm-line-bottom'],
  ['borderLeft', /solid|dashed/, 'm-line-left'],
  ['borderRight', /solid|dashed/, 'm-line-right'],
  ['border', /solid/, 'm-box'],
  ['fontWeight', /^bold$/, 'm-bold'],
  ['font-weight', /^bold$/, 'm-bold'],
  ['font-style', /^italic$/, 'm-italic'],
  ['marginLeft', /^-/, 'm-closer'],
];

type Fields = Readonly<Record<string, unknown>>;

/**
 * Converts a tree of the library to elements that may be created. Unknown content is removed, or
 * makes the conversion fail.
 *
 * @throws if the tree is too large, or has an element that isn't allowed
 */
function toMathML(tree: unknown): MathElement {
  const [math] = new Conversion().convert(tree, 0);
  if (typeof math !== 'object' || math.tag !== 'math') throw new Error('There is no formula.');
  return math;
}

class Conversion {
  #count = 0;

  convert(tree: unknown, depth: number): readonly MathTree[] {
    this.#count += 1;
    if (this.#count > maxNodes || depth > maxDepth) throw new Error('The formula is too long.');
    const node = fieldsOf(tree);
    const { type, text, children } = node;
    if (typeof text === 'string') return [text];
    const inside = (): readonly MathTree[] =>
      Array.isArray(children) ? children.flatMap((child) => this.convert(child, depth + 1)) : [];
    if ('href' in node || 'src' in node) throw new Error('A formula has no links.');
    if (typeof type === 'string') {
      const isEnclosed = type === 'menclose';
      const tag = isEnclosed ? 'mrow' : type;
      if (!elements.has(tag)) throw new Error('A formula does not have this element.');
      // The library's strokes are empty rows, which the style sheet draws instead.
      const isStroke = (child: MathTree): boolean =>
        typeof child === 'object' && child.tag === 'mrow' && child.children.length === 0;
      const drawn = inside().filter((child) => !isEnclosed || !isStroke(child));
      return [{ tag, attributes: attributesOf(node), children: drawn }];
    }
    // A fragment has only children; a node with attributes is an equation number.
    return 'attributes' in node ? [] : inside();
  }
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function attributesOf(node: Fields): Readonly<Record<string, string>> {
  const source = fieldsOf(node['attributes']);
  const attributes: Record<string, string> = {};
  for (const [name, pattern] of Object.entries(attributeValues)) {
    const value = source[name];
    if (typeof value !== 'string' && typeof value !== 'number') continue;
    const text = String(value);
    if (!pattern.test(text)) continue;
    if (pattern === size) {
      const most = name === 'voffset' ? farthest : longest;
      const unit = /(?<![a-z])[a-z]+$/.exec(text)?.[0] ?? 'em';
      const length = Number.parseFloat(text) / (unitsOfEm[unit] ?? 1);
      // Also false for a text without a number.
      if (!(length >= Math.max(shortest, -most) && length <= most)) continue;
    }
    attributes[name] = text;
  }
  const classes = classesOf(node, source);
  return classes.length === 0 ? attributes : { ...attributes, class: classes.join(' ') };
}

const unitsOfEm: Readonly<Record<string, number>> = { em: 1, ex: 2, pt: 12, px: 16, mu: 18 };

function classesOf(node: Fields, attributes: Fields): readonly string[] {
  const { classes } = node;
  const named = Array.isArray(classes)
    ? classes.flatMap((name) => knownClasses.get(String(name)) ?? [])
    : [];
  const style = fieldsOf(node['style']);
  const styled = styleClasses.flatMap(([name, value, drawn]) =>
    value.test(textOf(style[name])) ? [drawn] : [],
  );
  const isBold = attributes['style'] === 'font-weight:bold' ? ['m-bold'] : [];
  const isRule = attributes['mathbackground'] === 'black' ? ['m-rule'] : [];
  const enclosed = notations.get(textOf(attributes['notation'])) ?? [];
  return [...new Set([...named, ...styled, ...isBold, ...isRule, ...[enclosed].flat()])];
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Number of characters in the longest part of a formula without a line break opportunity. */
export function longestPart({ children }: MathElement): number {
  return Math.max(0, ...children.map(lengthOf));
}

function lengthOf(tree: MathTree): number {
  if (typeof tree === 'string') return tree.length;
  return tree.children.reduce((length, child) => length + lengthOf(child), 0);
}
