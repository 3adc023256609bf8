import * as z from 'zod/mini';
import { fencedCode } from '../core/support/text.ts';
import {
  explain,
  followTask,
  onlySample,
  parseMessage,
  replyToCodeRequest,
  replyToMessage,
  starterMessages,
  type EndedCall,
} from './demo/chat.ts';
import { withoutFaultCommands } from './faults.ts';
import type { LocalModel } from './models.ts';
import { imagesOf, type ParsedRequest, type RequestMessage, type RequestTool } from './request.ts';
import type { ScriptedReply } from './completionsEndpoint.ts';
import { parseJson } from '../core/support/json.ts';

/** Returns the starter of an empty chat whose message this is, by its id. */
export type StarterOf = (message: string) => string | undefined;

const continueMessage = 'Continue exactly where you stopped.';

/** A message that contains it triggers the safety filter. */
const blockedWord = 'blocked-word';

const thinking =
  'The user sent me a message. I look for the section of my script that fits, check whether code is attached, and reply in a few clear sentences.';

/** The scripted reply of a model; depends only on the request. */
export function replyTo(
  request: ParsedRequest,
  model: LocalModel,
  starterOf: StarterOf,
): ScriptedReply {
  const reply = scripted(request, starterOf);
  // A continued reply had its reasoning before.
  if (model.thinking === 'none' || asksToContinue(request)) return reply;
  if (model.thinking === 'field') return { ...reply, reasoning: thinking };
  return { ...reply, content: `<think>\n${thinking}\n</think>\n\n${reply.content}` };
}

function asksToContinue({ messages }: ParsedRequest): boolean {
  const last = messages.at(-1);
  return last?.role === 'user' && last.content.trim() === continueMessage;
}

/** Characters of a message in which topics and tools are looked for. */
const maxQuestion = 4000;

function scripted(request: ParsedRequest, starterOf: StarterOf): ScriptedReply {
  if (asksToContinue(request)) return continuation(request, starterOf);
  const { messages } = request;
  const start = messages.findLastIndex(({ role }) => role === 'user');
  const content = withoutFaultCommands(messages[start]?.content ?? '');
  if (content.includes(blockedWord))
    return { content: 'This reply began, and then the safety filter ', filtered: true };
  const codeReply = replyToCodeRequest(messages);
  if (codeReply !== undefined) return { content: codeReply };
  const { words, blocks } = parseMessage(content);
  const starter = starterMessages[starterOf(words) ?? ''];
  const question =
    starter?.replace('{path}', findPaths(words)[0] ?? '') ?? words.slice(0, maxQuestion);
  const explanation = explain(blocks);
  const reply = blocks.length > 0 ? (explanation ?? onlySample) : replyToWords(question);
  if (request.response_format?.type === 'json_object')
    return { content: JSON.stringify({ message: question, reply, demo: true }, null, 2) };
  const calls = endedCalls(messages.slice(start + 1));
  const isCallRequired = request.tool_choice === 'required';
  if (!isCallRequired && (blocks.length === 0 || explanation !== undefined)) {
    const tools = (request.tools ?? []).map((tool) => tool.function.name);
    const step = followTask(question, findPaths(question)[0], tools, calls);
    if (step !== undefined) return step;
  }
  if (messages.at(-1)?.role === 'tool') {
    const lastRound = messages.findLastIndex(({ role }) => role === 'assistant');
    const results = endedCalls(messages.slice(lastRound));
    const texts = results.map((call) => ({ title: call.arguments, text: call.result }));
    const explained = /\bexplain\b/i.test(question) ? explain(texts) : undefined;
    return { content: explained ?? describeResults(results) };
  }
  const toolCalls = requestedCalls(request.tools ?? [], question, isCallRequired);
  if (toolCalls.length > 0) {
    const names = [...new Set(toolCalls.map(({ name }) => `\`${name}\``))];
    return { content: `I’ll use ${names.join(' and ')} for that.`, toolCalls };
  }
  const last = messages.at(-1);
  const images = last === undefined ? [] : imagesOf([last]);
  if (images.length === 0) return { content: reply };
  // Format and size are the only properties that are read.
  const sizes = images.map(({ type, width, height }) => {
    const format = type.slice('image/'.length).toUpperCase();
    return `- ${format}, ${width} × ${height} pixels`;
  });
  const count = images.length === 1 ? '1 image' : `${images.length} images`;
  return { content: `I see ${count}:\n\n${sizes.join('\n')}` };
}

