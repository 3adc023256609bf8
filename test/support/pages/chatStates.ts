import type { Attachment, Turn } from '../../../src/core/conversation/conversation.ts';
import type { BuiltPage } from './builtPage.ts';
import {
  attachmentChip,
  chatOf,
  chatState,
  connected,
  endedTurn,
  runningChat,
  textPart,
  turnTime,
} from './chatParts.ts';
import { everyBlock, everyToken, rightToLeft } from './longReply.ts';
import type { PageState } from './pageState.ts';
import { toolStates } from './toolStates.ts';

const field = '.composer .message-field';
const price = { price: 0.0000002, currency: '$' };

/** Unfolds everything, also what is in what was folded. */
export async function unfoldAll({ page }: BuiltPage): Promise<void> {
  const folds = page.locator('details:not([open]) > summary');
  for (let round = 0; round < 20 && (await folds.count()) > 0; round++) await folds.first().click();
}

/** What a chat shows before its first message, and around its messages. */
const beginnings: readonly PageState[] = [
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
  chatState('notices', ['.banner.warning', '.banner .codicon-info'], {
    conversation: chatOf({}),
    state: { notice: 'This chat can’t be saved: the disk is full.' },
    async act({ page, translation }) {
      await page.evaluate(() => Object.assign(globalThis, { refusal: 'The model is busy.' }));
      const fork = translation.messages['Fork from Here'] ?? 'Fork from Here';
      await page.locator(`.answer [aria-label="${fork}"]`).first().click();
    },
  }),
  chatState('read-only', ['.holder-bar .button'], {
    conversation: chatOf({}),
    state: { heldBy: 'weather' },
  }),
];

const queued = [
  { id: 'q1', text: 'And then add a test for it, please, with all that belongs to it' },
  { id: 'q2', text: 'Explain it', isEdited: true },
];
const retry = {
  ...{ attempt: 3, attempts: 4, resumeAt: turnTime + 124_000 },
  error: { kind: 'rate-limited', message: 'Too many requests. The service asks to wait.' },
};

