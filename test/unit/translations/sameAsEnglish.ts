import type { Language } from '../../support/translations.ts';

/** Texts that only consist of names, codes and units, and are the same in every language. */
const everywhere = ['Aside', 'JSON', 'Top P', 'Top P: {0}', '{0} min {1} s', '{0} h {1} min'];

const chat = [
  'Chat',
  'Chats',
  'Chat: {0}',
  'Chats: {0}',
  '{0} (1 chat, {1})',
  '{0} ({1} chats, {2})',
];
const tokens = ['Token', 'Tokens', 'token', 'tokens', '{0} token', '{0} tokens'];
const prompt = ['Prompt', 'Prompt: {0}'];
const total = ['Total', 'Total: {0}'];

/** Words that a language has in common with English. */
const common: Partial<Record<Language, readonly string[]>> = {
  de: [
    ...['Agent', 'Demo', 'Format', 'Option', 'Reasoning', 'Terminal', 'Tool', 'Tools'],
    ...[...chat, ...prompt],
  ],
  es: ['Error', 'No', 'Terminal', ...chat, ...prompt, ...tokens, ...total],
  fr: [
    ...[
      'Agent',
      'Arguments',
      'Assistant',
      'Conversation',
      'Extension {0}',
      'Format',
      'Image',
      'Images',
    ],
    ...['Instructions', 'Message', 'Messages', 'Option', 'Options', 'Suggestion', 'Terminal'],
    ...['images', ...prompt, ...total],
  ],
  'pt-br': ['Terminal', 'Workspaces', ...chat, ...prompt, ...tokens, ...total],
};

export function sameAsEnglish(language: Language): ReadonlySet<string> {
  return new Set([...everywhere, ...(common[language] ?? [])]);
}
