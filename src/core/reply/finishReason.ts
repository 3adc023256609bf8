import { plainLine } from '../support/text.ts';
import { lettersOf, ServiceError } from './errors.ts';

/** Reasons of other interfaces, by their letters in lower case, for those of section 2.2. */
const synonyms: ReadonlyMap<string, string> = new Map(
  Object.entries({
    stop: 'stop eos eostoken endturn endofturn end endoftext stopsequence stopsequences stoptoken complete completed finish finished done success pauseturn',
    length:
      'length maxtokens maxtoken maxlength modellength maxoutputtokens maxcompletiontokens tokenlimit modelcontextwindowexceeded',
    tool_calls: 'toolcalls toolcall tooluse functioncall functioncalls',
    content_filter:
      'contentfilter contentfiltered safety refusal recitation blocklist prohibitedcontent spii sensitive moderation imagesafety guardrailintervened',
    error: 'error',
  }).flatMap(([reason, others]) => others.split(' ').map((other) => [other, reason] as const)),
);

/** Values that services write while there is no reason yet. */
const none = ['', 'null', 'none', 'undefined'];

/** False for a word such as `null` that says that there is no reason yet. */
export function isFinishReason(written: string): boolean {
  return !none.includes(lettersOf(written)) || !/^[\w-]*$/.test(written);
}

/**
 * The finish reason of section 2.2 that a service means: for `MAX_TOKENS` it is `length`. Any other
 * word stays as it is.
 */
export function standardReason(written: string | undefined): string | undefined {
  return written === undefined ? undefined : (synonyms.get(lettersOf(written)) ?? written);
}

/**
 * The error of a reply that is incomplete by its finish reason: the model gave up, or the reason is
 * unknown. The limit and the filter are reported separately.
 */
export function faultOfReason(reason: string | undefined): ServiceError | undefined {
  if (reason === 'error') return new ServiceError('in-stream', 'The model gave up');
  if (reason === undefined || synonyms.has(lettersOf(reason))) return undefined;
  const detail = plainLine(reason).slice(0, 100);
  return new ServiceError('in-stream', 'The reply ended for an unknown reason', { detail });
}
