import type { Client, CompletionEvent } from './client.ts';
import { lettersOf, ServiceError } from './errors.ts';
import { refusableOptions, type RefusedOption } from './modelFacts.ts';
import type { CompletionRequest } from './wire.ts';

/** The request without the options that its model refuses; the same object if that changes nothing. */
export function withoutRefused(
  request: CompletionRequest,
  refused: readonly RefusedOption[],
): CompletionRequest {
  if (refused.every((name) => request[name] === undefined)) return request;
  const { temperature, top_p, stop, max_tokens, ...others } = request;
  const isSent = (name: RefusedOption): boolean =>
    request[name] !== undefined && !refused.includes(name);
  const isRenamed = max_tokens !== undefined && !isSent('max_tokens');
  return {
    ...others,
    ...(isSent('max_tokens') ? { max_tokens } : {}),
    ...(isRenamed ? { max_completion_tokens: max_tokens } : {}),
    ...(isSent('temperature') ? { temperature } : {}),
    ...(isSent('top_p') ? { top_p } : {}),
    ...(isSent('stop') ? { stop } : {}),
  };
}

/** Words of a refusal that is about the option itself and not about its value. */
const refusal =
  /\bunsupported\b|\b(?:not|n't) (?:be )?(?:supported|permitted|allowed|accepted|recognized)\b|\b(?:doesn't|does not|do not|don't) support\b|\bun(?:recognized|known|expected)\b|\bdeprecated\b|\bonly the default\b|\bboth (?:be )?(?:specified|set|used)\b|\bonly one\b/i;

/** Codes of the services for the same, see {@link lettersOf}. */
const refusalCodes = ['unsupportedparameter', 'unsupportedvalue', 'extraforbidden'];

/** True if an error is about an option itself, and not about its value. */
export function isRefusal(error: unknown): error is ServiceError {
  if (!(error instanceof ServiceError) || error.kind !== 'bad-request') return false;
  return refusal.test(error.detail ?? '') || refusalCodes.includes(lettersOf(error.code));
}

/**
 * The option that a service refuses in the words of its error; undefined if they are about
 * something else, for example a value that is out of range.
 */
export function refusedOption(
  error: unknown,
  request: CompletionRequest,
): RefusedOption | undefined {
  if (!isRefusal(error)) return undefined;
  const { detail = '', parameter } = error;
  const sent = refusableOptions.filter((name) => request[name] !== undefined);
  const named = sent.filter((name) => parameter === name || isNamed(name, detail));
  // If two options exclude each other, the interface's own default is closer without `top_p`.
  const option = named.includes('top_p') ? 'top_p' : named[0];
  const isRenamed = option !== 'max_tokens' || detail.includes('max_completion_tokens');
  return isRenamed ? option : undefined;
}

/** `stop` is also a word, so it counts only in quotes. */
function isNamed(name: RefusedOption, detail: string): boolean {
  const pattern = name === 'stop' ? '[\'"`]stop[\'"`]' : String.raw`\b${name}\b`;
  return new RegExp(pattern).test(detail);
}

interface RefusalOptions {
  /** The options that a model is known to refuse. */
  readonly refusedBy: (model: string) => readonly RefusedOption[];
  /** Called when a model refused an option and accepted the same request without it. */
  readonly onRefused: (model: string, option: RefusedOption) => void;
}

/**
 * Wraps a client to send requests without the options that their model refuses. A request that is
 * refused for one of them is sent again at once, once for each option.
 */
export function withoutRefusedOptions(client: Client, options: RefusalOptions): Client {
  return {
    ...client,
    async *stream(request, ...sending): AsyncGenerator<CompletionEvent, void> {
      const { model } = request;
      const refused: RefusedOption[] = [];
      for (;;) {
        const sent = withoutRefused(request, [...options.refusedBy(model), ...refused]);
        try {
          for await (const event of client.stream(sent, ...sending)) {
            if (event.type === 'end') for (const name of refused) options.onRefused(model, name);
            yield event;
          }
          return;
        } catch (error) {
          const option = refusedOption(error, sent);
          if (option === undefined) throw error;
          refused.push(option);
        }
      }
    },
  };
}
