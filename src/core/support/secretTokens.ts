import { fnvHash } from './text.ts';
import { secretShapes, type SecretShape } from './secretShapes.ts';

/** A secret in a text, and its prefix that stays visible. */
interface Secret {
  readonly start: number;
  readonly end: number;
  readonly visiblePrefix: string;
  readonly id: string;
}

/** The first line of a private key. */
const keyHead =
  /-----BEGIN (?:[A-Z\d]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----|\bPrivate-Lines: {0,3}\d{1,4}/g;
/** The line after a private key; the second form is PuTTY's. */
const keyEnd = /-----END |\bPrivate-MAC:/;

/** The name of a well-known kind of secret that the text seems to contain. */
export function findSecretToken(text: string): string | undefined {
  if (text.search(keyHead) >= 0) return 'private key';
  return secretShapes.find((shape) => secretsOf(text, shape).length > 0)?.kind;
}

/** A text whose secrets were replaced by masks. */
export interface MaskedText {
  readonly text: string;
  readonly secrets: ReadonlyMap<string, MaskedSecret>;
  /** True if a mask may stand for several secrets, so that none can be restored. */
  readonly isAmbiguous: boolean;
}

/** A secret, and its prefix that stays visible before the mask. */
interface MaskedSecret {
  readonly secret: string;
  readonly visiblePrefix: string;
}

/**
 * Replaces text that looks like a secret with a mask, on the same line and without changing the
 * number of lines: `ghp_‹masked 1a2b3c›`. Equal secrets get equal masks in every text.
 */
export function maskSecrets(text: string): MaskedText {
  const tokens = secretShapes.flatMap((shape) => secretsOf(text, shape));
  const matches = [...tokens, ...keyBlocks(text)];
  const inOrder = matches.toSorted((first, second) => first.start - second.start);
  const literal = new Set(masksIn(text));
  const secrets = new Map<string, MaskedSecret>();
  let isAmbiguous = false;
  const parts: string[] = [];
  let position = 0;
  for (const { start, end, visiblePrefix: prefix, id } of inOrder) {
    if (end <= position) continue;
    const from = Math.max(start, position);
    const entry = { secret: text.slice(from, end), visiblePrefix: from === start ? prefix : '' };
    const other = secrets.get(id) ?? entry;
    isAmbiguous ||= other.secret !== entry.secret || other.visiblePrefix !== entry.visiblePrefix;
    isAmbiguous ||= literal.has(maskOf(id));
    secrets.set(id, entry);
    parts.push(text.slice(position, from), entry.visiblePrefix, maskOf(id));
    position = end;
  }
  const masked = parts.join('') + text.slice(position);
  return { text: masked, secrets, isAmbiguous };
}

function maskOf(id: string): string {
  return `‹masked ${id}›`;
}

const anyMask = /‹masked ([0-9a-f]{6}(?:\.\d{1,4})?)›/g;

/** The masks in a text. */
export function masksIn(text: string): readonly string[] {
  return text.includes('‹masked ') ? (text.match(anyMask) ?? []) : [];
}

/** Represents a secret in a searched text; nobody searches for this character. */
export const secretStandIn = '\u{10ffff}';

/** A line of a diff that is a whole line of base64, as long as those of keys. */
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

/** A masked text with one character instead of each mask, for searching. */
export function withStandIns(masked: string): string {
  return masked.includes('‹masked ') ? masked.replace(anyMask, secretStandIn) : masked;
}

/** Each line of a text up to the start of its first secret. */
export function linesBeforeSecrets(lines: readonly string[]): readonly string[] {
  const masked = maskSecrets(lines.join('\n')).text.split('\n');
  return lines.map((line, index) => {
    const maskedLine = masked[index] ?? '';
    if (maskedLine === line) return line;
    let end = 0;
    while (end < line.length && line[end] === maskedLine[end]) end++;
    return line.slice(0, end);
  });
}

/** Replaces masks with their secrets. */
export function unmaskSecrets(text: string, { secrets }: MaskedText): string {
  const parts: string[] = [];
  let position = 0;
  for (const { 0: mask, 1: id = '', index } of text.matchAll(anyMask)) {
    const before = text.slice(position, index);
    const known = secrets.get(id);
    const isWhole = known !== undefined && before.endsWith(known.visiblePrefix);
    parts.push(isWhole ? before.slice(0, before.length - known.visiblePrefix.length) : before);
    parts.push(isWhole ? known.secret : mask);
    position = index + mask.length;
  }
  return parts.join('') + text.slice(position);
}

function secretsOf(text: string, { literals, pattern, isSecret }: SecretShape): readonly Secret[] {
  if (!literals.some((literal) => text.includes(literal))) return [];
  return [...text.matchAll(pattern)].flatMap(({ 0: secret, 1: prefix = '', index }) =>
    isSecret?.(secret) === false
      ? []
      : [{ start: index, end: index + secret.length, visiblePrefix: prefix, id: hashOf(secret) }],
  );
}

/** Length of the longest private key, in characters, including line prefixes. */
const maxKeyLength = 30_000;

/** The lines of private keys between their first and last line, or up to the end of a cut key. */
function keyBlocks(text: string): readonly Secret[] {
  if (!/PRIVATE KEY|Private-Lines/.test(text)) return [];
  const heads = [...text.matchAll(keyHead)];
  return heads.flatMap(({ 0: head, index }, key) => {
    const start = index + head.length;
    const next = heads[key + 1]?.index ?? text.length;
    const body = text.slice(start, Math.min(next, start + maxKeyLength));
    const end = body.search(keyEnd);
    const runs = runsOf(body.slice(0, end < 0 ? lengthOfCutKey(body) : end));
    const id = hashOf(runs.map(({ secret }) => secret).join(''));
    return runs.map(({ secret, offset }, line) => ({
      start: start + offset,
      end: start + offset + secret.length,
      visiblePrefix: '',
      id: `${id}.${line + 1}`,
    }));
  });
}

/** Prefix that tools write before the lines of a file: a number, and the sign of a diff. */
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

/** A key without an end continues as long as its lines look like parts of one. */
function lengthOfCutKey(body: string): number {
  let length = 0;
  for (const [index, line] of body.split('\n').entries()) {
    const goesOn = index === 0 || isBlankOrHeader(line) || looksLikeKeyLine(line);
    if (!goesOn) return length - 1;
    length += line.length + 1;
  }
  return body.length;
}

function isBlankOrHeader(line: string): boolean {
  return /^\s*$|^\s{0,8}(?:Proc-Type|DEK-Info|Comment|Version):/.test(line.replace(lineNumber, ''));
}

/** True if a line may be one of a private key in base64, also inside a string of source code. */
export function looksLikeKeyLine(line: string): boolean {
  const [, run = ''] = keyLine.exec(line.replace(lineNumber, '').trim()) ?? [];
  return /[A-Z0-9+/=]/.test(run);
}

const keyLine = /^["'`|>]{0,8}([A-Za-z0-9+/=]{4,})(?:\\[rn]){0,2}["'`,;)\s+\\]{0,8}$/;

/** 24 bits: enough to distinguish the secrets of a file, too few to recover one from its hash. */
function hashOf(text: string): string {
  const hash = fnvHash(text);
  return ((hash ^ (hash >>> 24)) & 0xff_ff_ff).toString(16).padStart(6, '0');
}
