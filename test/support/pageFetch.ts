/**
 * Emulates the `fetch` of a page, with the parts of CORS that a client of the service encounters.
 * Every failure is the same error, as in a browser.
 * @param sent receives the requests that left the page, with their headers
 */
export function pageFetch(
  page: string,
  sent: (method: string, headers: Headers) => void = () => undefined,
): typeof fetch {
  const send = async (url: URL, request: RequestInit): Promise<Response> => {
    sent(request.method ?? 'GET', new Headers(request.headers));
    try {
      return await fetch(url, request);
    } catch {
      request.signal?.throwIfAborted();
      throw failed();
    }
  };
  return async (input, init = {}) => {
    const url = new URL(input instanceof Request ? input.url : input);
    const { mode = 'cors', ...request } = init;
    // Responses of such requests are opaque.
    if (mode === 'no-cors') {
      const response = await send(url, request);
      await response.body?.cancel();
      return Response.error();
    }
    const customHeaders = [...new Headers(request.headers).keys()].filter(
      (name) => name !== 'accept',
    );
    if (customHeaders.length > 0) await preflight(send, url, page, customHeaders);
    const headers = { ...Object.fromEntries(new Headers(request.headers)), origin: page };
    const response = await send(url, { ...request, headers });
    if (!allowsOrigin(response, page)) throw failed();
    return exposedResponse(response);
  };
}

/** Response with only the headers that CORS exposes. */
function exposedResponse({ body, status, headers }: Response): Response {
  const exposed = headers.get('access-control-expose-headers') ?? '';
  const names = [
    'content-type',
    'content-length',
    ...exposed.split(',').map((name) => name.trim()),
  ];
  const known = [...headers].filter(([name]) => names.includes(name));
  return Object.defineProperty(new Response(body, { status, headers: known }), 'type', {
    value: 'cors',
  });
}

async function preflight(
  send: (url: URL, request: RequestInit) => Promise<Response>,
  url: URL,
  page: string,
  customHeaders: readonly string[],
): Promise<void> {
  const headers = { origin: page, 'access-control-request-headers': customHeaders.join(',') };
  const response = await send(url, { method: 'OPTIONS', headers });
  const allowed = response.headers.get('access-control-allow-headers')?.toLowerCase() ?? '';
  const names = allowed.split(',').map((name) => name.trim());
  const isAllowed =
    response.ok && customHeaders.every((name) => names.includes(name.toLowerCase()));
  if (!isAllowed || !allowsOrigin(response, page)) throw failed();
}

function allowsOrigin({ headers }: Response, page: string): boolean {
  return ['*', page].includes(headers.get('access-control-allow-origin') ?? '');
}

function failed(): TypeError {
  return new TypeError('Failed to fetch');
}
