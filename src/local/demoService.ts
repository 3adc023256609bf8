import { createService, type LocalService } from './service.ts';

/** The demo's service: a script of its own, which is loaded when the demo is first asked. */
export function startDemo(): typeof fetch {
  return localFetch(createService());
}

/**
 * `fetch` that reaches this service and nothing else, whatever host the address names. A signal
 * works as it does with the real one: the promise rejects with its reason, later the body errors
 * with it. A redirect is handed out with `redirect: 'manual'` and rejected otherwise, as there is
 * no network to follow it to.
 */
export function localFetch(service: Pick<LocalService, 'handle'>): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const { signal } = request;
    signal.throwIfAborted();
    const answered = service.handle(request);
    const response = await Promise.race([answered, aborted(request)]);
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