/** Replies that run, and what waits for them. */
const running: readonly PageState[] = [
  chatState('waiting', ['.status'], { conversation: runningChat({ status: 'waiting' }) }),
  chatState('retrying', ['.retry-reason'], {
    conversation: runningChat({ status: 'retrying', retry }),
  }),
  chatState('replying, with a queue', ['.queued li', '.composer-foot .waiting'], {
    conversation: runningChat({ parts: [textPart('The loop begins at')] }),
    state: { queued, waiting: 2 },
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

function ended(name: string, change: Partial<Turn>): PageState {
  return chatState(name, ['.outcome'], {
    conversation: chatOf({ id: 'before', ...change }, change),
  });
}

/** How turns end. */
const endings: readonly PageState[] = [
  ended('error', {
    ...{ status: 'failed', parts: [] },
    error: { ...failure, remedy: 'set-api-key' },
  }),
  ended('cut', {
    ...{ status: 'cut', parts: lastParts, malformedEvents: 2, lostRecords: 1 },
    error: { kind: 'network', message: 'The connection broke.', remedy: 'try-again' },
  }),
  ended('stopped', { status: 'stopped', parts: lastParts }),
];

const place = { number: 2, count: 3, previous: 'a', next: 'b' };
const summary = {
  ...{ id: 's', text: 'It is about a **sum**.', upTo: 'turn-1', model: 'a/b', at: turnTime },
};

function reply(name: string, text: string, drawn: readonly string[]): PageState {
  return chatState(name, drawn, {
    conversation: chatOf({ parts: [textPart(text)] }),
    act: unfoldAll,
  });
}

const replies: readonly PageState[] = [
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
    versions: { before: { message: place, reply: place }, 'turn-2': { reply: place } },
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
  chatState('comparison', ['.comparison-column:nth-child(3) .choose'], {
    conversation: {
      ...chatOf({}),
      compared: [
        { ...endedTurn, id: 'b', model: 'deepseek/chat', status: 'stopped' },
        {
          ...{ ...endedTurn, id: 'c', model: 'qwen/thinker', status: 'failed', parts: [] },
          error: failure,
        },
      ],
    },
    state: {
      prices: { currency: '$', byModel: { 'mistralai/mistral-small': { input: 1, output: 2 } } },
    },
  }),
];

const chips = [
  attachmentChip('sum'),
  attachmentChip('read', { state: 'unchanged' }),
  attachmentChip('write', { state: 'changed' }),
  attachmentChip('old', { state: 'left-out' }),
  attachmentChip('pasted', { isPasted: true, icon: 'clippy' }),
  attachmentChip('picture', { name: 'picture.png', image: '1'.repeat(64), icon: 'file-media' }),
  attachmentChip('open', { state: 'offered' }),
];
const sentImage: Attachment = {
  ...{ id: 'i', kind: 'image', name: 'screen.png', path: '', language: '', text: '' },
  image: { type: 'image/png', width: 96, height: 64, size: 99, hash: '2'.repeat(64) },
};
const sentFile = {
  id: 'f',
  name: 'sum.ts:3-9',
  path: 'src/sum.ts',
  language: 'ts',
  text: 'let a;',
};
const completions = [
  { id: '1', label: 'app.ts', detail: 'src', icon: 'file' },
  { id: '2', label: 'a-very-long-name-of-a-file.test.ts', detail: 'test/unit', icon: 'file' },
  { id: '3', label: 'Problems', icon: 'warning' },
  { id: '4', label: 'Choose File…', icon: 'folder-opened', isAction: true },
];

/** The field with all that is around it. */
const composing: readonly PageState[] = [
  chatState('attachments', ['.composer .thumbnail', '.sent-image .thumbnail'], {
    conversation: chatOf({ question: { text: 'See.', attachments: [sentImage, sentFile] } }),
    state: {
      attachments: chips,
      cost: { ...connected.cost, ...price, contextWindow: 32_000 },
    },
    draft: 'What is in these files?',
  }),
  chatState('over the budget', ['.cost.over', '.context-meter.tight'], {
    conversation: { ...chatOf({}), options: { temperature: 0.2, maxTokens: 500, json: true } },
    state: {
      model: { id: 'mistralai/mistral-small', fromWorkspace: true, missing: true },
      cost: {
        ...{ ...connected.cost, ...price, tokens: 31_000, contextWindow: 32_000 },
        leftOut: { turns: 2 },
        budget: { of: 'day', unit: 'tokens', limit: 20_000, left: 10, perToken: 1 },
      },
    },
  }),
  chatState('options', ['.options-form .field-problem'], {
    conversation: { ...chatOf({}), options: { temperature: 0.2 } },
    state: { refused: ['stop'], settings: { temperature: 0.7, topP: 1 } },
    async act({ page, translation }) {
      const name = translation.messages['Options'] ?? 'Options';
      await page.getByRole('button', { name }).click();
      const topP = page.locator('.number-fields > :nth-child(2) input');
      await topP.fill('7');
      await topP.press('Tab');
    },
  }),
  chatState('completions', ['.completion[aria-selected=true]'], {
    conversation: chatOf({}),
    async act(built) {
      await built.page.locator(field).pressSequentially('@a');
      await built.post({ type: 'completions', trigger: '@', query: 'a', items: completions });
    },
  }),
  chatState('find', ['.find .find-count'], {
    conversation: chatOf({ parts: [textPart('The sum of the sum.\n\nA sum `sum`.')] }),
    async act(built) {
      await built.page.locator(field).press('Control+f');
      await built.page.locator('.find input').fill('sum');
      const places = [
        { turn: 'turn-1', hits: 1 },
        { turn: 'turn-1', part: 0, hits: 4 },
      ];
      await built.post({ type: 'found', query: 'sum', places, start: 1, complete: true });
    },
  }),
  chatState('editing a message', ['.question-editor .chip', '.restore-choice .hint'], {
    conversation: chatOf({ question: { text: 'See.', attachments: [sentFile] } }),
    state: { edits: { 'turn-1': { attachments: chips.slice(0, 2), cost: connected.cost } } },
    async act(built) {
      await built.page.locator('.question').hover();
      const name = built.translation.messages['Edit Message'] ?? 'Edit Message';
      await built.page.getByRole('button', { name }).click();
      const files = { files: ['src/app.ts'], left: ['src/other.ts'] };
      await built.page.locator('.question-editor .button-row').waitFor();
      await built.post({ type: 'restorable', turn: 'turn-1', ...files });
    },
  }),
  chatState('restored files', ['.restored-files'], {
    conversation: chatOf({
      fileRestore: {
        ...{ id: 'r', turns: ['x'], files: ['src/app.ts'], left: ['src/b.ts'], status: 'restored' },
      },
    }),
  }),
];

/** Every main state of the chat. */
export const chatStates: readonly PageState[] = [
  ...beginnings,
  ...running,
  ...replies,
  ...toolStates,
  ...endings,
  ...composing,
];
