import { ChatMemento } from '../chat/chatMemento.ts';
import type { ChatPageOptions } from './chatPage.ts';
import type { ContextFeature } from '../context/feature.ts';
import type { ServiceAccess } from '../connection/serviceAccess.ts';
import type { HostWindow } from '../workspace/window.ts';

interface PageNeeds {
  readonly service: ServiceAccess;
  readonly references: ContextFeature['references'];
}

/** Actions of all pages with chats, independent of the chat. */
export type PageActions = Pick<ChatPageOptions, 'keepDraft' | 'references' | 'refusal'>;

export function createPageActions(
  { context, errors }: HostWindow,
  { service, references }: PageNeeds,
): PageActions {
  return {
    async keepDraft(id, draft) {
      const state = new ChatMemento({ state: context.workspaceState, id: () => id });
      const mayBeKept = await service.check([draft.text]).then(
        () => true,
        () => false,
      );
      await state.update('aside.draft', mayBeKept && draft.text !== '' ? draft : undefined);
    },
    references,
    refusal: errors.refusal,
  };
}
