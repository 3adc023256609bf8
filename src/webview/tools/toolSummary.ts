import * as l10n from '@vscode/l10n';
import type { ToolCallPart } from '../../core/conversation/conversation.ts';
import { counted } from '../../core/support/counted.ts';
import { isObject, parseJson } from '../../core/support/json.ts';
import { oneLine } from '../../core/support/text.ts';

/**
 * Several calls in one line: `Read 5 files · 2 searches`. A single call of a kind has its title.
 */
export function toolSummary(calls: readonly ToolCallPart[], language = ''): string {
  const kinds = new Map<string, ToolCallPart[]>();
  for (const call of calls) {
    const kind = call.summary?.many ?? `other: ${call.name}`;
    kinds.set(kind, [...(kinds.get(kind) ?? []), call]);
  }
  return [...kinds.values()].map((kind) => wordsOf(kind, language)).join(' · ');
}

function wordsOf(calls: readonly ToolCallPart[], language: string): string {
  const [first] = calls;
  if (first === undefined) return '';
  if (calls.length === 1) return toolTitle(first);
  const { name, summary } = first;
  if (summary === undefined)
    return counted(l10n.t('{0} ({1} times)'), calls.length, language, name, calls.length);
  const { many, distinct } = summary;
  if (distinct === undefined) return counted(many, calls.length, language);
  const things = new Set(calls.map((call) => valueOf(call, distinct.argument))).size;
  return things === 1 ? distinct.one : counted(many, things, language);
}

/** The counted argument of a call; the call's id if it has none. */
function valueOf({ id, arguments: text }: ToolCallPart, argument: string): unknown {
  const args = parseJson(text);
  const value = isObject(args) ? args[argument] : undefined;
  return typeof value === 'string' ? value : { id };
}

/** One line about a call; the tool's name if its arguments could not be parsed. */
export function toolTitle({ name, title = name }: ToolCallPart): string {
  return oneLine(title, Infinity);
}

/** The codicon of calls of one tool, or of tools in general. */
export function toolIcon(calls: readonly ToolCallPart[]): string {
  const icons = new Set(calls.map(({ icon }) => icon));
  const [icon = 'tools'] = icons;
  return icons.size === 1 ? icon : 'tools';
}
