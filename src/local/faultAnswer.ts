import { refusalAnswer, textAnswer, type Answer } from './answer.ts';
import type { ResponseFault } from './faults.ts';
import { Refusal } from './refusal.ts';

const signInPage = '<!doctype html><title>Sign in</title><h1>Sign in to the network to go on</h1>';

/** The answer in place of a response; undefined where there is none at all. */
export function faultAnswer(fault: ResponseFault): Answer | undefined {
  switch (fault.kind) {
    case 'status':
      return statusAnswer(fault);
    case 'html':
      return textAnswer(200, signInPage, 'text/html');
    case 'blank':
      return textAnswer(200, '', 'text/event-stream');
    case 'redirect':
      return { status: fault.status ?? 307, headers: { location: fault.location }, steps: [] };
    case 'silence':
    case 'refused':
      return undefined;
  }
}

function statusAnswer(fault: ResponseFault & { kind: 'status' }): Answer {
  const { status, message = `A fault with status ${status} was asked for.`, retryAfter } = fault;
  const headers = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
  return refusalAnswer(new Refusal(status, message, { code: 'fault', headers }));
}
