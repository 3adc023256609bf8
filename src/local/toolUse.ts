import * as z from 'zod/mini';
import { parseJson } from '../core/support/json.ts';
import type { ParsedRequest, RequestTool } from './request.ts';
import type { ScriptedReply } from './scriptedReply.ts';

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

/**
 * The calls that a message requests: of every tool that it names, otherwise of the tool whose verb
 * it contains together with its noun, a path or a quotation ("read src/app.ts", "list the files").
 * Several paths result in several calls.
 */
export function requestedCalls(
  tools: readonly RequestTool[],
  question: string,
  choice: ToolChoice,
): readonly RequestedCall[] {
  if (choice === 'none') return [];
  const requested = requestedTools(tools, question, choice);
  return requested.flatMap((tool) => callsOf(tool, question));
}

function requestedTools(
  tools: readonly RequestTool[],
  question: string,
  choice: ToolChoice,
): readonly RequestTool[] {
  if (typeof choice === 'object') return tools.filter((tool) => tool.function.name === choice.name);
  const words = new Set(question.toLowerCase().match(/[\w-]+/g) ?? []);
  const named = tools.filter((tool) => words.has(tool.function.name.toLowerCase()));
  if (named.length > 0) return named;
  const toolMatch = toolByVerb(tools, question, words);
  if (toolMatch !== undefined) return [toolMatch];
  return choice === 'required' ? tools.slice(0, 1) : [];
}

function toolByVerb(
  tools: readonly RequestTool[],
  question: string,
  words: ReadonlySet<string>,
): RequestTool | undefined {
  const verbs = tools.filter((tool) => words.has(partsOf(tool)[0] ?? ''));
  const withNoun = verbs.find((tool) =>
    partsOf(tool)
      .slice(1)
      .some((noun) => hasNoun(words, noun)),
  );
  const hasObject = findPaths(question).length > 0 || /["“`']\S/.test(question);
  return withNoun ?? (hasObject ? verbs[0] : undefined);
}

function partsOf(tool: RequestTool): readonly string[] {
  return tool.function.name.toLowerCase().split(/[_-]/);
}

/** True if the words contain a noun in singular or plural. */
function hasNoun(words: ReadonlySet<string>, noun: string): boolean {
  return words.has(noun) || words.has(`${noun}s`) || words.has(noun.replace(/s$/, ''));
}

function callsOf(tool: RequestTool, question: string): readonly RequestedCall[] {
  const { name } = tool.function;
  const paths = findPaths(question);
  const several = 'path' in propertiesOf(tool) && paths.length > 1 && !question.includes('{');
  const all = several ? paths : paths.slice(0, 1);
  const texts = all.length === 0 ? [undefined] : all;
  return texts.map((path) => ({ name, arguments: argumentsFor(tool, question, path) }));
}

function propertiesOf(tool: RequestTool): object {
  const properties = tool.function.parameters?.['properties'];
  return typeof properties === 'object' && properties !== null ? properties : {};
}

/** A reply that describes the results, with the first lines of each. */
export function answerToolResults(
  results: readonly { readonly name: string; readonly result: string }[],
): ScriptedReply {
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
  return { content: parts.join('\n\n') };
}

/**
 * The parts of a tool's parameter schema that are used. Everything else, even if invalid, is
 * ignored.
 */
const withProperties = z.object({ properties: z.record(z.string(), z.unknown()) });
const withRequired = z.object({ required: z.array(z.string()) });
const withType = z.object({ type: z.string() });
const withEnum = z.object({ enum: z.array(z.unknown()) });

const path = /(?<![\w@.-])(?:[\w@.-]+\/)+[\w@.-]*|(?<![\w-])[\w-]+\.[a-z][a-z0-9]{0,5}\b/gi;

/** Possible paths of files or folders, without duplicates. */
export function findPaths(question: string): readonly string[] {
  const matches = question.match(path) ?? [];
  return [...new Set(matches.map((match) => match.replace(/\.$/, '')))];
}

/**
 * The arguments of a call as JSON: the object in the message if there is one, otherwise a value by
 * type for each required parameter, and for `path` if the message contains one.
 */
function argumentsFor(tool: RequestTool, question: string, path: string | undefined): string {
  const args = objectIn(question);
  if (args !== undefined) return args;
  const schema = tool.function.parameters;
  const properties = withProperties.safeParse(schema).data?.properties ?? {};
  const required = withRequired.safeParse(schema).data?.required ?? [];
  const wanted = Object.entries(properties).filter(
    ([name]) => required.includes(name) || (name === 'path' && path !== undefined),
  );
  return JSON.stringify(
    Object.fromEntries(
      wanted.map(([name, property]) => [name, valueFor(name, property, question, path)]),
    ),
  );
}

function objectIn(question: string): string | undefined {
  const start = question.indexOf('{');
  const end = question.lastIndexOf('}');
  if (start < 0 || end < start) return undefined;
  const text = question.slice(start, end + 1);
  return parseJson(text) === undefined ? undefined : text;
}

function valueFor(
  name: string,
  schema: unknown,
  question: string,
  path: string | undefined,
): unknown {
  const choices = withEnum.safeParse(schema).data?.enum;
  if (choices !== undefined) return choices[0];
  switch (withType.safeParse(schema).data?.type) {
    case 'number':
    case 'integer':
      return Number(/\b\d{1,9}\b/.exec(question)?.[0] ?? 1);
    case 'boolean':
      return true;
    case 'array':
      return [textFor(name, question, path)];
    case 'object':
      return {};
    default:
      return textFor(name, question, path);
  }
}

function textFor(name: string, question: string, path: string | undefined): string {
  const quoted = /["“`']([^"”`'\n]{1,200})["”`']/.exec(question)?.[1];
  if (/path|file|folder/i.test(name)) return path ?? quoted ?? 'README.md';
  const lastWord = /([\w$.-]*[\w$])\W*$/.exec(question.slice(-200))?.[1];
  return quoted ?? path ?? lastWord ?? question;
}
