import type { StarterOf } from './replies.ts';
import { createService, type LocalService } from './service.ts';

/** Starts the demo service, which is loaded at the first request. */
export function startDemo(starterOf: StarterOf): typeof fetch {
  return localFetch(createService({ listsFacts: true, starterOf }));
}

/**
 * A `fetch` that sends every request to this service, whatever its host. A signal works as with the
 * real `fetch`: the promise rejects with its reason, and later the body errors with it. A redirect
 * is returned with `redirect: 'manual'` and rejected otherwise, since there is no network to follow
 * it to.
 */
export function localFetch(service: LocalService): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const { signal } = request;
    signal.throwIfAborted();
    const handled = service.handle(request);
    const response = await Promise.race([handled, aborted(request)]);
    signal.throwIfAborted();
    if (response === undefined) throw new TypeError('fetch failed');
    if (response.status >= 300 && response.status < 400 && request.redirect !== 'manual')
      throw new TypeError('fetch failed', { cause: new Error('unexpected redirect') });
    return response;
  };
}

function aborted(request: Request): Promise<undefined> {
  return new Promise((resolve) => {
    request.signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
}
