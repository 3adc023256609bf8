import { ServiceError, type ServiceErrorKind } from './errors.ts';

type BrowserRefusalKind = Extract<
  ServiceErrorKind,
  'origin-refused' | 'header-refused' | 'mixed-content'
>;

/** Replaces a browser's error, which is the same for every cause. */
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
 * The `fetch` of a browser, distinguishing an unreachable service from one that doesn't allow the
 * page's origin. The browser hides the difference, but a `no-cors` request reveals it. It is sent
 * to the same address only if a request failed and the service has never responded, and contains
 * neither the key nor anything else of the request.
 *
 * @param page the origin of the page, which the service must allow
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
  const answers = async (mode: 'cors' | 'no-cors'): Promise<boolean> => {
    const request: RequestInit & { readonly cache: 'no-store' } = {
      mode,
      credentials: 'omit',
      referrerPolicy: 'no-referrer',
      cache: 'no-store',
      ...(signal === undefined ? {} : { signal }),
    };
    try {
      const response = await fetch(address, request);
      await response.body?.cancel();
      return true;
    } catch {
      return false;
    }
  };
  if (await answers('no-cors')) {
    // This request has no key and no content type, so the browser sends no preflight before it.
    return (await answers('cors')) ? 'header-refused' : 'origin-refused';
  }
  return page.startsWith('https:') && address.startsWith('http:') ? 'mixed-content' : undefined;
}
