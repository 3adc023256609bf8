/**
 * Golden transcripts of whole turns, with the requests and all events of the conversation. A
 * difference fails, as does a transcript that no test wrote.
 * `UPDATE_TRANSCRIPTS=1` updates them.
 */
import * as z from 'zod/mini';
import type { Conversation } from '../../src/core/conversation/conversation.ts';
import type { ConversationEvent } from '../../src/core/conversation/events.ts';
import { ServiceClient } from '../../src/core/service/client.ts';
import { ServiceError } from '../../src/core/service/errors.ts';
import { createRedactor } from '../../src/core/support/redact.ts';
import { defineTool, type Tool } from '../../src/core/tools/tool.ts';
import { Toolbox } from '../../src/core/tools/toolbox.ts';
import type { PromptSettings } from '../../src/core/turn/prompt.ts';
import type { Chat } from '../../src/host/chat/chat.ts';
import { testChat } from '../unit/host/chat/openChatRig.ts';
import {
  localFetch,
  createService,
  demoKey,
  type ServiceOptions,
} from '../../src/local/service.ts';
import type { Fault } from '../../src/local/faults.ts';
import { GoldenFiles } from '../support/goldenFiles.ts';
import { ManualClock } from '../support/manualClock.ts';
import { modelAnswering, modelSaying } from '../support/modelSaying.ts';
import { anyLook, change, look, usualLimits } from '../support/toolTurn.ts';
import { nextEvent } from '../support/turns.ts';

const goldens = new GoldenFiles('transcripts');

interface Play {
  readonly chat: Chat;
  readonly clock: ManualClock;
  readonly fault: (fault: Fault) => void;
  readonly ask: (text: string, model?: string) => Promise<unknown>;
  /** Resolves after the next event of this type. */
  readonly happens: (type: ConversationEvent['type']) => Promise<Conversation>;
}

interface Setting {
  readonly service?: ServiceOptions;
  readonly settings?: Partial<PromptSettings>;
  readonly tools?: readonly Tool[];
  readonly maxRounds?: number;
}

/** Plays a scene, and compares its log with the golden transcript. */
function transcript(name: string, setting: Setting, scene: (play: Play) => Promise<void>): void {
  it(name, async () => {
    const clock = new ManualClock();
    const service = createService({ clock, pace: 0, ...setting.service });
    const lines: string[] = [];
    service.onRequest(({ method, path, body }) => {
      lines.push(`→ ${method} ${path} ${JSON.stringify(body)}`);
    });
    const fetch = localFetch(service);
    const baseUrl = 'https://api.test/v1';
    const options = { baseUrl, apiKey: demoKey, fetch, clock, silenceLimit: 30_000 };
    const client = new ServiceClient(options);
    const chat = testChat({
      clock,
      connect: () => Promise.resolve({ client, demo: false }),
      settings: () => ({ instructions: '', stream: true, options: {}, ...setting.settings }),
      meter: { estimate: (_, characters) => Math.ceil(characters / 4), learn: () => undefined },
      tools: () => Promise.resolve(toolsOf(setting, clock)),
      describe: (error) => ({
        kind: error instanceof ServiceError ? error.kind : 'unexpected',
        message: error instanceof Error ? error.message : String(error),
      }),
    });
    chat.onDidChange((change) => {
      if (change.type === 'event') logEvent(lines, change.event);
    });
    await scene({
      chat,
      clock,
      fault: (fault) => service.faults.push(fault),
      ask: (text, model = 'mistral/mistral-small') => chat.send({ text, attachments: [] }, model),
      happens: (type) => nextEvent(chat, type),
    });
    goldens.compare(name, withNumberedIds(`${lines.join('\n')}\n`, chat.conversation.id));
  });
}

function toolsOf({ tools, maxRounds = usualLimits.maxRounds }: Setting, clock: ManualClock) {
  if (tools === undefined) return undefined;
  const redactor = createRedactor();
  const toolbox = new Toolbox(tools, { clock, redactor, onError: () => undefined });
  return { toolbox, ...usualLimits, maxRounds };
}

/** Logs one line per event. Consecutive texts are joined, since their pieces depend on reads. */
function logEvent(lines: string[], event: ConversationEvent): void {
  const { type, ...fields } = event;
  if (event.type !== 'text-delta' && event.type !== 'reasoning-delta') {
    lines.push(`${type} ${JSON.stringify(fields)}`);
    return;
  }
  const last = lines.at(-1);
  if (last?.startsWith(`${type} `) === true) {
    const text: unknown = JSON.parse(last.slice(type.length + 1));
    lines[lines.length - 1] = `${type} ${JSON.stringify(String(text) + event.text)}`;
  } else {
    lines.push(`${type} ${JSON.stringify(event.text)}`);
  }
}

/** Replaces random ids by `id1` for the chat, and `id2` and so on in their order. */
function withNumberedIds(text: string, chat: string): string {
  const known = new Map([[chat, 'id1']]);
  return text.replace(/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g, (id) => {
    const name = known.get(id) ?? `id${known.size + 1}`;
    known.set(id, name);
    return name;
  });
}

