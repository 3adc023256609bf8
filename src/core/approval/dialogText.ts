import { isObject, parseJson } from '../support/json.ts';
import { visibleText } from '../support/text.ts';

/** A text within these limits is shown in full; otherwise its first lines are (threats: T28). */
const maxLines = 12;
const maxCharacters = 800;

/** Number of lines of a longer text that are shown, and of characters in these lines. */
const firstOf = { lines: 6, characters: 600 };

/** The part of a text that a dialog shows. */
export interface DialogText {
  readonly text: string;
  /** False if these are only the first lines, so that the full text must be shown elsewhere. */
  readonly whole: boolean;
  readonly lines: number;
  readonly characters: number;
}

/** The text as a dialog shows it. */
export function dialogText(text: string): DialogText {
  const visible = visibleText(text);
  const lines = visible.split('\n');
  const whole = lines.length <= maxLines && visible.length <= maxCharacters;
  const sizes = { lines: lines.length, characters: visible.length };
  return { text: whole ? visible : firstLines(lines), whole, ...sizes };
}

function firstLines(lines: readonly string[]): string {
  const first = lines.slice(0, firstOf.lines);
  const longest = firstOf.characters / first.length;
  const shortened = first.map((line) =>
    line.length > longest ? line.slice(0, longest) + '…' : line,
  );
  return (lines.length === 1 ? shortened : [...shortened, '…']).join('\n');
}

/**
 * A change of a file as one block of lines marked `-` and `+`, from the first to the last
 * difference. Changed scripts of a `package.json` come first, since they run: automatic ones before
 * the others, then the number of those that are only shown in the block.
 *
 * @param moreScripts text with the number of further scripts
 */
export function renderFullChange(
  path: string,
  before: string,
  after: string,
  moreScripts: (count: number) => string = (count) => `+ ${count}`,
): string {
  const isPackage = /(^|\/)package\.json$/i.test(path);
  const scripts = isPackage ? firstScripts(changedScripts(before, after), moreScripts) : [];
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

/** Lines without their line ends, unless the change mixes several kinds. */
function linesOf(text: string, isWindows: boolean): readonly string[] {
  return text === '' ? [] : text.split(isWindows ? '\r\n' : '\n');
}

/** The first scripts, no more than the lines shown of a long text, and the number of the others. */
function firstScripts(
  scripts: readonly string[],
  moreScripts: (count: number) => string,
): readonly string[] {
  if (scripts.length <= firstOf.lines) return scripts;
  const first = scripts.slice(0, firstOf.lines - 1);
  return [...first, `! ${moreScripts(scripts.length - first.length)}`];
}

/** Scripts that package managers run automatically: on installing, then on publishing. */
const lifeCycle =
  'pnpm:devPreinstall preinstall install postinstall preprepare prepare postprepare prepublish dependencies prepublishOnly prepack pack postpack publish postpublish preversion version postversion preuninstall uninstall postuninstall'.split(
    ' ',
  );

/** Pre- and post-scripts run with the script they are named after. */
function rankOf(name: string): number {
  const index = lifeCycle.indexOf(name);
  if (index >= 0) return index;
  return lifeCycle.length + (/^(?:pre|post)/.test(name) ? 0 : 1);
}

function changedScripts(before: string, after: string): readonly string[] {
  const old = scriptsOf(before);
  return Object.entries(scriptsOf(after))
    .filter(([name, script]) => old[name] !== script)
    .toSorted(([name], [other]) => rankOf(name) - rankOf(other))
    .map(([name, script]) => `! ${name}: ${JSON.stringify(script)}`);
}

function scriptsOf(text: string): Readonly<Record<string, unknown>> {
  // Package managers ignore a byte order mark.
  const value = parseJson(text.replace(/^\u{feff}/u, ''));
  return isObject(value) && isObject(value['scripts']) ? value['scripts'] : {};
}
