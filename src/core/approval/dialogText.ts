import { isObject, parseJson } from '../support/json.ts';

/**
 * Limits up to which a dialog shows a complete text; of a longer one it shows the first lines
 * (threats: T28).
 */
const maxLines = 12;
const maxCharacters = 800;

/** A text as a dialog shows it. */
export interface DialogText {
  readonly text: string;
  /** False if only the first lines are included, and the whole text must be shown elsewhere. */
  readonly whole: boolean;
  /** Number of lines of the whole text; `characters` is of the whole text too. */
  readonly lines: number;
  readonly characters: number;
}

/**
 * Control characters except the line feed, format, blank, private-use and unassigned characters,
 * and spaces except the plain one.
 */
const hidden =
  /[^\P{C}\n]|[^\P{Z} ]|[\p{Default_Ignorable_Code_Point}\u{2800}\u{16fe4}\u{1d159}]|(?<=^|\n)\p{M}|(?<=\p{M}{3})\p{M}/gu;

/** Letters and digits, which in other scripts can look like Latin ones. */
const lookalike = /[\p{L}\p{N}]/gu;

/**
 * Escapes as `\u{…}` everything that a person could not see or could mistake: hidden characters,
 * and letters of other scripts inside a word with Latin ones.
 */
export function visibleText(text: string): string {
  const words = text.replace(/[\p{L}\p{M}\p{N}]+/gu, (word) =>
    /[A-Za-z]/.test(word) ? word.replace(lookalike, escapeOtherScripts) : word,
  );
  return words.replace(hidden, escape);
}

function escapeOtherScripts(character: string): string {
  return /[\p{Script=Latin}0-9]/u.test(character) && character.normalize('NFKC') === character
    ? character
    : escape(character);
}

function escape(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}

/** Prepares a text for a dialog. */
export function dialogText(text: string): DialogText {
  const shown = visibleText(text);
  const lines = shown.split('\n');
  const whole = lines.length <= maxLines && shown.length <= maxCharacters;
  const sizes = { lines: lines.length, characters: shown.length };
  return { text: whole ? shown : firstLines(lines), whole, ...sizes };
}

/** Limits of the excerpt of a text that is too long: lines, and characters in them. */
const firstOf = { lines: 6, characters: 600 };

function firstLines(lines: readonly string[]): string {
  const first = lines.slice(0, firstOf.lines);
  const longest = firstOf.characters / first.length;
  const shown = first.map((line) => (line.length > longest ? line.slice(0, longest) + '…' : line));
  return (lines.length === 1 ? shown : [...shown, '…']).join('\n');
}

/**
 * A complete file change as lines prefixed with `-` and `+`: everything from the first to the last
 * line that differs. For a `package.json`, changed scripts come first, since they run code.
 */
export function renderFullChange(path: string, before: string, after: string): string {
  const scripts = /(^|\/)package\.json$/i.test(path) ? changedScripts(before, after) : [];
  const isWindows = [before, after].every((text) => !/(?<!\r)\n/.test(text));
  const old = linesOf(before, isWindows);
  const now = linesOf(after, isWindows);
  const start = old.findIndex((line, index) => line !== now[index]);
  const same = start < 0 ? old.length : start;
  let end = 0;
  const most = Math.min(old.length, now.length) - same;
  while (end < most && old.at(-1 - end) === now.at(-1 - end)) end++;
  return [
    ...scripts,
    ...old.slice(same, old.length - end).map((line) => `- ${line}`),
    ...now.slice(same, now.length - end).map((line) => `+ ${line}`),
  ].join('\n');
}

/** Line endings are not part of the lines unless they change. */
function linesOf(text: string, isWindows: boolean): readonly string[] {
  return text === '' ? [] : text.split(isWindows ? '\r\n' : '\n');
}

function changedScripts(before: string, after: string): readonly string[] {
  const old = scriptsOf(before);
  return Object.entries(scriptsOf(after))
    .filter(([name, script]) => old[name] !== script)
    .map(([name, script]) => `! ${name}: ${JSON.stringify(script)}`);
}

function scriptsOf(text: string): Readonly<Record<string, unknown>> {
  const value = parseJson(text);
  return isObject(value) && isObject(value['scripts']) ? value['scripts'] : {};
}
