import { plainLine } from '../support/text.ts';
import { lettersOf, ServiceError } from './errors.ts';

/** Maps the letters of other services' reasons, in lower case, to those of section 2.2. */
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

/** Values that services send before there is a reason. */
const none = ['', 'null', 'none', 'undefined'];

/** False for a value such as `null`, sent before there is a reason. */
export function isFinishReason(written: string): boolean {
  return !none.includes(lettersOf(written)) || !/^[\w-]*$/.test(written);
}

/**
 * The equivalent finish reason of section 2.2: `length` for `MAX_TOKENS`. Unknown reasons are
 * returned unchanged.
 */
export function standardReason(written: string | undefined): string | undefined {
  return written === undefined ? undefined : (synonyms.get(lettersOf(written)) ?? written);
}

/**
 * The error of a reply that is incomplete according to its finish reason: the model gave up, or the
 * reason is unknown. The limit and the filter are reported separately.
 */
export function faultOfReason(reason: string | undefined): ServiceError | undefined {
  if (reason === 'error') return new ServiceError('in-stream', 'The model gave up');
  if (reason === undefined || synonyms.has(lettersOf(reason))) return undefined;
  const detail = plainLine(reason).slice(0, 100);
  return new ServiceError('in-stream', 'The reply ended for an unknown reason', { detail });
}
