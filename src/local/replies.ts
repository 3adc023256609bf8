import { replyToEdit } from './demo/edits.ts';
import { followFileTask, type EndedCall } from './demo/fileTask.ts';
import { parseMessage, readEditRequest } from './demo/requests.ts';
import { replyToCommit, replyToReview } from './demo/review.ts';
import type { DemoScript } from './demo/script.ts';
import { fill } from './demo/texts.ts';
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
export function replyTo(
  request: ParsedRequest,
  model: LocalModel,
  script: DemoScript,
): ScriptedReply {
  const { disclaimer, thinking } = script.texts.general;
  const reply = disclaimedOnce(scripted(request, script), request, disclaimer);
  // A continued reply had its reasoning before.
  return asksToContinue(request) ? reply : withReasoning(reply, model, thinking);
}

/** Adds a note once per chat that replies are scripted. */
function disclaimedOnce(
  reply: ScriptedReply,
  { messages }: ParsedRequest,
  disclaimer: string,
): ScriptedReply {
  const wasSaid = messages.some(
    ({ role, content }) => role === 'assistant' && content.includes(disclaimer),
  );
  if (!wasSaid) return reply;
  return { ...reply, content: reply.content.replace(disclaimer, '').trimEnd() };
}

function asksToContinue({ messages }: ParsedRequest): boolean {
  const last = messages.at(-1);
  return last?.role === 'user' && last.content.trim() === continueMessage;
}

/** Characters of a message in which topics and tools are looked for. */
const maxQuestion = 4000;

function scripted(request: ParsedRequest, script: DemoScript): ScriptedReply {
  const { messages } = request;
  const last = messages.at(-1);
  if (last?.role === 'tool') return fileTaskReply(request, script) ?? afterTools(request, script);
  if (asksToContinue(request)) return continuation(request, script);
  const content = last?.role === 'user' ? withoutFaultCommands(last.content) : '';
  if (content.includes(blockedWord))
    return { content: 'This reply began, and then the safety filter ', filtered: true };
  const edit = readEditRequest(messages);
  const text =
    edit === undefined
      ? (replyToReview(messages, script) ?? replyToCommit(messages, script))
      : replyToEdit(edit, script);
  if (text !== undefined) return { content: text };
  const { words, blocks } = parseMessage(content);
  const question = words.slice(0, maxQuestion);
  const reply = blocks.length > 0 ? explainCode(blocks, script) : topicReply(question, script);
  if (request.response_format?.type === 'json_object')
    return { content: JSON.stringify({ message: question, reply, demo: true }, null, 2) };
  if (question.includes('- [ ]') && !question.includes('- [x]'))
    return { content: script.texts.topics.plan };
  const toolChoice = toToolChoice(request.tool_choice);
  const task = toolChoice === 'auto' ? fileTaskReply(request, script) : undefined;
  if (task !== undefined) return task;
  const calls = requestedCalls(request.tools ?? [], question, toolChoice, script);
  if (calls.length > 0) return { content: announceCalls(calls, script), toolCalls: calls };
  const images = last === undefined ? [] : imagesOf([last]);
  return { content: images.length > 0 ? describeImages(images, script) : reply };
}

/**
 * The next step of a task on files; undefined if the last message requests none, or is about code
 * outside the sample.
 */
function fileTaskReply(
  { messages, tools }: ParsedRequest,
  script: DemoScript,
): ScriptedReply | undefined {
  const start = lastUserIndex(messages);
  const question = questionAt(messages, start);
  const { blocks } = parseMessage(messages[start]?.content ?? '');
  if (blocks.length > 0 && !hasSample(blocks, script)) return undefined;
  const task = {
    question,
    path: findPaths(question)[0],
    tools: (tools ?? []).map((tool) => tool.function.name),
    calls: endedCalls(messages.slice(start + 1)),
  };
  return followFileTask(task, script);
}

function lastUserIndex(messages: readonly RequestMessage[]): number {
  return messages.findLastIndex(({ role }) => role === 'user');
}

function questionAt(messages: readonly RequestMessage[], index: number): string {
  return parseMessage(messages[index]?.content ?? '').words.slice(0, maxQuestion);
}

const taggedReasoning = /^<think>[^]*?(?:<\/think>\s*|$)/;

/** The rest of a reply, whose beginning is the previous assistant message. */
function continuation(request: ParsedRequest, script: DemoScript): ScriptedReply {
  const { nothingToContinue, nothingToAdd } = script.texts.general;
  const { messages } = request;
  const before = messages.at(-2);
  if (before?.role !== 'assistant') return { content: nothingToContinue };
  const fullReply = scripted({ ...request, messages: messages.slice(0, -2) }, script);
  const beginning = before.content.replace(taggedReasoning, '');
  if (!fullReply.content.startsWith(beginning)) return { content: nothingToAdd };
  return { ...fullReply, content: fullReply.content.slice(beginning.length) };
}

/** Describes the results, or repeats the calls if the user requested several rounds. */
function afterTools(request: ParsedRequest, script: DemoScript): ScriptedReply {
  const { messages } = request;
  const start = lastUserIndex(messages);
  const rounds = messages.slice(start).filter(({ role }) => role === 'assistant').length;
  const question = questionAt(messages, start);
  const wanted = script.numberOf('times', question) ?? 1;
  if (rounds < wanted)
    return scripted({ ...request, messages: messages.slice(0, start + 1) }, script);
  const calls = endedCalls(
    messages.slice(messages.findLastIndex(({ role }) => role === 'assistant')),
  );
  const explained = script.isAbout('explain', question) ? explainResults(calls, script) : undefined;
  return explained === undefined ? answerToolResults(calls, script) : { content: explained };
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

function announceCalls(calls: readonly { readonly name: string }[], { texts }: DemoScript): string {
  const names = [...new Set(calls.map((call) => `\`${call.name}\``))];
  const tool = names.at(-1) ?? '';
  if (names.length === 1) return fill(texts.general.useTool, { tool });
  return fill(texts.general.useTools, { tools: names.slice(0, -1).join(', '), tool });
}

function withReasoning(reply: ScriptedReply, model: LocalModel, thinking: string): ScriptedReply {
  switch (model.thinking) {
    case 'none':
      return reply;
    case 'field':
      return { ...reply, reasoning: thinking };
    case 'tags':
      return { ...reply, content: `<think>\n${thinking}\n</think>\n\n${reply.content}` };
  }
}
