import { ServiceError, type ServiceErrorKind } from '../reply/errors.ts';

/** The reason why the browser hides a service's response from a page. */
type BrowserRefusalKind = Extract<
  ServiceErrorKind,
  'origin-refused' | 'header-refused' | 'mixed-content'
>;

/** Thrown in place of the error of a browser, which is the same for whatever went wrong. */
export class BrowserRefusal extends Error {
  override readonly name = 'BrowserRefusal';
  readonly kind: BrowserRefusalKind;
  readonly origin: string;

  /** @param origin of the page */
  constructor(kind: BrowserRefusalKind, origin: string, cause: unknown) {
    super(`The browser refused a request from ${origin}: ${kind}`, { cause });
    this.kind = kind;
    this.origin = origin;
  }

  toError(): ServiceError {
    return new ServiceError(this.kind, this.message, { detail: this.origin, cause: this.cause });
  }
}

/**
 * The `fetch` of a browser, which tells a service that is not there from one that doesn't allow the
 * page to use it. The browser hides the difference; a request of which nobody may read the response
 * shows it. That is only sent where a request failed and the service has never answered one, to the
 * same address, without a key, a body or anything else of the request.
 *
 * @param page the origin of the page, which a service has to allow
 */
export function browserFetch(fetch: typeof globalThis.fetch, page: string): typeof fetch {
  const answered = new Set<string>();
  return async (input, init) => {
    const { origin, href } = new URL(input instanceof Request ? input.url : input);
    const signal = init?.signal ?? undefined;
    try {
      const response = await fetch(input, init);
      answered.add(origin);
      return response;
    } catch (cause) {
      const isKnown = !(cause instanceof TypeError) || answered.has(origin);
      if (isKnown || isStopped(signal)) throw cause;
      const kind = await refusalOf(fetch, href, page, signal);
      throw kind === undefined || isStopped(signal) ? cause : new BrowserRefusal(kind, page, cause);
    }
  };
}

function isStopped(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true;
}

/** Undefined if the service can't be reached. */
async function refusalOf(
  fetch: typeof globalThis.fetch,
  address: string,
  page: string,
  signal: AbortSignal | undefined,
): Promise<BrowserRefusalKind | undefined> {
  const answers = (mode: 'cors' | 'no-cors'): Promise<boolean> =>
    probe(fetch, address, mode, signal);
  if (await answers('no-cors')) {
    // This request has no key and no content type, so the browser sends no preflight before it.
    return (await answers('cors')) ? 'header-refused' : 'origin-refused';
  }
  return page.startsWith('https:') && address.startsWith('http:') ? 'mixed-content' : undefined;
}

async function probe(
  fetch: typeof globalThis.fetch,
  address: string,
  mode: 'cors' | 'no-cors',
  signal: AbortSignal | undefined,
): Promise<boolean> {
  try {
    const request: RequestInit & { readonly cache: 'no-store' } = {
      ...{ mode, credentials: 'omit', referrerPolicy: 'no-referrer', cache: 'no-store' },
      ...(signal === undefined ? {} : { signal }),
    };
    const response = await fetch(address, request);
    await response.body?.cancel();
    return true;
  } catch {
    return false;
  }
}
