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
export function toMathML(tree: unknown): MathElement {
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
    if (typeof type === 'string') return this.#element(type, node, inside);
    // A fragment has only children; a node with attributes is an equation number.
    return 'attributes' in node ? [] : inside();
  }

  #element(type: string, node: Fields, inside: () => readonly MathTree[]): readonly MathTree[] {
    const isEnclosed = type === 'menclose';
    const tag = isEnclosed ? 'mrow' : type;
    if (!elements.has(tag)) throw new Error('A formula does not have this element.');
    const children = inside().filter((child) => !isEnclosed || !isEmptyRow(child));
    const attributes = attributesOf(node);
    return [{ tag, attributes, children }];
  }
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

/** True for a stroke of the library, which the style sheet draws instead. */
function isEmptyRow(child: MathTree): boolean {
  return typeof child === 'object' && child.tag === 'mrow' && child.children.length === 0;
}

function attributesOf(node: Fields): Readonly<Record<string, string>> {
  const source = fieldsOf(node['attributes']);
  const attributes: Record<string, string> = {};
  for (const [name, pattern] of Object.entries(attributeValues)) {
    const value = source[name];
    if (typeof value !== 'string' && typeof value !== 'number') continue;
    const text = String(value);
    const isNear = pattern !== size || isNearby(text, name === 'voffset' ? farthest : longest);
    if (pattern.test(text) && isNear) attributes[name] = text;
  }
  const classes = classesOf(node, source);
  return classes.length === 0 ? attributes : { ...attributes, class: classes.join(' ') };
}

const unitsOfEm: Readonly<Record<string, number>> = { em: 1, ex: 2, pt: 12, px: 16, mu: 18 };

function isNearby(length: string, most: number): boolean {
  const unit = /(?<![a-z])[a-z]+$/.exec(length)?.[0] ?? 'em';
  const value = Number.parseFloat(length) / (unitsOfEm[unit] ?? 1);
  return value >= Math.max(shortest, -most) && value <= most;
}

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
