/**
 * Golden transcripts of whole turns, with the requests and all events of the conversation. A
 * difference fails, as does a transcript that no test wrote.
 * `UPDATE_TRANSCRIPTS=1` updates them.
 */
import type { ConversationEvent } from '../../src/core/conversation/events.ts';
import { GoldenFiles } from '../support/goldenFiles.ts';
import { change, look, toolRig, type ToolRigOptions } from '../support/toolTurn.ts';

const goldens = new GoldenFiles('transcripts');

/** Asks each question, and compares the log with the golden transcript. */
function transcript(name: string, options: ToolRigOptions, ...questions: readonly string[]): void {
  it(name, async () => {
    const { chat, service, ask } = toolRig(options);
    const lines: string[] = [];
    service.onRequest(({ method, path, body }) => {
      lines.push(`→ ${method} ${path} ${JSON.stringify(body)}`);
    });
    chat.onDidChange((change) => {
      if (change.type === 'event') logEvent(lines, change.event);
    });
    for (const question of questions) await ask(question);
    goldens.compare(name, withNumberedIds(`${lines.join('\n')}\n`, chat.conversation.id));
  });
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

describe('transcripts', () => {
  const looks = ['a', 'b'].map((name) => ['look', { name }] as const);
  const changes = ['stone', 'a'].map((name) => ['change', { name }] as const);
  transcript(
    'tools are called until the model answers in words',
    {
      list: [look, change],
      script: [looks, [...changes, ['fly', {}]], 'It is changed.', 'It is changed already.'],
    },
    'Change it.',
    'Change it again.',
  );

  transcript(
    'every request option that was set',
    {
      script: ['{"reply":"Hi"}'],
      settings: () => ({
        instructions: 'Be brief.',
        stream: false,
        options: { temperature: 0.2, topP: 0.9, maxTokens: 40, stop: ['END'], json: true },
      }),
    },
    'Hello',
  );

  transcript(
    'a thought in tags, which is not sent back',
    { script: ['<think>\nThey greet me.\n</think>\n\nHello!'] },
    'Hello',
    'Hello again',
  );

  after('every transcript is played', () => goldens.checkAllUsed());
});
