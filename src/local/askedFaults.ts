import type { Fault } from './faults.ts';

const asked = /(?<=^|\s)\/fault\s+([a-z-]+|\d{3})(?:\s+(\d+))?(?=\s|$)/i;

/** The text without the requests for faults in it; a question about faults where that was all. */
export function withoutFault(text: string): string {
  if (!asked.test(text)) return text;
  return text.replaceAll(new RegExp(asked, 'gi'), '').trim() || 'Show the faults.';
}

/**
 * The faults that people ask for in their messages, in the last paragraph: a client may put a
 * question that failed in front of the next one, which is then to succeed. One with a number of times counts by the text
 * that asks for it: `/fault 503 2` fails twice, the third request is answered, and then anew.
 */
export class AskedFaults {
  readonly #counts = new Map<string, number>();

  take(text: string): Fault | undefined {
    const [match, name = '', number] = asked.exec(lastParagraph(text)) ?? [];
    if (match === undefined) return undefined;
    const fault = faultOf(name.toLowerCase(), number === undefined ? undefined : Number(number));
    return fault?.times === undefined || this.#holds(text, fault.times) ? fault : undefined;
  }

  #holds(text: string, times: number): boolean {
    const count = this.#counts.get(text) ?? 0;
    if (count < times) this.#counts.set(text, count + 1);
    else this.#counts.delete(text);
    return count < times;
  }
}

function lastParagraph(text: string): string {
  return (
    text
      .trimEnd()
      .split(/\n\s*\n/)
      .at(-1) ?? ''
  );
}

function faultOf(name: string, number: number | undefined): Fault | undefined {
  const times = number === undefined ? {} : { times: number };
  const after = number ?? 120;
  switch (name) {
    case 'cut':
    case 'socket':
    case 'stall':
    case 'malformed':
    case 'error':
      return { kind: name, after };
    case 'slow':
      return { kind: name, pace: number ?? 250 };
    case 'no-usage':
    case 'empty':
      return { kind: name };
    case 'html':
    case 'blank':
    case 'silence':
    case 'refused':
      return { kind: name, ...times };
    case 'redirect':
      return { kind: name, location: 'https://elsewhere.example/v1/chat/completions', ...times };
    default:
      return statusFault(Number(name), times);
  }
}

function statusFault(status: number, times: { times?: number }): Fault | undefined {
  if (!(status >= 400 && status < 600)) return undefined;
  const retryAfter = status === 429 ? { retryAfter: 3 } : {};
  return { kind: 'status', status, ...retryAfter, ...times };
}
