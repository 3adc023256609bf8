import type { Completion } from './completion.ts';
import type { CompletionRequest } from './wire.ts';

/**
 * What was learned of an origin about usage in streams. The interface says that usage usually
 * comes by itself (section 4.1, rule 3); only where it did not come is it asked for with the
 * OpenAI standard's `stream_options`, and not any more where the service refuses that.
 */
export class UsageHabit {
  readonly #origins = new Map<string, 'ask' | 'refused'>();

  /** The request as it should be sent to this origin: the same object where nothing is added. */
  apply(origin: string, request: CompletionRequest): CompletionRequest {
    if (request.stream !== true || request.stream_options !== undefined) return request;
    if (this.#origins.get(origin) !== 'ask') return request;
    return { ...request, stream_options: { include_usage: true } };
  }

  /** Looks whether a stream that came to its end reported its usage. */
  learn(origin: string, completion: Completion): void {
    const ended = completion.fault === undefined;
    if (ended && completion.usage === undefined && !this.#origins.has(origin)) {
      this.#origins.set(origin, 'ask');
    }
  }

  /** The origin refused the option and took the same request without it. */
  refuse(origin: string): void {
    this.#origins.set(origin, 'refused');
  }
}
