import * as z from 'zod/mini';
import { parseJson } from '../core/support/json.ts';
import type { ParsedRequest, RequestTool } from './request.ts';
import type { ScriptedReply } from './scriptedReply.ts';

interface RequestedCall {
  readonly name: string;
  /** JSON. */
  readonly arguments: string;
}

/** `auto` where the model decides; otherwise whether, or which tool, it has to call. */
type ToolChoice = 'auto' | 'none' | 'required' | { readonly name: string };

export function toToolChoice(choice: ParsedRequest['tool_choice']): ToolChoice {
  if (choice === null || choice === undefined) return 'auto';
  return typeof choice === 'string' ? choice : choice.function;
}

/**
 * The calls that a question asks for: of every tool that it names, else of the one whose verb it
 * uses with its noun, a path or something in quotes ("read src/app.ts", "list the files"). Several
 * paths make several calls.
 */
export function requestedCalls(
  tools: readonly RequestTool[],
  question: string,
  choice: ToolChoice,
): readonly RequestedCall[] {
  if (choice === 'none') return [];
  const asked = toolsAsked(tools, question, choice);
  return asked.flatMap((tool) => callsOf(tool, question));
}

function toolsAsked(
  tools: readonly RequestTool[],
  question: string,
  choice: ToolChoice,
): readonly RequestTool[] {
  if (typeof choice === 'object') return tools.filter((tool) => tool.function.name === choice.name);
  const words = new Set(question.toLowerCase().match(/[\w-]+/g) ?? []);
  const named = tools.filter((tool) => words.has(tool.function.name.toLowerCase()));
  if (named.length > 0) return named;
  const meant = bestMeant(tools, question, words);
  if (meant !== undefined) return [meant];
  return choice === 'required' ? tools.slice(0, 1) : [];
}

function bestMeant(
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

/** In singular or plural. */
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

const shownLines = 12;

/** What the results were, in words, with the beginning of each. */
export function answerToolResults(
  results: readonly { name: string; text: string }[],
): ScriptedReply {
  const parts = results.map(({ name, text }) => {
    if (text.trim() === '') return `\`${name}\` returned nothing.`;
    const lines = text.split('\n');
    const marks = text.includes('```') ? '````' : '```';
    const shown = lines.slice(0, shownLines).join('\n').slice(0, 2000);
    const more = lines.length > shownLines ? `\n\nMore lines: ${lines.length - shownLines}` : '';
    return `\`${name}\` returned ${lines.length} ${lines.length === 1 ? 'line' : 'lines'}:\n\n${marks}\n${shown}\n${marks}${more}`;
  });
  return { content: parts.join('\n\n') };
}

/** What is used of the schema of a tool's parameters. What it holds else, or wrongly, is let be. */
const withProperties = z.object({ properties: z.record(z.string(), z.unknown()) });
const withRequired = z.object({ required: z.array(z.string()) });
const withType = z.object({ type: z.string() });
const withEnum = z.object({ enum: z.array(z.unknown()) });

const path = /(?:[\w@.-]+\/)+[\w@.-]*|[\w-]+\.[a-z][a-z0-9]{0,5}\b/gi;

/** What looks like a path of a file or folder, each once. */
function findPaths(question: string): readonly string[] {
  const found = question.match(path) ?? [];
  return [...new Set(found.map((one) => one.replace(/\.$/, '')))];
}

/**
 * Arguments for a call, as JSON: the object that stands in the question if there is one, else one
 * value for each required parameter, and for a `path` when the question has one, found by its type.
 */
function argumentsFor(tool: RequestTool, question: string, path: string | undefined): string {
  const given = objectIn(question);
  if (given !== undefined) return given;
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
