import type { Attachment } from '../../../src/core/conversation/conversation.ts';
import {
  attachmentChip,
  chatOf,
  chatState,
  connected,
  textPart,
  type ChatState,
} from './chatParts.ts';

const field = '.composer .message-field';
const price = { price: 0.0000002, currency: '$' };

const chips = [
  attachmentChip('sum'),
  attachmentChip('read', { state: 'unchanged' }),
  attachmentChip('write', { state: 'changed' }),
  attachmentChip('old', { state: 'left-out' }),
  attachmentChip('pasted', { name: 'Pasted text', path: '', isPasted: true, icon: 'clippy' }),
  attachmentChip('picture', { name: 'picture.png', image: '1'.repeat(64), icon: 'file-media' }),
  attachmentChip('AGENTS', { name: 'AGENTS.md', icon: 'book', isInstructions: true }),
  attachmentChip('open', { state: 'offered' }),
];
const sentImage: Attachment = {
  id: 'i',
  kind: 'image',
  name: 'screen.png',
  path: '',
  language: '',
  text: '',
  image: { type: 'image/png', width: 96, height: 64, size: 99, hash: '2'.repeat(64) },
};
const sentFile = {
  id: 'f',
  name: 'sum.ts:3-9',
  path: 'src/sum.ts',
  language: 'ts',
  text: 'let a;',
};

/** The message field and everything around it. */
export const composerStates: readonly ChatState[] = [
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
        ...connected.cost,
        ...price,
        tokens: 31_000,
        contextWindow: 32_000,
        leftOut: { turns: 2 },
        budget: { of: 'day', unit: 'tokens', limit: 20_000, remaining: 10, perToken: 1 },
      },
    },
  }),
  chatState('tools refused', ['.mode-button + .icon-button', '.outcome'], {
    conversation: chatOf({ toolsRefused: true }),
    state: { toolObstacle: 'refused' },
  }),
  chatState('options', ['.options-form .field-problem'], {
    conversation: { ...chatOf({}), options: { temperature: 0.2 } },
    state: {
      effort: { effort: 'low' },
      refused: ['stop'],
      settings: { temperature: 0.7, topP: 1 },
    },
    async act(person) {
      await person.press('Configure');
      await person.type('.number-fields > :nth-child(2) input', '7');
    },
  }),
  chatState('completions', ['.completion[aria-selected=true]'], {
    conversation: chatOf({}),
    act: (person) => person.type(field, '@a'),
  }),
  chatState('no completions', ['.completions-none'], {
    conversation: chatOf({}),
    act: (person) => person.type(field, '@no'),
  }),
  chatState('find', ['.find .find-count'], {
    conversation: chatOf({ parts: [textPart('The sum of the sum.\n\nA sum `sum`.')] }),
    then: [{ type: 'show-match', turn: 'turn-1', query: 'sum' }],
  }),
  chatState('editing a message', ['.question-editor .chip', '.restore-choice .hint'], {
    conversation: chatOf({ question: { text: 'See.', attachments: [sentFile] } }),
    state: { edits: { 'turn-1': { attachments: chips.slice(0, 2), cost: connected.cost } } },
    act: (person) => person.press('Edit Message'),
  }),
  chatState('restored files', ['.restored-files'], {
    conversation: chatOf({
      fileRestore: {
        id: 'r',
        turns: ['x'],
        files: ['src/app.ts'],
        left: ['src/b.ts'],
        status: 'restored',
      },
    }),
  }),
];