/** The rest of a reply, whose beginning is the previous assistant message. */
function continuation(request: ParsedRequest, starterOf: StarterOf): ScriptedReply {
  const { messages } = request;
  const before = messages.at(-2);
  if (before?.role !== 'assistant') return { content: 'There’s nothing to continue yet.' };
  const reply = scripted({ ...request, messages: messages.slice(0, -2) }, starterOf);
  const beginning = before.content.replace(/^<think>[^]*?(?:<\/think>\s*|$)/, '');
  if (!reply.content.startsWith(beginning)) return { content: 'There’s nothing left to add.' };
  return { ...reply, content: reply.content.slice(beginning.length) };
}

/** The calls of messages, with their results. */
function endedCalls(messages: readonly RequestMessage[]): readonly EndedCall[] {
  const calls = messages.flatMap((message) =>
    message.role === 'assistant' ? (message.tool_calls ?? []) : [],
  );
  return messages.flatMap((message) => {
    if (message.role !== 'tool') return [];
    const call = calls.find(({ id }) => id === message.tool_call_id)?.function;
    const { name, arguments: json } = call ?? { name: 'tool', arguments: '' };
    return [{ name, arguments: json, result: message.content }];
  });
}

function replyToWords(question: string): string {
  const words = /(?<!\d)([1-9]\d{0,4}) words\b/.exec(question)?.[1];
  if (words !== undefined) return longText(Math.min(20_000, Number(words)));
  return /\bmarkdown\b/i.test(question) ? markdown : replyToMessage(question);
}

const markdown = `# Markdown in a reply

A paragraph with **bold**, *italic*, ~~struck~~ and \`inline code\`, and a [link](https://example.com/).

${fencedCode('def greet(name: str) -> str:\n    return f"Hello, {name}!"', 'python')}

${fencedCode('- const answer = 41;\n+ const answer = 42;', 'diff')}

1. Run the failing test alone.
2. Read the whole message:
   - what was expected,
   - what happened instead.

| Temperature | Behavior | Good for |
|:--|:--|:--|
| 0 to 0.3 | precise, reproducible | extraction, facts |
| 0.7 to 1.0 | balanced | conversation |

> A quotation, which can
> span several lines.`;

const sentences = `A long reply is a good way to see whether a panel keeps up.
The text arrives in small pieces, and each piece is added at the end.
You can scroll up while it grows, and the text stays where you are reading.
If you have seen enough, press Stop, and the text so far is kept.
A reply that ends early can be continued right where it stopped.`.split(/\s/);

/** Sections of about 120 words; a heading counts as two. */
function longText(words: number): string {
  const sections = Array.from({ length: Math.ceil(words / 120) }, (_, section) => {
    const length = Math.max(1, Math.min(words - section * 120, 120) - 2);
    const text = Array.from(
      { length },
      (_word, at) => sentences[(section * 9 + at) % sentences.length],
    );
    return `## Part ${section + 1}\n\n${text.join(' ')}`;
  });
  return sections.join('\n\n');
}

const maxShownLines = 12;

interface RequestedCall {
  readonly name: string;
  readonly arguments: string;
}

/** The calls of each tool that a message names, or of any if one is required: one for each path. */
function requestedCalls(
  tools: readonly RequestTool[],
  question: string,
  isRequired: boolean,
): readonly RequestedCall[] {
  const words = question.match(/[\w-]+/g);
  const named = tools.filter((tool) => words?.includes(tool.function.name));
  const demanded = named.length === 0 && isRequired ? tools.slice(0, 1) : named;
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
function findPaths(question: string): readonly string[] {
  const matches = question.match(path) ?? [];
  return [...new Set(matches.map((match) => match.replace(/\.$/, '')))];
}

/** A reply that describes the results, with the first lines of each. */
function describeResults(
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
