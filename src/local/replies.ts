import { replyToEdit } from './demo/edits.ts';
import { followFileTask, type EndedCall } from './demo/fileTask.ts';
import { parseMessage, readEditRequest } from './demo/requests.ts';
import { replyToCommit, replyToReview } from './demo/review.ts';
import { demoDisclaimer } from './demo/texts.ts';
import {
  describeImages,
  explainCode,
  explainResults,
  hasSample,
  topicReply,
} from './demo/topics.ts';
import { withoutFaultCommands } from './faults.ts';
import type { LocalModel } from './models.ts';
import { imagesOf, type ParsedRequest, type RequestMessage } from './request.ts';
import type { ScriptedReply } from './scriptedReply.ts';
import { answerToolResults, findPaths, requestedCalls, toToolChoice } from './toolUse.ts';

const continueMessage = 'Continue exactly where you stopped.';

/** A message that contains it triggers the safety filter. */
const blockedWord = 'blocked-word';

/** The scripted reply of a model; depends only on the request. */
export function replyTo(request: ParsedRequest, model: LocalModel): ScriptedReply {
  const reply = disclaimedOnce(scripted(request), request);
  // A continued reply had its reasoning before.
  return asksToContinue(request) ? reply : withReasoning(reply, model);
}

/** Adds a note once per chat that replies are scripted. */
function disclaimedOnce(reply: ScriptedReply, { messages }: ParsedRequest): ScriptedReply {
  const wasSaid = messages.some(
    ({ role, content }) => role === 'assistant' && content.includes(demoDisclaimer),
  );
  if (!wasSaid) return reply;
  return { ...reply, content: reply.content.replace(demoDisclaimer, '').trimEnd() };
}

function asksToContinue({ messages }: ParsedRequest): boolean {
  const last = messages.at(-1);
  return last?.role === 'user' && last.content.trim() === continueMessage;
}

/** Characters of a message in which topics and tools are looked for. */
const maxQuestion = 4000;

function scripted(request: ParsedRequest): ScriptedReply {
  const { messages } = request;
  const last = messages.at(-1);
  if (last?.role === 'tool') return fileTaskReply(request) ?? afterTools(request);
  if (asksToContinue(request)) return continuation(request);
  const content = last?.role === 'user' ? withoutFaultCommands(last.content) : '';
  if (content.includes(blockedWord))
    return { content: 'This reply began, and then the safety filter ', filtered: true };
  const edit = readEditRequest(messages);
  const text =
    edit === undefined ? (replyToReview(messages) ?? replyToCommit(messages)) : replyToEdit(edit);
  if (text !== undefined) return { content: text };
  const { words, blocks } = parseMessage(content);
  const question = words.slice(0, maxQuestion);
  const reply = blocks.length > 0 ? explainCode(blocks) : topicReply(question);
  if (request.response_format?.type === 'json_object')
    return { content: JSON.stringify({ message: question, reply, demo: true }, null, 2) };
  const toolChoice = toToolChoice(request.tool_choice);
  const task = toolChoice === 'auto' ? fileTaskReply(request) : undefined;
  if (task !== undefined) return task;
  const calls = requestedCalls(request.tools ?? [], question, toolChoice);
  if (calls.length > 0) return { content: announceCalls(calls), toolCalls: calls };
  const images = last === undefined ? [] : imagesOf([last]);
  return { content: images.length > 0 ? describeImages(images) : reply };
}

/**
 * The next step of a task on files; undefined if the last message asks for none, or is about other code
 * than the sample.
 */
function fileTaskReply({ messages, tools }: ParsedRequest): ScriptedReply | undefined {
  const start = lastUserIndex(messages);
  const question = questionAt(messages, start);
  const { blocks } = parseMessage(messages[start]?.content ?? '');
  if (blocks.length > 0 && !hasSample(blocks)) return undefined;
  return followFileTask({
    question,
    path: findPaths(question)[0],
    tools: (tools ?? []).map((tool) => tool.function.name),
    calls: endedCalls(messages.slice(start + 1)),
  });
}

function lastUserIndex(messages: readonly RequestMessage[]): number {
  return messages.findLastIndex(({ role }) => role === 'user');
}

function questionAt(messages: readonly RequestMessage[], index: number): string {
  return parseMessage(messages[index]?.content ?? '').words.slice(0, maxQuestion);
}

/** Complete or truncated reasoning. */
const taggedReasoning = /^<think>[^]*?(?:<\/think>\s*|$)/;

/** The rest of a reply, whose beginning is the previous assistant message. */
function continuation(request: ParsedRequest): ScriptedReply {
  const { messages } = request;
  const before = messages.at(-2);
  if (before?.role !== 'assistant') return { content: 'There’s nothing to continue yet.' };
  const fullReply = scripted({ ...request, messages: messages.slice(0, -2) });
  const beginning = before.content.replace(taggedReasoning, '');
  if (!fullReply.content.startsWith(beginning)) return { content: 'There’s nothing left to add.' };
  return { ...fullReply, content: fullReply.content.slice(beginning.length) };
}

/** Describes the results, or repeats the calls if the user requested several rounds. */
function afterTools(request: ParsedRequest): ScriptedReply {
  const { messages } = request;
  const start = lastUserIndex(messages);
  const rounds = messages.slice(start).filter(({ role }) => role === 'assistant').length;
  const question = questionAt(messages, start);
  const wanted = Number(/\b(\d{1,3}) times\b/.exec(question)?.[1] ?? 1);
  if (rounds < wanted) return scripted({ ...request, messages: messages.slice(0, start + 1) });
  const calls = endedCalls(messages.slice(messages.findLastIndex(isAssistant)));
  const explained = /\bexplain\b/i.test(question) ? explainResults(calls) : undefined;
  return explained === undefined ? answerToolResults(calls) : { content: explained };
}

function isAssistant({ role }: RequestMessage): boolean {
  return role === 'assistant';
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

function announceCalls(calls: readonly { readonly name: string }[]): string {
  const names = [...new Set(calls.map((call) => `\`${call.name}\``))];
  return `I’ll use ${names.join(' and ')} for that.`;
}

const reasoningText =
  'The user sent me a message. I look for the section of my script that fits, check whether code is ' +
  'attached, and reply in a few clear sentences.';

function withReasoning(reply: ScriptedReply, model: LocalModel): ScriptedReply {
  switch (model.thinking) {
    case 'none':
      return reply;
    case 'field':
      return { ...reply, reasoning: reasoningText };
    case 'tags':
      return { ...reply, content: `<think>\n${reasoningText}\n</think>\n\n${reply.content}` };
  }
}
