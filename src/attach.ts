import type { Attaching } from './host/chat/attaching.ts';
import type { Composer } from './host/chat/composer.ts';

export interface AttachNeeds {
  readonly composer: Composer;
}

/** What goes along with questions: a script of its own, which is loaded when it is first used. */
export type Attach = Attaching;

/** Makes every object of it once and ties them together. */
export function makeAttach({ composer }: AttachNeeds): Attach {
  return {
    handle(request) {
      if (request.type === 'remove-attachment') composer.remove(request.attachment);
      return Promise.resolve();
    },
    complete: () => Promise.resolve({ items: [] }),
  };
}