/** A tool that prints something and then runs until it is stopped. */
const endless = defineTool({
  ...anyLook,
  name: 'endless',
  category: 'run',
  description: 'Never ends.',
  schema: z.strictObject({}),
  title: () => 'Go on',
  run: (_, { print }) => {
    print('Begun.');
    return new Promise<string>(() => undefined);
  },
});

/** Advances the clock past the next wait before a retry. */
async function passWait(clock: ManualClock): Promise<void> {
  await clock.advance((await clock.nextWait()) + 1);
}

describe('transcripts', () => {
  const rounds = modelSaying(
    [
      ['look', { name: 'a' }],
      ['look', { name: 'b' }],
    ],
    [
      ['change', { name: 'stone' }],
      ['change', { name: 'a' }],
      ['fly', {}],
    ],
    'It is changed.',
  );

  transcript(
    'tools are called until the model answers in words',
    { tools: [look, change], service: { script: rounds } },
    async ({ ask }) => {
      await ask('Change it.');
      await ask('Change it again.');
    },
  );

  transcript(
    'a turn pauses at its limit and goes on',
    {
      tools: [look],
      maxRounds: 2,
      service: {
        script: modelSaying(
          [['look', { name: 'a' }]],
          [['look', { name: 'b' }]],
          [['look', { name: 'c' }]],
          'Seen.',
        ),
      },
    },
    async ({ ask, chat, happens }) => {
      const pending = ask('Look around.');
      await happens('turn-pause');
      chat.resume();
      await pending;
    },
  );

  transcript(
    'a turn is stopped while a tool runs',
    {
      tools: [look, endless],
      service: {
        script: modelAnswering({
          'Go on.': [
            [
              ['endless', {}],
              ['look', { name: 'a' }],
            ],
          ],
        }),
      },
    },
    async ({ ask, chat, happens }) => {
      const pending = ask('Go on.');
      await happens('tool-call-output');
      chat.stop();
      await pending;
      await ask('Hello');
    },
  );

  transcript('a question and its answer', {}, async ({ ask }) => {
    await ask('Hello');
  });

  transcript('a second question brings the history along', {}, async ({ ask }) => {
    await ask('Hello');
    await ask('Hello again');
  });

  transcript(
    'every request option that was set',
    {
      settings: {
        instructions: 'Be brief.',
        stream: false,
        options: { temperature: 0.2, topP: 0.9, maxTokens: 40, stop: ['END'], json: true },
      },
    },
    async ({ ask }) => {
      await ask('Hello');
    },
  );

  transcript('a thought in its own field', {}, async ({ ask }) => {
    await ask('Hello', 'deepseek/reasoner');
  });

  transcript('a thought in tags, which is not sent back', {}, async ({ ask }) => {
    await ask('Hello', 'qwen/thinker-32b');
    await ask('Hello again', 'qwen/thinker-32b');
  });

  transcript(
    'a rate limit is waited for, and a fault after it',
    {},
    async ({ ask, fault, clock }) => {
      fault({ kind: 'status', status: 429, retryAfter: 7 });
      fault({ kind: 'status', status: 503 });
      const pending = ask('Hello');
      await passWait(clock);
      await pending;
    },
  );

  transcript('an empty wallet, and the same question again', {}, async ({ ask, chat, fault }) => {
    fault({ kind: 'status', status: 402 });
    await ask('Hello');
    await chat.resend(chat.conversation.turns[0]?.id ?? '', {});
  });

  transcript('a reply that is cut goes on where it stopped', {}, async ({ ask, chat, fault }) => {
    fault({ kind: 'cut', after: 12 });
    await ask('Hello');
    await chat.continue();
  });

  transcript(
    'a reply too long for its limit',
    { settings: { options: { maxTokens: 3 } } },
    async ({ ask }) => {
      await ask('Hello');
    },
  );

  transcript('a reply that is filtered', {}, async ({ ask }) => {
    await ask('blocked-word');
  });

  transcript('an event that is no JSON is left out and told', {}, async ({ ask, fault }) => {
    fault({ kind: 'malformed', after: 12 });
    await ask('Hello');
  });

  transcript(
    'usage that does not come is asked for',
    { service: { usage: 'onRequest' } },
    async ({ ask }) => {
      await ask('Hello');
      await ask('Hello again');
    },
  );

  transcript(
    'an option that is refused is not sent again',
    { service: { usage: 'refuseOption' } },
    async ({ ask }) => {
      await ask('One');
      await ask('Two');
      await ask('Three');
    },
  );

  transcript('silence ends a turn', {}, async ({ ask, fault, clock }) => {
    fault({ kind: 'silence' });
    const pending = ask('Hello');
    await passWait(clock);
    await pending;
  });

  after('every transcript is played', () => goldens.checkAllUsed());
});
