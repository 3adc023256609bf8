import * as z from 'zod/mini';
import { parseJson } from '../core/support/json.ts';
import type { ParsedRequest, RequestTool } from './request.ts';

const maxShownLines = 12;

interface RequestedCall {
  readonly name: string;
  readonly arguments: string;
}

/** `auto`: the model decides; `required`: it must call a tool; `name`: it must call this tool. */
type ToolChoice = 'auto' | 'none' | 'required' | { readonly name: string };

/** Normalizes `tool_choice` of a request. */
export function toToolChoice(choice: ParsedRequest['tool_choice']): ToolChoice {
  if (choice === null || choice === undefined) return 'auto';
  return typeof choice === 'string' ? choice : choice.function;
}

/** The calls of each tool that a message names, or that the request demands: one for each path. */
export function requestedCalls(
  tools: readonly RequestTool[],
  question: string,
  choice: ToolChoice,
): readonly RequestedCall[] {
  if (choice === 'none') return [];
  const words = typeof choice === 'object' ? [choice.name] : question.match(/[\w-]+/g);
  const named = tools.filter((tool) => words?.includes(tool.function.name));
  const demanded = named.length === 0 && choice === 'required' ? tools.slice(0, 1) : named;
  const [json] = /\{[^]*\}/.exec(question) ?? [];
  return demanded.flatMap(({ function: { name, parameters } }) => {
    if (json !== undefined && parseJson(json) !== undefined) return [{ name, arguments: json }];
    const paths = findPaths(question);
    return (paths.length === 0 ? [undefined] : paths).map((path) => ({
      name,
      arguments: JSON.stringify(argumentsOf(parameters, path)),
    }));
  });
}

const withProperties = z.object({ properties: z.record(z.string(), z.unknown()) });
const withRequired = z.object({ required: z.array(z.string()) });
const withType = z.object({ type: z.string() });

/**
 * A value by type for each required parameter, and for `path` if there is one. Everything else in a
 * schema is ignored, even if it is invalid.
 */
function argumentsOf(schema: unknown, path: string | undefined): object {
  const properties = withProperties.safeParse(schema).data?.properties ?? {};
  const required = withRequired.safeParse(schema).data?.required ?? [];
  const text = path ?? 'README.md';
  const values = new Map<string, unknown>([
    ['integer', 1],
    ['number', 1],
    ['boolean', true],
    ['array', [text]],
    ['object', {}],
  ]);
  const wanted = Object.entries(properties).flatMap(([name, property]) => {
    if (!required.includes(name) && (name !== 'path' || path === undefined)) return [];
    const type = withType.safeParse(property).data?.type ?? '';
    return [[name, values.get(type) ?? text] as const];
  });
  return Object.fromEntries(wanted);
}

const path = /(?<![\w@.-])(?:[\w@.-]+\/)+[\w@.-]*|(?<![\w-])[\w-]+\.[a-z][a-z0-9]{0,5}\b/gi;

/** Possible paths of files or folders, without duplicates. */
export function findPaths(question: string): readonly string[] {
  const matches = question.match(path) ?? [];
  return [...new Set(matches.map((match) => match.replace(/\.$/, '')))];
}

/** A reply that describes the results, with the first lines of each. */
export function describeResults(
  results: readonly { readonly name: string; readonly result: string }[],
): string {
  const parts = results.map(({ name, result }) => {
    if (result.trim() === '') return `\`${name}\` returned nothing.`;
    const lines = result.split('\n');
    const count = lines.length === 1 ? '1 line' : `${lines.length} lines`;
    const marks = result.includes('```') ? '````' : '```';
    const excerpt = lines.slice(0, maxShownLines).join('\n').slice(0, 2000);
    const hidden = lines.length - maxShownLines;
    const more = hidden > 0 ? `\n\nMore lines: ${hidden}` : '';
    return `\`${name}\` returned ${count}:\n\n${marks}\n${excerpt}\n${marks}${more}`;
  });
  return parts.join('\n\n');
}
