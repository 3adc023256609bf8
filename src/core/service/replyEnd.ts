import { plainLine } from '../support/text.ts';
import { lettersOf, ServiceError, type ServiceErrorKind } from './errors.ts';

/** The part of a response that was received. */
export type Said =
  /** Not even a status. */
  | 'no status'
  /** Success, and a body of only white space and comments. */
  | 'nothing'
  /** Success, and neither a reply nor an error report: a web page. */
  | 'no reply'
  /** Success, and an error report, possibly after part of a reply. */
  | 'an error'
  /** Part of a reply, without its end. */
  | 'part of a reply'
  /** A finish reason after everything else. */
  | 'a finish reason'
  /**
   * A finish reason that may not mark the end: content followed an earlier finish reason of this
   * reply or origin, or the arguments of a call aren't a complete JSON object.
   */
  | 'a doubtful finish reason'
  /** `[DONE]`, or one complete JSON object. Nothing is read after it. */
  | 'the end';

/** How the bytes of a response ended. */
export type Ended =
  /** Regular end of the body by HTTP. */
  | 'closed'
  /** End of the connection without an announced length: it may have been reset. */
  | 'hung up'
  /** The connection broke. */
  | 'broken'
  /** The bytes aren't HTTP, or can't be decoded. */
  | 'unreadable'
  /** After a finish reason or an error, no event for 5 seconds, or too much meaningless data. */
  | 'quiet'
  /** No byte for `aside.requestTimeoutSeconds`. */
  | 'silent'
  /** No more data after the machine slept. */
  | 'asleep'
  /** An event, or a whole reply, is longer than 16 MiB. */
  | 'oversized';

/** The outcome of a response: a complete reply, or an error of this kind. */
export type ReplyOutcome =
  | 'whole'
  | Extract<
      ServiceErrorKind,
      | 'network'
      | 'no-reply'
      | 'empty-reply'
      | 'unexpected-reply'
      | 'in-stream'
      | 'unreadable'
      | 'cut'
      | 'timeout'
    >;

function always(outcome: ReplyOutcome): Readonly<Record<Ended, ReplyOutcome>> {
  return {
    closed: outcome,
    'hung up': outcome,
    broken: outcome,
    unreadable: outcome,
    quiet: outcome,
    silent: outcome,
    asleep: outcome,
    oversized: outcome,
  };
}

const interrupted = {
  closed: 'cut',
  'hung up': 'cut',
  broken: 'cut',
  unreadable: 'unreadable',
  quiet: 'cut',
  silent: 'timeout',
  asleep: 'cut',
  oversized: 'cut',
} as const;

const before = { broken: 'no-reply', unreadable: 'unreadable', quiet: 'timeout' } as const;

/** The end of a reply: the table of docs/service.md 4.1. */
export const replyEnds: Readonly<Record<Said, Readonly<Record<Ended, ReplyOutcome>>>> = {
  'no status': {
    ...interrupted,
    ...before,
    closed: 'network',
    'hung up': 'network',
    broken: 'network',
    asleep: 'no-reply',
    oversized: 'unreadable',
  },
  nothing: {
    ...interrupted,
    ...before,
    closed: 'empty-reply',
    'hung up': 'empty-reply',
    asleep: 'no-reply',
  },
  'no reply': always('unexpected-reply'),
  'an error': always('in-stream'),
  'part of a reply': interrupted,
  'a finish reason': { ...always('whole'), oversized: 'cut' },
  'a doubtful finish reason': { ...interrupted, closed: 'whole' },
  'the end': always('whole'),
};

interface Handling {
  /** `cut` becomes `failed` if the turn has no text, thinking or calls. */
  readonly status: 'finished' | 'cut';
  /** True if the request is repeated automatically (docs/service.md 7). */
  readonly retried: boolean;
  /** True if calls of the reply may run. */
  readonly runsCalls: boolean;
}

const dropped: Handling = { status: 'cut', retried: false, runsCalls: false };

/** Only requests without any response are repeated. */
export const outcomes: Readonly<Record<ReplyOutcome, Handling>> = {
  whole: { status: 'finished', retried: false, runsCalls: true },
  network: { ...dropped, retried: true },
  'no-reply': dropped,
  'empty-reply': dropped,
  'unexpected-reply': dropped,
  'in-stream': dropped,
  unreadable: dropped,
  cut: dropped,
  timeout: dropped,
};

/** The handling of a reply with this fault, or with none. */
export function handlingOf(fault: ServiceError | undefined): Handling {
  if (fault === undefined) return outcomes.whole;
  const isOutcome = (kind: ServiceErrorKind | ReplyOutcome): kind is ReplyOutcome =>
    Object.hasOwn(outcomes, kind);
  return isOutcome(fault.kind) ? outcomes[fault.kind] : dropped;
}

/** The fault as shown when nothing of the reply was visible, so that nothing was cut. */
export function beforeReply(fault: ServiceError): ServiceError {
  if (fault.kind !== 'cut') return fault;
  const { message, host, cause } = fault;
  return new ServiceError('no-reply', message, { host, cause });
}

const messages: Readonly<Record<Ended, string>> = {
  closed: 'The body ended before the reply did',
  'hung up': 'The connection ended before the reply did',
  broken: 'The connection broke',
  unreadable: 'The response cannot be read',
  quiet: 'Nothing followed the finish reason',
  silent: 'Nothing came for too long',
  asleep: 'Nothing came any more after the machine slept',
  oversized: 'The body, or an event of it, was longer than 16 MiB',
};

/** Thrown when the bytes of a response end early. The reader knows how much was received. */
export class ResponseEnd extends Error {
  override readonly name = 'ResponseEnd';
  readonly ended: Ended;

  constructor(ended: Ended, cause?: unknown) {
    super(messages[ended], cause === undefined ? undefined : { cause });
    this.ended = ended;
  }

  /** The error to show; undefined if the reply is complete nevertheless. */
  toError(said: 'no status' | 'nothing' | 'part of a reply'): ServiceError;
  toError(said: Said): ServiceError | undefined;
  toError(said: Said): ServiceError | undefined {
    const outcome = replyEnds[said][this.ended];
    if (outcome === 'whole') return undefined;
    return new ServiceError(outcome, this.message, { cause: this.cause });
  }
}

/** Maps the letters of other services' reasons, in lower case, to those of docs/service.md 2.2. */
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
 * The equivalent finish reason of docs/service.md 2.2: `length` for `MAX_TOKENS`. Unknown reasons
 * are returned unchanged.
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
