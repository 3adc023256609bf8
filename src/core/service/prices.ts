/**
 * Reads what a model costs from its entry in a model list (docs/service.md 2.5).
 *
 * Lists nest and name prices in many ways, so a field is read by the words of its name: it is the
 * price of what they say (`prompt` or `input`, `cache_read`), in dollars for as many tokens as they
 * say (`per_million`, `_per_token`), or as a field `unit` beside it says. Where nothing says it,
 * the amounts of a price are for a million tokens, for one, or for a thousand: the first of these
 * that puts input and output between $0.001 and $1,000 per million tokens. A single amount can't be
 * for both a million and one token: from 0.001 on it is for a million, below it for one. Zero is
 * free.
 *
 * Where several amounts may hold for a request (times of day, providers), the dearest counts.
 */
import { storedPrice } from '../conversation/conversationSchema.ts';
import { tokensPerPrice, type Price, type Rates } from '../conversation/usage.ts';
import { isObject, valueAt, type JsonObject } from '../support/json.ts';
import { wordSet } from '../support/text.ts';

/** What an entry says about the price; empty if it says nothing. */
export interface PriceReading {
  readonly price?: Price;
  /** Field of a price that isn't understood. */
  readonly unreadPrice?: string;
}

/**
 * Where lists have prices, best first. The entry itself and `model_info` have other fields, too: of
 * those, only the ones that call themselves a price are read.
 */
const places: readonly string[] = [
  'tiered_billing_configs',
  'pricing',
  'model_spec.pricing',
  'metadata.pricing',
  'pricings',
  'prices',
  'price',
  'cost',
  'pricePerToken',
  'model_info',
  '',
];
const mixedPlaces: readonly string[] = ['model_info', ''];

/**
 * Fields of lists whose documentation says another unit than their names: those of xAI, Novita and
 * its relatives are hundredths of a cent per million tokens.
 */
const documentedTokens: ReadonlyMap<string, number> = new Map([
  ['prompt_text_token_price', 1e10],
  ['input_token_price_per_m', 1e10],
  ['price_per_m', 1e10],
  ['pricePerM', 1e10],
]);

/** Believable prices per million tokens, in dollars. */
const least = 0.001;
const most = 1000;

/** The fields in which a read price is stored. */
export function priceFields({ price, unreadPrice }: PriceReading): object {
  return { read_price: price, unread_price: unreadPrice };
}

export function readPrice(entry: unknown): PriceReading {
  if (!isObject(entry)) return {};
  const stored = storedPrice.safeParse(entry['read_price'] ?? null).data;
  if (stored && [stored, ...(stored.tiers ?? [])].every(isBelievable)) return { price: stored };
  const own = readOwnPrice(entry);
  if (own.price !== undefined) return own;
  const dearest = livingProviders(entry)
    .flatMap((provider) => readOwnPrice(provider).price ?? [])
    .toSorted((first, second) => first.input + first.output - second.input - second.output)
    .at(-1);
  if (dearest?.source !== undefined) {
    const { field, tokens } = dearest.source;
    return { price: { ...dearest, source: { field: `providers.${field}`, tokens } } };
  }
  const { unread_price } = entry;
  return typeof unread_price === 'string' ? { unreadPrice: unread_price } : own;
}

/** The providers of which one replies; those that do at present, if the list says which. */
export function livingProviders({ providers }: JsonObject): readonly JsonObject[] {
  const all = Array.isArray(providers) ? providers.filter(isObject) : [];
  const living = all.filter(({ status }) => status === 'live');
  return living.length > 0 ? living : all;
}

function readOwnPrice(entry: JsonObject): PriceReading {
  let unread: PriceReading = {};
  for (const place of places) {
    const reading = readPlace(entry, place);
    if (reading.price !== undefined) return reading;
    unread = { ...reading, ...unread };
  }
  return unread;
}

