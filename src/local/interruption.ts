import type { ReplyFault, ResponseFault } from './faults.ts';
import {
  errorResponse,
  textResponse,
  ApiError,
  type BodyStep,
  type HttpResponse,
} from './httpResponse.ts';
import type { Delta } from './scriptedReply.ts';

/**
 * The steps of a streamed reply: the deltas as chunks between opening and closing steps,
 * interrupted by the fault.
 */
export function interrupt(
  stream: {
    readonly opening: readonly BodyStep[];
    readonly deltas: readonly Delta[];
    readonly closing: readonly BodyStep[];
    readonly chunk: (delta: Delta) => BodyStep;
  },
  fault: ReplyFault | undefined,
): readonly BodyStep[] {
  const { opening, deltas, closing, chunk } = stream;
  if (fault === undefined || !('after' in fault))
    return [...opening, ...deltas.map(chunk), ...closing];
  const { deltaCount, remaining } = positionAfter(deltas, fault.after);
  const before = [...opening, ...deltas.slice(0, deltaCount).map(chunk)];
  if (fault.kind === 'malformed')
    return [...before, malformedEvent, ...deltas.slice(deltaCount).map(chunk), ...closing];
  const partialContent = deltas[deltaCount]?.content?.slice(0, remaining) ?? '';
  return [
    ...before,
    ...(partialContent === '' ? [] : [chunk({ content: partialContent })]),
    fault.kind === 'error'
      ? { text: `data: ${errorBody(fault)}\n\n`, tokens: 0 }
      : { breaks: breakOf(fault) },
  ];
}

const malformedEvent: BodyStep = {
  text: 'data: {"choices":[{"delta":{"content":"bro\n\n',
  tokens: 0,
};

/**
 * The number of deltas that fit completely into a number of characters, and the remaining
 * characters of the next one.
 */
function positionAfter(
  deltas: readonly Delta[],
  characters: number,
): { deltaCount: number; remaining: number } {
  let remaining = characters;
  for (const [deltaCount, delta] of deltas.entries()) {
    const length = delta.content?.length ?? 0;
    if (length > remaining) return { deltaCount, remaining };
    remaining -= length;
  }
  return { deltaCount: deltas.length, remaining: 0 };
}

function breakOf(fault: ReplyFault): 'end' | 'socket' | 'stall' {
  return fault.kind === 'socket' || fault.kind === 'stall' ? fault.kind : 'end';
}

function errorBody(fault: ReplyFault & { kind: 'error' }): string {
  const message = fault.message ?? 'Simulated error: the model stopped.';
  return JSON.stringify({ error: { message, type: 'server_error', param: null, code: 'fault' } });
}

/** The steps of a reply in one piece, for which `after` counts characters of JSON. */
export function interruptWhole(
  body: BodyStep & { text: string },
  fault: ReplyFault | undefined,
): readonly BodyStep[] {
  if (fault === undefined || !('after' in fault)) return [body];
  if (fault.kind === 'error') return [{ text: errorBody(fault), tokens: 0 }];
  const text = body.text.slice(0, fault.kind === 'malformed' ? -2 : fault.after);
  return [{ ...body, text }, { breaks: breakOf(fault) }];
}

const signInPage =
  '<!doctype html><title>Sign in</title><h1>Sign in to the network to continue</h1>';

const notFoundPage =
  '<html><head><title>404 Not Found</title></head><body><center>proxy</center></body></html>';

/** The response of a fault; undefined if it sends no response. */
export function faultResponse(fault: ResponseFault): HttpResponse | undefined {
  switch (fault.kind) {
    case 'status': {
      const { status, retryAfter, code = 'fault' } = fault;
      const { message = `Simulated fault with status ${status}.` } = fault;
      const headers = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
      return errorResponse(new ApiError(status, message, { code, headers }));
    }
    case 'page':
      return textResponse(404, notFoundPage, 'text/html');
    case 'html':
      return textResponse(200, signInPage, 'text/html');
    case 'blank':
      return textResponse(200, '', 'text/event-stream');
    case 'redirect':
      return { status: fault.status ?? 307, headers: { location: fault.location }, steps: [] };
    case 'silence':
    case 'refused':
      return undefined;
  }
}
