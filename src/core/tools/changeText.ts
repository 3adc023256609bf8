import { isObject, parseJson } from '../support/json.ts';

/**
 * A change of a file as lines with `-` and `+` in front, whole: all that differs lies between the
 * first and the last line of it. Of a `package.json` the scripts come first, since they run.
 */
export function changeText(path: string, before: string, after: string): string {
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

/** Line ends are no part of the lines, unless they change. */
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