function readPlace(entry: JsonObject, place: string): PriceReading {
  const isMixed = mixedPlaces.includes(place);
  const value = place === '' ? entry : valueAt(entry, place);
  const prices = isMixed && isObject(value) ? pricesAmong(value) : value;
  if (typeof prices !== 'object' || prices === null) return {};
  const words = isMixed ? [] : wordsOf(place.slice(place.lastIndexOf('.') + 1));
  const amounts = isForeign(entry['currency'])
    ? []
    : firstOf(amountsIn(prices, { ...outermost, path: place, words }), mostAmounts);
  const price = priceOf(amounts);
  if (price !== undefined) return { price };
  const fields = fieldsOf(prices).filter(({ value: field }) => field !== null);
  if (!isMixed) return fields.length === 0 ? {} : { unreadPrice: place };
  const unread = fields.find((field) => ['input', 'output'].includes(kindOf(field.words)));
  return unread === undefined ? {} : { unreadPrice: joined(place, unread.name) };
}

function pricesAmong(value: JsonObject): JsonObject {
  const isPrice = (word: string): boolean => /^(?:price|pricing|cost|fee)s?$/.test(word);
  const prices = fieldsOf(value).filter(
    ({ name, words }) => !places.includes(name) && (words.some(isPrice) || isLongLimit(words)),
  );
  return Object.fromEntries(prices.map((field) => [field.name, field.value]));
}

