import assert from 'node:assert/strict';
import fc from 'fast-check';
import { continueMessage } from '../../../../src/core/turn/prompt.ts';
import { callIdsOf, refusals, refusedIds } from '../../../support/chatTemplates.ts';
import { runs } from '../../../support/sample.ts';
import { chats, requestsOf, type Step } from './randomChat.ts';

describe('all requests of a chat', () => {
  it('are taken by the chat templates of all models', () => {
    fc.assert(
      fc.property(chats, (chat) => {
        for (const { request } of requestsOf(chat)) {
          const order = request.messages.map(({ role }) => role).join(' ');
          assert.deepEqual(refusals(request.messages), [], order);
          assert.equal(request.messages[0]?.role, 'system');
        }
      }),
      { numRuns: runs(2000) },
    );
  });

  it('have ids of calls that all templates take, or as the model itself gave them', () => {
    fc.assert(
      fc.property(chats, (chat) => {
        for (const { request, own } of requestsOf(chat)) {
          const { messages, model } = request;
          const ids = callIdsOf(messages);
          assert.equal(new Set(ids).size, ids.length, 'An id is used once.');
          const strange = refusedIds(messages).filter((id) => !own.has(id));
          // Where a service numbers anew in each reply, its numbers go on.
          const goesOn = ['gemma', 'qwen'].includes(model) ? /^call(?:_\d+)*$/ : /^$/;
          assert.deepEqual(
            strange.filter((id) => !goesOn.test(id)),
            [],
          );
          if (model === 'mistral') assert.deepEqual(refusedIds(messages), []);
        }
      }),
      { numRuns: runs(2000) },
    );
  });

  it('have traces only for the model and the service that they are from', () => {
    fc.assert(
      fc.property(chats, (chat) => {
        for (const { request, signature } of requestsOf(chat)) {
          const calls = request.messages.flatMap((message) =>
            message.role === 'assistant' ? (message.tool_calls ?? []) : [],
          );
          for (const { trace } of calls)
            if (trace !== undefined) assert.deepEqual(trace, { signature });
        }
      }),
      { numRuns: runs(500) },
    );
  });

  it('begin as the one before, if only messages to one model were added', () => {
    fc.assert(
      fc.property(chats, ({ steps, settings }) => {
        const only = {
          model: 'mistral',
          service: 'https://a.test',
          mode: 'agent',
          json: false,
        } as const;
        const added = steps.flatMap((taken): readonly Step[] =>
          taken.type === 'send'
            ? [{ ...taken, ...only }]
            : taken.type === 'continue'
              ? [taken]
              : [],
        );
        const chat = { steps: added, settings: { ...settings, contextWindow: undefined } };
        const bodies = requestsOf(chat).map(({ request: { messages } }) => {
          const isContinued = messages.at(-1)?.content === continueMessage;
          return isContinued ? messages.slice(0, -2) : messages;
        });
        for (const [index, messages] of bodies.slice(1).entries()) {
          // A message without a reply is not sent again.
          const before = bodies[index] ?? [];
          const kept = before.at(-1)?.role === 'user' ? before.slice(0, -1) : before;
          assert.deepEqual(messages.slice(0, kept.length), kept);
        }
      }),
      { numRuns: runs(1000) },
    );
  });
});
