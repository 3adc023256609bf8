import { readEditRequest } from './demoEditRequest.ts';
import { replyToEdit } from './demoEdits.ts';
import { replyToReview } from './demoReview.ts';
import {
  demoDisclaimer,
  describeAttachments,
  describeImages,
  parseMessage,
} from './demoAttachments.ts';
import { followFileTask } from './demoFileTask.ts';
import { answerToolResults, requestedCalls, toToolChoice } from './demoToolUse.ts';
import { jsonReply, topicReply } from './demoTopics.ts';
import { withoutFaultCommands } from './faults.ts';
import type { LocalModel } from './models.ts';
import { imagesOf, type ParsedRequest, type RequestMessage } from './request.ts';
import type { ScriptedReply } from './scriptedReply.ts';

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

function scripted(request: ParsedRequest): ScriptedReply {
  const { messages } = request;
  const last = messages.at(-1);
  if (last?.role === 'tool') return followFileTask(request) ?? afterTools(request);
  if (asksToContinue(request)) return continuation(request);
  const question = last?.role === 'user' ? withoutFaultCommands(last.content) : '';
  if (question.includes(blockedWord))
    return { content: 'This reply began, and then the safety filter ', filtered: true };
  const edit = readEditRequest(messages);
  if (edit !== undefined) return replyToEdit(edit);
  const review = replyToReview(messages);
  if (review !== undefined) return review;
  const message = parseMessage(question);
  const toolChoice = toToolChoice(request.tool_choice);
  if (request.response_format?.type === 'json_object') return jsonReply(message);
  const task = toolChoice === 'auto' ? followFileTask(request) : undefined;
  if (task !== undefined) return task;
  const calls = requestedCalls(request.tools ?? [], message.question, toolChoice);
  if (calls.length > 0) return { content: announceCalls(calls), toolCalls: calls };
  const images = last === undefined ? [] : imagesOf([last]);
  if (images.length > 0) return describeImages(images);
  if (message.attachments.length > 0) return describeAttachments(message);
  return topicReply(message.question);
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
  const lastUserIndex = messages.findLastIndex((message) => message.role === 'user');
  const rounds = messages
    .slice(lastUserIndex)
    .filter((message) => message.role === 'assistant').length;
  const text = messages[lastUserIndex]?.content ?? '';
  const wanted = Number(/\b(\d{1,3}) times\b/.exec(text)?.[1] ?? 1);
  if (rounds < wanted)
    return scripted({ ...request, messages: messages.slice(0, lastUserIndex + 1) });
  return answerToolResults(lastResults(messages));
}

/** The results at the end of the messages, each with the name of its tool. */
function lastResults(
  messages: readonly RequestMessage[],
): readonly { name: string; text: string }[] {
  const start = messages.findLastIndex((message) => message.role === 'assistant');
  const caller = messages[start];
  const calls = caller?.role === 'assistant' ? (caller.tool_calls ?? []) : [];
  return messages.slice(start + 1).flatMap((message) => {
    if (message.role !== 'tool') return [];
    const call = calls.find(({ id }) => id === message.tool_call_id);
    return [{ name: call?.function.name ?? 'tool', text: message.content }];
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
