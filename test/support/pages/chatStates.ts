import type { Turn } from '../../../src/core/conversation/conversation.ts';
import { chatOf, chatState, type ChatState, runningChat, textPart, turnTime } from './chatParts.ts';
import { composerStates } from './composerStates.ts';
import { everyBlock, everyToken, rightToLeft } from './longReply.ts';
import type { PagePerson } from './pageState.ts';
import { toolStates } from './toolStates.ts';

const unfoldAll = (person: PagePerson): Promise<void> => person.unfold();

/** States of a chat before its first message, and around its messages. */
const beginnings: readonly ChatState[] = [
  chatState('not connected', ['.empty .button.secondary'], {
    state: {
      connection: { kind: 'none' },
      model: { id: '', fromWorkspace: false, missing: false },
    },
  }),
  chatState('no model', ['.empty .button'], {
    state: { model: { id: '', fromWorkspace: false, missing: false } },
  }),
  chatState('empty, with recent chats', ['.recent'], {
    state: {
      recent: [
        { id: 'one', title: 'Why is the sum wrong?', at: turnTime - 3_600_000 },
        {
          id: 'two',
          title: 'A title that is too long for a side bar of any width that people have',
          at: turnTime - 86_400_000 * 3,
        },
      ],
    },
  }),
  chatState('demo', ['.composer-foot'], {
    state: {
      connection: { kind: 'demo' },
      starters: { file: 'src/report.py', hasChanges: true, hasFolder: true },
    },
  }),
  chatState('long chat', ['.answer'], { conversation: chatOf({}), before: 40 }),
  chatState('notices', ['.banner.warning', '.banner .codicon-info'], {
    conversation: chatOf({}),
    state: { notice: 'This chat can’t be saved: the disk is full.' },
    act: (person) => person.choose('More Actions…', 'Fork from Here'),
  }),
  chatState('cost of a reply', ['.reply-cost td', '.reply-cost .hint'], {
    conversation: chatOf({}),
    act: (person) => person.choose('More Actions…', 'Show Cost of This Reply'),
  }),
  chatState('plan', ['.answer > .button-row .button', '.prose .task input'], {
    conversation: chatOf({
      parts: [textPart('- [x] Read the report.\n- [ ] Add a column for the humidity.')],
    }),
    state: { mode: 'ask', plan: 'turn-1' },
  }),
  chatState('read-only', ['.holder-bar .button'], {
    conversation: chatOf({}),
    state: { isReadOnly: true },
  }),
];

const queued = [
  { id: 'q1', text: 'And then add a test for it, please, with all that belongs to it' },
  { id: 'q2', text: 'Explain it', isEdited: true },
];
const retry = {
  attempt: 3,
  attempts: 4,
  resumeAt: turnTime + 124_000,
  error: { kind: 'rate-limited', message: 'Too many requests. The service asks to wait.' },
};

/** Running replies, and queued messages. */
const running: readonly ChatState[] = [
  chatState('waiting', ['.status'], { conversation: runningChat({ status: 'waiting' }) }),
  chatState('retrying', ['.retry-reason'], {
    conversation: runningChat({ status: 'retrying', retry }),
  }),
  chatState('replying, with a queue', ['.queued li'], {
    conversation: runningChat({ parts: [textPart('The loop begins at')] }),
    state: { queued },
    draft: 'Explain it',
  }),
  chatState('thinking', ['.reasoning .prose'], {
    conversation: runningChat({
      parts: [{ type: 'reasoning', text: 'First the **loop**, then `sum`.', startedAt: turnTime }],
    }),
    act: unfoldAll,
  }),
];

const failure = { kind: 'unauthorized', message: 'The service refused the API key.' };
const lastParts = [textPart('The loop begins at 1.')];

function ended(name: string, change: Partial<Turn>): ChatState {
  return chatState(name, ['.outcome'], {
    conversation: chatOf({ id: 'before', ...change }, change),
  });
}

/** Ways in which turns end. */
const endings: readonly ChatState[] = [
  ended('error', {
    status: 'failed',
    parts: [],
    error: { ...failure, remedy: 'set-api-key' },
  }),
  ended('cut', {
    status: 'cut',
    parts: lastParts,
    malformedEvents: 2,
    lostRecords: 1,
    error: { kind: 'network', message: 'The connection broke.', remedy: 'try-again' },
  }),
  ended('stopped', { status: 'stopped', parts: lastParts }),
];

const versionPlace = { number: 2, count: 3, previous: 'a', next: 'b' };
const summary = {
  id: 's',
  text: 'It is about a **sum**.',
  upTo: 'turn-1',
  model: 'a/b',
  at: turnTime,
};

function reply(name: string, text: string, drawn: readonly string[]): ChatState {
  return chatState(name, drawn, {
    conversation: chatOf({ parts: [textPart(text)] }),
  });
}

const replies: readonly ChatState[] = [
  reply('reply', everyBlock, ['.prose table', '.formula.drawn', '.prose .task']),
  reply('code', everyToken, ['.token-comment', '.token-inserted', '.token-tag']),
  chatState('right to left', ['.prose table', '.code-block'], {
    conversation: chatOf(
      {
        question: { text: 'لماذا المجموع خاطئ في src/app.ts؟', attachments: [] },
        parts: [textPart(rightToLeft)],
      },
      { question: { text: 'מה זה?\nAnd in English?', attachments: [] } },
    ),
    draft: 'رسالة جديدة مع كلمة English',
  }),
  chatState('versions', ['.question .versions', '.answer .versions'], {
    conversation: chatOf({ id: 'before' }, {}),
    versions: {
      before: { message: versionPlace, reply: versionPlace },
      'turn-2': { reply: versionPlace },
    },
  }),
  chatState('shortened', ['.summary-mark .prose', '.context-cut[role=note]'], {
    conversation: {
      ...chatOf({}, {}, { firstSent: 'turn-2', shortResultsBefore: 'turn-3' }),
      summaries: [summary],
    },
    act: unfoldAll,
  }),
  chatState('json', ['.answer .parts'], {
    conversation: chatOf({ json: true, parts: [textPart('{"sum":[1,2,null,true,"a"]}')] }),
  }),
];

/** Every main state of the chat. */
export const chatStates: readonly ChatState[] = [
  ...beginnings,
  ...running,
  ...replies,
  ...toolStates,
  ...endings,
  ...composerStates,
];
