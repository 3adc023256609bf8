import { ChatMemento } from '../chat/chatMemento.ts';
import type { ChatPageOptions } from './chatPage.ts';
import type { ContextFeature } from '../context/feature.ts';
import { UserError } from '../errors.ts';
import type { ServiceAccess } from '../connection/serviceAccess.ts';
import type { HostWindow } from '../workspace/window.ts';

interface PageNeeds {
  readonly service: Pick<ServiceAccess, 'check'>;
  readonly references: ContextFeature['references'];
}

/** Actions of all pages with chats, independent of the chat. */
export type PageActions = Pick<ChatPageOptions, 'keepDraft' | 'references' | 'refusal'>;

export function createPageActions(
  { context, errors, log }: Pick<HostWindow, 'context' | 'errors' | 'log'>,
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
    /** The page shows the text only for actions of the person. */
    refusal(error) {
      if (error instanceof UserError) return error.message;
      const { kind, message } = errors.text(error);
      if (kind !== 'refused' && kind !== 'stopped') log.error('A request of the panel', error);
      return message;
    },
  };
}