function joined(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

interface Amount {
  readonly path: string;
  readonly kind: Kind;
  readonly value: number;
  /** The number of tokens that it is for; undefined if the list doesn't say it. */
  readonly tokens: number | undefined;
  /** Prompt tokens of a request from which it holds. */
  readonly from: number;
  /** True if it holds only for some of these requests. */
  readonly isConditional: boolean;
}

/** What the fields around an amount say about it. */
interface Scope {
  readonly path: string;
  /** Words of the names that lead to it. */
  readonly words: readonly string[];
  /** Words beside it that say what it is, for an amount that is only named `price` or `value`. */
  readonly label: readonly string[];
  readonly tokens: number | undefined;
  readonly from: number;
  /** Where prices begin that are only called long. */
  readonly longFrom: number | undefined;
  readonly isConditional: boolean;
}

const outermost: Scope = {
  path: '',
  words: [],
  label: [],
  tokens: undefined,
  from: 0,
  longFrom: undefined,
  isConditional: false,
};

/** Lists nest prices less deeply, and have fewer amounts in one. */
const deepest = 6;
const mostAmounts = 1000;

function firstOf<T>(values: Iterable<T>, count: number): readonly T[] {
  const first: T[] = [];
  for (const value of values) if (first.push(value) === count) break;
  return first;
}

interface Field {
  readonly name: string;
  readonly words: readonly string[];
  readonly value: unknown;
}

function fieldsOf(value: object): readonly Field[] {
  const isList = Array.isArray(value);
  return Object.entries(value).map(([name, field]: [string, unknown]) => ({
    name,
    words: isList ? [] : wordsOf(name),
    value: field,
  }));
}

function* amountsIn(value: unknown, scope: Scope, depth = 0): Generator<Amount> {
  const read = readAmount(value);
  if (read !== undefined) yield amountIn(read, scope);
  if (typeof value !== 'object' || value === null || depth > deepest) return;
  const fields = fieldsOf(value);
  if (fields.some(({ words, value: text }) => words.includes('currency') && isForeign(text)))
    return;
  const inner = scopeIn(fields, scope);
  for (const field of inDollars(fields)) {
    if (isAboutOthers(field)) continue;
    const path = joined(scope.path, field.name);
    const words = [...inner.words, ...field.words];
    yield* amountsIn(field.value, { ...inner, path, words }, depth + 1);
  }
}

/** Of an amount in several currencies or precisions, only the best. */
function inDollars(fields: readonly Field[]): readonly Field[] {
  const named = (name: string): Field | undefined => fields.find((field) => field.name === name);
  const best = named('usd') ?? named('price_per_m_decimal');
  if (best !== undefined) return [best];
  const [amount, scale] = [named('amount'), named('scale')?.value];
  return typeof amount?.value === 'number' && typeof scale === 'number'
    ? [{ ...amount, value: amount.value / 10 ** Math.abs(scale) }]
    : fields;
}

function isForeign(currency: unknown): boolean {
  return (
    typeof currency === 'string' && !/^(?:us\$|\$|usd?|usd[ct]|(?:us )?dollars?)$/i.test(currency)
  );
}

/** True for a field that says when or in what unit the amounts beside it hold. */
function isAboutOthers({ words, value }: Field): boolean {
  const hasFields = isObject(value) || (Array.isArray(value) && value.some(isObject));
  const isSaid = words.some((word) => conditions.has(word) || word === 'range');
  if (isSaid || isUnitName(words)) return !hasFields;
  return isLimit(words) && (value === null || countIn(value) !== undefined);
}

function scopeIn(fields: readonly Field[], scope: Scope): Scope {
  const unit = fields.find(({ words, value }) => isUnitName(words) && !isObject(value))?.value;
  const unitWords = typeof unit === 'string' ? wordsOf(unit) : [];
  const label = fields.flatMap(({ name, value }) =>
    labels.has(name) && typeof value === 'string' ? wordsOf(value) : [],
  );
  return {
    ...scope,
    // What is paid by the image, by the second or in points isn't the price of tokens, whatever
    // its name is.
    ...(subjectOf(unitWords).every((word) => sides.has(word))
      ? {}
      : { words: [...scope.words, ...unitWords] }),
    label: [...label, ...unitWords],
    tokens: countIn(unit) ?? tokensSaid(unitWords) ?? scope.tokens,
    from: beginIn(fields) ?? scope.from,
    longFrom: countIn(fields.find(({ words }) => isLongLimit(words))?.value) ?? scope.longFrom,
    isConditional:
      scope.isConditional ||
      fields.some(({ words }) => words.some((word) => conditions.has(word) || word === 'hour')),
  };
}

/** Prompt tokens from which the amounts beside these fields hold, if one says it. */
function beginIn(fields: readonly Field[], depth = 0): number | undefined {
  for (const { name, words, value } of fields) {
    if (name === 'range' && Array.isArray(value)) return countIn(value[0]);
    if (nestedLimits.has(name) && isObject(value) && depth < deepest) {
      const begin = beginIn(fieldsOf(value), depth + 1);
      const unit = typeof value['unit'] === 'string' ? tokensSaid(wordsOf(value['unit'])) : 1;
      if (begin !== undefined) return begin * (unit ?? 1);
    }
    const isBegin = isLimit(words) && words.some((word) => lowerLimits.has(word));
    if (isBegin && !isLongLimit(words) && countIn(value) !== undefined) return countIn(value);
  }
  return undefined;
}

function amountIn({ value, tokens }: ReadAmount, scope: Scope): Amount {
  const { path, from, longFrom, isConditional, label } = scope;
  const words = subjectOf(scope.words).length === 0 ? [...scope.words, ...label] : scope.words;
  const isLong = from === 0 && words.includes('long');
  const begin = beginSaid(words) ?? (isLong ? longFrom : from);
  return {
    path,
    // Long requests have prices of their own only where the list says what is long.
    kind: begin === undefined || (isLong && begin === 0) ? 'other' : kindOf(words),
    value,
    tokens: tokens ?? tokensSaid(words) ?? scope.tokens,
    // The first tier of some lists begins at one token.
    from: begin === undefined || begin <= 1 ? 0 : begin,
    isConditional: isConditional || words.some((word) => conditions.has(word)),
  };
}

interface ReadAmount {
  readonly value: number;
  readonly tokens?: number | undefined;
}

/** A number, or a text such as `0.0000006`, `$0.60` or `$0.002 per 1K tokens`. */
function readAmount(field: unknown): ReadAmount | undefined {
  if (typeof field === 'number')
    return Number.isFinite(field) && field >= 0 ? { value: field } : undefined;
  if (typeof field !== 'string' || field.length > 60) return undefined;
  const match = /^(?:US)?\$?(\d*\.?\d+(?:e-?\d{1,3})?)(\D.*)?$/i.exec(field.trim());
  if (match === null) return undefined;
  const [, digits = '', rest = ''] = match;
  const value = Number(digits);
  const tokens = tokensSaid(wordsOf(rest));
  const isWhole = rest === '' || (tokens !== undefined && kindOf(wordsOf(rest)) === 'unknown');
  return isWhole && Number.isFinite(value) ? { value, tokens } : undefined;
}

function countIn(field: unknown): number | undefined {
  const text = typeof field === 'string' ? /^\D{0,3}(\d{1,9})$/.exec(field)?.[1] : undefined;
  const count = text === undefined ? field : Number(text);
  return typeof count === 'number' && Number.isSafeInteger(count) && count >= 0 ? count : undefined;
}

/** Words of a name or a unit: `perMTokens` is `per` and `mtokens`, `1,000` is `1000`. */
function wordsOf(name: string): readonly string[] {
  return name
    .slice(0, longestName)
    .replace(/,(?=\d{3})/g, '')
    .replace(/[_ ]in[_ ](?=usd|dollar|cent)/i, ' ')
    .replace(/([a-z])(?=[A-Z0-9])/g, '$1 ')
    .toLowerCase()
    .split(/[^a-z0-9.]+/)
    .filter((word) => word !== '');
}

const longestName = 100;

/** The number of tokens that a dollar amount is for, if the words of its name or unit say it. */
function tokensSaid(words: readonly string[]): number | undefined {
  const has = (pattern: RegExp): boolean => words.some((word) => pattern.test(word));
  // A price in cents for a token is one in dollars for a hundred.
  const dollars = has(/^cents?$/) ? 100 : 1;
  if (has(/^(?:1?(?:m|mio|million|millions|mtoks?|mtokens?)|1000000)$/)) return 1e6 * dollars;
  if (has(/^(?:1?(?:k|thousand|ktoks?|ktokens?)|1000)$/)) return 1e3 * dollars;
  return /\bper (?:\w+ )?token\b/.test(words.join(' ')) ? dollars : undefined;
}

/** The number of prompt tokens in names such as `above_200k_tokens`. */
function beginSaid(words: readonly string[]): number | undefined {
  const sizes = words.flatMap((word, index) => {
    const [, digits, unit] = /^(\d{1,9})([km])$/.exec(word) ?? [];
    const isBegin = digits !== undefined && lowerLimits.has(words[index - 1] ?? '');
    return isBegin ? [Number(digits) * (unit === 'k' ? 1e3 : 1e6)] : [];
  });
  return sizes[0];
}

/** What an amount is the price of. No request of this program has anything `other`. */
type Kind = keyof Rates | 'request' | 'image' | 'unknown' | 'other';

/** Kinds by their words: at least one of the first, and none but these and the second. */
const kinds: readonly (readonly [Kind, ReadonlySet<string>, ReadonlySet<string>])[] = [
  [
    'cacheWrite',
    wordSet('write writes written creation create caching'),
    wordSet('cache cached input prompt'),
  ],
  ['input', wordSet('miss uncached'), wordSet('cache cached input prompt')],
  ['cachedInput', wordSet('cache cached'), wordSet('input prompt read reads hit hits')],
  ['reasoning', wordSet('reasoning thinking'), wordSet('internal output completion')],
  ['input', wordSet('input prompt in provided'), wordSet('')],
  ['output', wordSet('output completion completions out generated'), wordSet('')],
  ['request', wordSet('request requests query call'), wordSet('input prompt')],
  ['image', wordSet('image images'), wordSet('input prompt')],
];

function kindOf(words: readonly string[]): Kind {
  if (words.some((word) => ofOthers.has(word))) return 'other';
  const subject = subjectOf(words);
  const match = kinds.find(
    ([, needed, allowed]) =>
      subject.some((word) => needed.has(word)) &&
      subject.every((word) => needed.has(word) || allowed.has(word)),
  );
  const isOfImages = words.some((word) => word === 'image' || word === 'images');
  if (!isOfImages) return match?.[0] ?? 'unknown';
  // Other prices of images are for tokens of theirs, or for images that a model draws.
  const isDrawn = words.includes('per') && !words.includes('input');
  return match === undefined || isDrawn || words.some((word) => /^tokens?$/.test(word))
    ? 'other'
    : 'image';
}

function subjectOf(words: readonly string[]): readonly string[] {
  return words.filter(
    (word) =>
      !/^\d/.test(word) &&
      ![fillers, conditions, lowerLimits, upperLimits].some((set) => set.has(word)),
  );
}

/** True for `unit`, `price_unit` and `unit_type`, but not for `unit_price`. */
function isUnitName(words: readonly string[]): boolean {
  const unit = words.indexOf('unit');
  const isPrice = words.slice(unit).some((word) => /^(?:price|cost|fee|rate)s?$/.test(word));
  return (unit >= 0 && !isPrice) || words.join() === 'per';
}

function isLimit(words: readonly string[]): boolean {
  const isSaid = words.some((word) => lowerLimits.has(word) || upperLimits.has(word));
  return isSaid && beginSaid(words) === undefined;
}

function isLongLimit(words: readonly string[]): boolean {
  return words.includes('long') && isLimit(words);
}

const lowerLimits = wordSet('min minimum from threshold above over gt gte lower start size');
const upperLimits = wordSet('max maximum to until upper lt lte limit up end');
const nestedLimits = wordSet('tier condition conditions prompt_tokens input_tokens');
const conditions = wordSet(
  'utc hours day days weekday weekdays weekend time timezone date effective valid peak off night',
);
const sides = wordSet('input output prompt completion');
const labels = wordSet('sku code name content origin type kind');

/** Words that don't tell prices of requests from each other. */
const fillers = wordSet(
  'price prices pricing pricings cost costs fee fees rate rates value amount decimal usd dollar ' +
    'dollars cent cents per of for by use token tokens m k mio million millions thousand mtok mtoks ' +
    'mtoken mtokens ktok ktoks ktoken ktokens unit units text llm standard default base list ' +
    'model tier tiers tiered billing config configs override overrides extended long context',
);

/** Words of prices that can't be part of a request of this program, and of other currencies. */
const ofOthers = wordSet(
  'audio video speech tts stt voice music sound search web hour hourly second seconds minute ' +
    'minutes month character characters char chars page pages pixel pixels ocr finetune tuning ' +
    'training batch batches flex priority fast embedding embeddings rerank storage 1h 1hr h gb ' +
    'discount percent multiplier ratio markup total blended average score rank session vector ' +
    'interpreter computer annotation dbu gpu realtime origin original diem tao pollen credit credits ' +
    'points eur cny rmb gbp jpy inr krw rub brl chf cad aud',
);

/** The price that the amounts of a place make, in the first unit in which it can be believed. */
function priceOf(amounts: readonly Amount[]): Price | undefined {
  const said = (kind: Kind): number | undefined =>
    amounts.find((one) => one.kind === kind && one.tokens !== undefined)?.tokens;
  const shared = said('input') ?? said('output');
  const documented = amounts.flatMap(({ path }) => {
    const tokens = documentedTokens.get(path.slice(path.lastIndexOf('.') + 1));
    return tokens === undefined ? [] : [tokens];
  })[0];
  const units = shared === undefined ? [1e6, 1, 1e3] : [shared];
  const readings = [
    ...(documented === undefined ? [] : [amounts.map((one) => ({ ...one, tokens: documented }))]),
    ...units.map((unit) => amounts.map(({ tokens = unit, ...one }) => ({ ...one, tokens }))),
  ];
  for (const reading of readings) {
    const price = priceIn(reading);
    if (price !== undefined) return price;
  }
  return undefined;
}

interface InUnit extends Amount {
  readonly tokens: number;
}

interface Priced extends InUnit {
  /** Dollars per million tokens. */
  readonly price: number;
}

function priceIn(amounts: readonly InUnit[]): Price | undefined {
  const all: readonly Priced[] = amounts.map((one) => ({
    ...one,
    // Rounds off digits that only the multiplication added.
    price: Number(((one.value * tokensPerPrice) / one.tokens).toPrecision(12)),
  }));
  const dearest = (
    kind: Kind,
    from: number,
    among: readonly Priced[] = all,
  ): Priced | undefined => {
    const held = among.filter((one) => one.kind === kind && one.from <= from);
    const latest = Math.max(...held.map((one) => (one.isConditional ? 0 : one.from)));
    return held
      .filter((one) => one.isConditional || one.from === latest)
      .toSorted((first, second) => first.price - second.price)
      .at(-1);
  };
  const [input, output] = [dearest('input', 0), dearest('output', 0)];
  if (input === undefined || output === undefined) return undefined;
  if (!isBelievable({ input: input.price, output: output.price })) return undefined;
  // A zero beside a price means that there is no such price, not that these tokens are free.
  const isFree = input.price + output.price === 0;
  const stated = all.filter(
    ({ kind, price, from }) =>
      isInRange(price) ||
      (price === 0 && (isFree || (from === 0 && (kind === 'input' || kind === 'output')))),
  );
  const ratesFrom = (from: number): Rates => {
    const rate = (kind: Kind): Priced | undefined => dearest(kind, from, stated);
    const [reply, thought] = [rate('output') ?? output, rate('reasoning')];
    // A dearer reply of longer requests doesn't leave its reasoning at the price of short ones.
    const reasoning =
      thought && (thought.from < reply.from ? Math.max(thought.price, reply.price) : thought.price);
    const [cachedInput, cacheWrite] = [rate('cachedInput')?.price, rate('cacheWrite')?.price];
    return {
      input: rate('input')?.price ?? input.price,
      output: reply.price,
      ...(cachedInput === undefined ? {} : { cachedInput }),
      ...(cacheWrite === undefined ? {} : { cacheWrite }),
      ...(reasoning === undefined || reasoning === reply.price ? {} : { reasoning }),
    };
  };
  const begins = stated.flatMap(({ kind, from }) =>
    from > 0 && rateKinds.has(kind) ? [from] : [],
  );
  const tiers = [...new Set(begins)]
    .toSorted((first, second) => first - second)
    .map((from) => ({ from, ...ratesFrom(from) }));
  const fee = (kind: 'request' | 'image'): number =>
    Math.max(
      0,
      ...all.flatMap((one) => (one.kind === kind && one.value <= most ? [one.value] : [])),
    );
  const isPartial = all.some(({ kind, value, price }) =>
    rateKinds.has(kind) ? price > most : kind === 'unknown' && value > 0 && value <= most,
  );
  return {
    ...ratesFrom(0),
    ...(tiers.length === 0 ? {} : { tiers }),
    ...(fee('request') === 0 ? {} : { request: fee('request') }),
    ...(fee('image') === 0 ? {} : { image: fee('image') }),
    ...(isPartial ? { isPartial } : {}),
    source: { field: input.path, tokens: input.tokens },
  };
}

const rateKinds: ReadonlySet<Kind> = new Set([
  'input',
  'output',
  'cachedInput',
  'cacheWrite',
  'reasoning',
]);

function isBelievable({ input, output, cachedInput, cacheWrite, reasoning }: Rates): boolean {
  return [input, output, cachedInput ?? 0, cacheWrite ?? 0, reasoning ?? 0].every(
    (price) => price === 0 || isInRange(price),
  );
}

function isInRange(price: number): boolean {
  return price >= least && price <= most;
}
