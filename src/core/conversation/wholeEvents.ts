import type { Conversation } from './conversation.ts';
import type { ConversationEvent } from './events.ts';

/**
 * The events of a journal that has a whole conversation, to write it anew. The ids stay. Without
 * the running turn, which isn't complete.
 *
 * Turns off the chosen path are only stored for imported chats, so a chat that has some counts as
 * imported afterwards.
 */
export function wholeEvents(conversation: Conversation): readonly ConversationEvent[] {
  const { options, turns, others, summaries = [], partChoices = {}, preset, title } = conversation;
  const { importedUsage, pinned, usage, demoUsage = {} } = conversation;
  const isImport = importedUsage !== undefined || others !== undefined;
  const events: (ConversationEvent | false)[] = [
    isImport && { type: 'chat-import', usage: importedUsage ?? {}, others },
    Object.keys(options).length > 0 && { type: 'options-change', options },
    preset !== undefined && { type: 'preset-change', preset },
    title !== undefined && { type: 'title-change', title },
    pinned === true && { type: 'pin-change', pinned },
    ...turns.map((turn) => ({ type: 'turn-import', turn }) as const),
    ...summaries.map((summary) => ({ type: 'chat-shorten', summary }) as const),
    ...Object.entries(partChoices).map(
      ([part, choice]) => ({ type: 'part-choice', parts: [part], choice }) as const,
    ),
    ...Object.entries(usage).map(
      ([model, used]) => ({ type: 'chat-usage', model, usage: used }) as const,
    ),
    ...Object.entries(demoUsage).map(
      ([model, used]) => ({ type: 'chat-usage', model, usage: used, demo: true }) as const,
    ),
  ];
  return events.filter((event) => event !== false);
}
