import { secretShapes, type SecretShape } from './secretShapes.ts';

/** A part of a text that is a secret, and what of its beginning stays visible. */
interface Secret {
  readonly start: number;
  readonly end: number;
  readonly kept: string;
  readonly id: string;
}

/** The first line of a private key. */
const keyHead =
  /-----BEGIN (?:[A-Z\d]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----|\bPrivate-Lines: {0,3}\d{1,4}/g;
/** The line after a private key; the latter is PuTTY's. */
const keyEnd = /-----END |\bPrivate-MAC:/;

/** The name of a well-known kind of secret that the text seems to contain. */
export function findSecretToken(text: string): string | undefined {
  if (text.search(keyHead) >= 0) return 'private key';
  return secretShapes.find((one) => secretsOf(text, one).length > 0)?.kind;
}

/** A text whose secrets were replaced by masks. */
export interface MaskedText {
  readonly text: string;
  /** The number of secrets; those of a private key are its lines. */
  readonly count: number;
  /** By the ids in their masks. */
  readonly secrets: ReadonlyMap<string, MaskedSecret>;
  /** Whether a mask is not certain to stand for one secret, so that none can be put back. */
  readonly isAmbiguous: boolean;
}

/** A secret, and what of its beginning stays before its mask. */
interface MaskedSecret {
  readonly secret: string;
  readonly kept: string;
}

/**
 * Replaces what looks like a secret by a mask, on the same line and without changing the number of
 * lines: `ghp_‹masked 1a2b3c›`. The same secret gets the same mask in every text.
 */
export function maskSecrets(text: string): MaskedText {
  const found = [...secretShapes.flatMap((one) => secretsOf(text, one)), ...keyBlocks(text)];
  const literal = new Set(masksIn(text));
  const secrets = new Map<string, MaskedSecret>();
  let isAmbiguous = false;
  const parts: string[] = [];
  let position = 0;
  for (const { start, end, kept, id } of found.toSorted((one, other) => one.start - other.start)) {
    if (end <= position) continue;
    const from = Math.max(start, position);
    const one = { secret: text.slice(from, end), kept: from === start ? kept : '' };
    const other = secrets.get(id) ?? one;
    isAmbiguous ||= other.secret !== one.secret || other.kept !== one.kept;
    isAmbiguous ||= literal.has(maskOf(id));
    secrets.set(id, one);
    parts.push(text.slice(position, from), one.kept, maskOf(id));
    position = end;
  }
  const masked = parts.join('') + text.slice(position);
  return { text: masked, count: parts.length / 3, secrets, isAmbiguous };
}

function maskOf(id: string): string {
  return `‹masked ${id}›`;
}

const anyMask = /‹masked ([0-9a-f]{6}(?:\.\d{1,4})?)›/g;

/** The masks in a text. */
export function masksIn(text: string): readonly string[] {
  return text.includes('‹masked ') ? (text.match(anyMask) ?? []) : [];
}

/** Stands for a secret in a text that is searched: nobody searches for this character. */
export const secretStandIn = '\u{10ffff}';

/** A line of a diff that is a whole line of base64, as long as keys have them. */
const wholeKeyLine =
  /^[+\- ]?[\s"'`]{0,20}([A-Za-z0-9+/]{64}(?:[A-Za-z0-9+/]{12})?)(?:\\[rn]){0,2}["'`,;)\s+\\]{0,8}$/;

/**
 * Masks a diff, in which the first line of a private key may be missing: also whole lines that look
 * like those of one, and the shorter line after them.
 */
export function maskDiff(diff: string): string {
  const { text } = maskSecrets(diff);
  let isInside = false;
  return text
    .split('\n')
    .map((line) => {
      const [, run] = wholeKeyLine.exec(line) ?? [];
      const isLast = isInside && looksLikeKeyLine(line.slice(1));
      isInside = run !== undefined && /[a-z]/.test(run) && /[A-Z]/.test(run) && /\d/.test(run);
      return isInside || isLast ? line.replace(/[A-Za-z0-9+/=]{4,}/, mask) : line;
    })
    .join('\n');
}

function mask(secret: string): string {
  return maskOf(hashOf(secret));
}

/** A masked text with one character in the place of each mask, for searching. */
export function withStandIns(masked: string): string {
  return masked.includes('‹masked ') ? masked.replace(anyMask, secretStandIn) : masked;
}

/** Each line of a text up to where its first secret begins. */
export function linesBeforeSecrets(lines: readonly string[]): readonly string[] {
  const masked = maskSecrets(lines.join('\n')).text.split('\n');
  return lines.map((line, index) => {
    const shown = masked[index] ?? '';
    if (shown === line) return line;
    let end = 0;
    while (end < line.length && line[end] === shown[end]) end++;
    return line.slice(0, end);
  });
}

/** Puts secrets back in the place of their masks. */
export function unmaskSecrets(text: string, { secrets }: Pick<MaskedText, 'secrets'>): string {
  const parts: string[] = [];
  let position = 0;
  for (const { 0: mask, 1: id = '', index } of text.matchAll(anyMask)) {
    const before = text.slice(position, index);
    const known = secrets.get(id);
    const isWhole = known !== undefined && before.endsWith(known.kept);
    parts.push(isWhole ? before.slice(0, before.length - known.kept.length) : before);
    parts.push(isWhole ? known.secret : mask);
    position = index + mask.length;
  }
  return parts.join('') + text.slice(position);
}

function secretsOf(text: string, { literals, pattern, isSecret }: SecretShape): readonly Secret[] {
  if (!literals.some((literal) => text.includes(literal))) return [];
  return [...text.matchAll(pattern)].flatMap(({ 0: secret, 1: kept = '', index }) =>
    isSecret?.(secret) === false
      ? []
      : [{ start: index, end: index + secret.length, kept, id: hashOf(secret) }],
  );
}

/** The longest private key, in characters, with what may stand before each of its lines. */
const maxKeyLength = 30_000;

/** The lines of private keys between their first and last line, or to where they are cut off. */
function keyBlocks(text: string): readonly Secret[] {
  if (!/PRIVATE KEY|Private-Lines/.test(text)) return [];
  const heads = [...text.matchAll(keyHead)];
  return heads.flatMap(({ 0: head, index }, key) => {
    const start = index + head.length;
    const next = heads[key + 1]?.index ?? text.length;
    const rest = text.slice(start, Math.min(next, start + maxKeyLength));
    const end = rest.search(keyEnd);
    const runs = runsOf(rest.slice(0, end < 0 ? lengthOfCutKey(rest) : end));
    const id = hashOf(runs.map(({ secret }) => secret).join(''));
    return runs.map(({ secret, offset }, line) => ({
      start: start + offset,
      end: start + offset + secret.length,
      kept: '',
      id: `${id}.${line + 1}`,
    }));
  });
}

/** What tools write before the lines of a file: numbers, and the sign of a diff. */
const lineNumber = /^\s{0,8}\d{1,7}[\t:-]/;

interface Run {
  readonly secret: string;
  readonly offset: number;
}

/** The base64 of a key. */
function runsOf(body: string): readonly Run[] {
  const runs: Run[] = [];
  let offset = 0;
  for (const line of body.split('\n')) {
    const number = lineNumber.exec(line)?.[0].length ?? 0;
    for (const { 0: secret, index } of line.slice(number).matchAll(/[A-Za-z0-9+/=]{4,}/g)) {
      runs.push({ secret, offset: offset + number + index });
    }
    offset += line.length + 1;
  }
  return runs;
}

/** Where the end of a key is missing, it goes on as long as its lines look like a part of one. */
function lengthOfCutKey(rest: string): number {
  let length = 0;
  for (const [index, line] of rest.split('\n').entries()) {
    const goesOn = index === 0 || isBlankOrHeader(line) || looksLikeKeyLine(line);
    if (!goesOn) return length - 1;
    length += line.length + 1;
  }
  return rest.length;
}

function isBlankOrHeader(line: string): boolean {
  return /^\s*$|^\s{0,8}(?:Proc-Type|DEK-Info|Comment|Version):/.test(line.replace(lineNumber, ''));
}

/** Whether a line may be one of a private key in base64, also inside a string of source code. */
export function looksLikeKeyLine(line: string): boolean {
  const [, run = ''] = keyLine.exec(line.replace(lineNumber, '').trim()) ?? [];
  return /[A-Z0-9+/=]/.test(run);
}

const keyLine = /^["'`|>]{0,8}([A-Za-z0-9+/=]{4,})(?:\\[rn]){0,2}["'`,;)\s+\\]{0,8}$/;

/** 24 bits: enough to tell the secrets of a file apart, and too few to find one by them. */
function hashOf(text: string): string {
  let hash = 0x81_1c_9d_c5;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01_00_01_93);
  }
  return ((hash ^ (hash >>> 24)) & 0xff_ff_ff).toString(16).padStart(6, '0');
}
