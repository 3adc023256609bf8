import type { ErrorReport } from './errorBody.ts';

/**
 * The kinds of errors between Aside and the service. The host turns a `kind` into a message and a
 * remedy; the error messages here are for logs and developers.
 */
export type ServiceErrorKind =
  /** A parameter is out of range; nothing was sent. */
  | 'invalid-request'
  /** The address is not a URL, or is plain http to another machine; nothing was sent. */
  | 'invalid-address'
  /** No API key is stored for this origin; nothing was sent. */
  | 'missing-key'
  /** No model is selected; nothing was sent. */
  | 'missing-model'
  /** 400, for other reasons. */
  | 'bad-request'
  /** 400 or 403: a content filter rejected the messages. */
  | 'filtered'
  /** 400 or 413: the messages are longer than the context window of the model. */
  | 'context-exceeded'
  /** 401 */
  | 'unauthorized'
  /** 402, or 429 with an error code for an exhausted balance. */
  | 'insufficient-balance'
  /** 403 */
  | 'forbidden'
  /** 404, or another status whose report says that the service lacks the model. */
  | 'not-found'
  /** 403, 404 or 405 from a server that doesn't know the path: a proxy, or a different service. */
  | 'wrong-address'
  /** 429 */
  | 'rate-limited'
  /** 500 to 599 */
  | 'server-error'
  /** Any other status that is not a success. */
  | 'unexpected-status'
  /** A redirect, which is never followed; `detail` is its target. */
  | 'redirected'
  /** A successful response whose body is neither a stream nor a completion. */
  | 'unexpected-reply'
  /** A model list that is larger than what is read. */
  | 'list-too-large'
  /** The reply ended without any text. */
  | 'empty-reply'
  /** A successful response contained an error, before or within the reply. */
  | 'in-stream'
  /**
   * The connection broke during a reply, or the stream ended without a finish reason or `[DONE]`.
   */
  | 'cut'
  /** The connection broke after the request was accepted, before any part of a reply. */
  | 'no-reply'
  /** The response isn't HTTP, or its body can't be decoded. */
  | 'unreadable'
  /** No data was received for too long. */
  | 'timeout'
  /** The connection could not be established. */
  | 'network'
  /** The service doesn't allow the page's origin (CORS); `detail` is the origin. */
  | 'origin-refused'
  /** The service allows the origin, but not the headers of the request. */
  | 'header-refused'
  /** The connection failed; the browser may block http:// from this page. */
  | 'mixed-content';

/** Details of a {@link ServiceError}. */
export interface ServiceErrorDetails {
  readonly status?: number | undefined;
  /** The service's error message, at most 300 characters. */
  readonly detail?: string | undefined;
  /** The service's error code, if it sent one. */
  readonly code?: string | number | undefined;
  /** The parameter of the request that caused the error, as reported. */
  readonly parameter?: string | undefined;
  /** The kind of a reported error, if there is no status to derive it from. */
  readonly reported?: ServiceErrorKind | undefined;
  /** Milliseconds that the service asked to wait. */
  readonly retryAfter?: number | undefined;
  /** The service's id of this request, useful for its support. */
  readonly requestId?: string | undefined;
  /** Host that the request was sent to. */
  readonly host?: string | undefined;
  readonly cause?: unknown;
}

/** An error reported by the service, or of the connection to it. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly kind: ServiceErrorKind;
  readonly status: number | undefined;
  readonly detail: string | undefined;
  readonly code: string | number | undefined;
  readonly parameter: string | undefined;
  readonly reported: ServiceErrorKind | undefined;
  readonly retryAfter: number | undefined;
  readonly requestId: string | undefined;
  readonly host: string | undefined;
  readonly #details: ServiceErrorDetails;

  constructor(kind: ServiceErrorKind, message: string, details: ServiceErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.kind = kind;
    this.status = details.status;
    this.detail = details.detail;
    this.code = details.code;
    this.parameter = details.parameter;
    this.reported = details.reported;
    this.retryAfter = details.retryAfter;
    this.requestId = details.requestId;
    this.host = details.host;
    this.#details = details;
  }

  /** The same error with the host that the request was sent to. */
  at(host: string): ServiceError {
    if (this.host !== undefined) return this;
    return new ServiceError(this.kind, this.message, { ...this.#details, host });
  }
}

/** Adds the host to an error of the service, see {@link ServiceError.at}. */
export function atHost<T>(error: T, host: string): T | ServiceError {
  return error instanceof ServiceError ? error.at(host) : error;
}

/** Maps an HTTP status to a kind of error (docs/service.md 7). */
export function kindOfStatus(status: number): ServiceErrorKind {
  switch (status) {
    case 400:
    case 422:
      return 'bad-request';
    case 401:
      return 'unauthorized';
    case 402:
      return 'insufficient-balance';
    case 403:
      return 'forbidden';
    case 404:
      return 'not-found';
    case 408:
      return 'server-error';
    case 413:
      return 'context-exceeded';
    case 429:
      return 'rate-limited';
    default:
      return status >= 500 && status <= 599 ? 'server-error' : 'unexpected-status';
  }
}

/** Error codes, in the form of {@link lettersOf}. */
const walletCodes = [
  'insufficientquota',
  'insufficientbalance',
  'insufficientcredits',
  'insufficientfunds',
  'balanceinsufficient',
  'balancenotenough',
  'balancetoolow',
  'creditbalancetoolow',
  'outofcredits',
  'outofcredit',
  'nocredits',
  'notenoughcredits',
  'paymentrequired',
  'arrearage',
  'accountoverdue',
  'billinghardlimitreached',
  'billingnotactive',
  'budgetexceeded',
];
const walletWords =
  /\binsufficient (account |credit |wallet )?(balance|credits?|funds)\b|\bbalance (is )?(too low|insufficient|not enough|exhausted)\b|\b(out of|not enough|no (more|remaining)) (credits?|funds)\b|\bpayment required\b|\bbudget has been exceeded\b|余额不足|餘額不足|欠费/i;
const contextCodes = [
  'contextlengthexceeded',
  'contextwindowexceeded',
  'contextlimitexceeded',
  'inputtoolong',
  'prompttoolong',
  'stringabovemaxlength',
  'tokenslimitreached',
  'toomanyprompttokens',
];
const contextWords =
  /\bcontext (length|window|size|limit)|maximum context|\btoo many (input |prompt )?tokens|\b(prompt|input|messages|conversation)( is| are)? too long\b|\btoken count\b.{0,40}\bexceeds the maximum\b/i;
const keyCodes = ['apikeyinvalid', 'invalidapikey', 'incorrectapikey'];
const keyWords = /\bapi key (is )?(not valid|invalid|expired)\b|\b(invalid|incorrect) api key\b/i;
const filterCodes = [
  'contentfilter',
  'contentfiltered',
  'contentfiltererror',
  'contentpolicyviolation',
  'contentmoderation',
  'contentblocked',
  'responsibleaipolicyviolation',
  'moderationblocked',
  'moderationerror',
  'datainspectionfailed',
  'guardrailviolation',
];
const filterWords =
  /\b(content|safety) (management )?(policy|filter|system)\b|\bmoderation\b|\binappropriate content\b/i;

const modelCodes = [
  'modelnotfound',
  'modelnotexist',
  'modelnotexists',
  'modeldoesnotexist',
  'modelnotavailable',
  'modelunavailable',
  'unavailablemodel',
  'modelnotsupported',
  'modelnotallowed',
  'modeldecommissioned',
  'modeldeprecated',
  'unknownmodel',
  'invalidmodel',
  'invalidmodelid',
  'invalidmodelname',
  'unsupportedmodel',
  'nosuchmodel',
  'deploymentnotfound',
  'dedicatedendpointnotrunning',
];
/** Nouns after `model` that are not the id of one. */
const partsOfModel =
  '(?:outputs?|inputs?|responses?|repl(?:y|ies)|formats?|options?|settings?|configuration|capabilit(?:y|ies)|features?|tools?|servers?)';

/**
 * Words about the model as a whole: `The model x does not exist`, `Invalid model: x`. An id may be
 * between the noun and the verb, so that no other subject is (`Model x: images aren't supported`).
 */
const modelWords = new RegExp(
  [
    String.raw`\bmodels?(?: or endpoint)?(?: (?:id|name|identifier))?[ :=/]{1,2}(?!${partsOfModel}\b)(?:[\`'"“‘][^\`'"”’]{1,200}[\`'"”’] |[^\s\`'",;:.][^\s\`'",;]{0,200} )?(?:(?:is|was|are|could|can)(?: |(?=n't)))?(?:do(?:es)?(?: not|n't) exist|not exists?\b|(?:not|n't) (?:be )?(?:found|known|available|recognized|valid|supported|deployed)\b|not support(?=\W*$)|no longer (?:available|supported|exists)|(?<=\b(?:is|was) )(?:unavailable|unknown|invalid)\b|has been (?:deprecated|decommissioned|retired|removed|discontinued|shut down)|(?:version )?has reached (?:the )?end of (?:its )?life)`,
    String.raw`\b(?:invalid|unknown|unsupported|unrecognized|nonexistent|no such) model\b(?! (?:\w+ )?(?:${partsOfModel}|parameters?|arguments?)\b)`,
    String.raw`\bnot a (?:valid|known|supported|chat) model\b|\bnot found the model\b|\bunable to access (?:non-serverless )?model\b|\bno endpoints found for\b`,
    '模型[^，。]{0,80}(?:不存在|未找到|已下线)|(?:不支持|无效|不存在)的模型(?!参数)|未知模型',
  ].join('|'),
  'i',
);

/** Words of servers that give a refusal of tools another status than 400. */
const toolsWords =
  /\b(?:not|n't) support (?:tools?|functions?)\b|\bno endpoints found that support tool|\btools? param(?:eter)?s? requires?\b|\bunsupported param(?:eter)?:? \W?tools\b/i;

/** A code in lower case without separators: `insufficientquota`. */
export function lettersOf(code: string | number | undefined): string {
  return `${code ?? ''}`.toLowerCase().replace(/[^a-z]/g, '');
}

/** A kind of error that a report states more precisely than its status. */
function kindOfReport({ code, type, message }: ErrorReport): ServiceErrorKind | undefined {
  const names = [code, type].map(lettersOf);
  const isOneOf = (codes: readonly string[]): boolean => names.some((name) => codes.includes(name));
  if (isOneOf(walletCodes) || walletWords.test(message)) return 'insufficient-balance';
  if (isOneOf(contextCodes) || contextWords.test(message)) return 'context-exceeded';
  if (isOneOf(filterCodes) || filterWords.test(message)) return 'filtered';
  if (isOneOf(keyCodes) || keyWords.test(message)) return 'unauthorized';
  if (toolsWords.test(message)) return 'bad-request';
  return isOneOf(modelCodes) || modelWords.test(message) ? 'not-found' : undefined;
}

/** The statuses that a report of each kind may have. */
const statusesOf: ReadonlyMap<ServiceErrorKind, readonly number[]> = new Map([
  ['insufficient-balance', [400, 403, 429]],
  ['context-exceeded', [400, 413, 422]],
  ['filtered', [400, 403, 422]],
  ['unauthorized', [400]],
  ['bad-request', [400, 404, 422, 500, 501]],
  ['not-found', [400, 404, 422]],
]);

/** Messages of servers about an unknown path, as opposed to an unknown model. */
const unknownPath =
  /^(404[: ]*)?((page|path|url|route|resource)( was)? )?not found\W*$|\bno route\b/i;

/** Cloudflare's response in place of a service behind it. */
const gatewayRefusal = /^error code: 10\d\d$/i;

/** The kind of an error response, from its status and body (docs/service.md 7). */
export function kindOfRefusal(status: number, report: ErrorReport): ServiceErrorKind {
  const precise = kindOfReport(report);
  if (precise !== undefined && statusesOf.get(precise)?.includes(status) === true) return precise;
  const isElsewhere =
    (status === 404 && unknownPath.test(report.message)) ||
    (status === 403 && gatewayRefusal.test(report.message));
  if (isElsewhere || (report.isPage && [403, 404, 405].includes(status))) return 'wrong-address';
  return kindOfStatus(status);
}

/** The error in a successful response (see `in-stream`). */
export function reportedError(report: ErrorReport): ServiceError {
  const { message: detail, code } = report;
  const status = Number(code);
  const byCode = status >= 400 && status <= 599 ? kindOfStatus(status) : undefined;
  const reported = kindOfReport(report) ?? byCode;
  return new ServiceError('in-stream', 'The response reports an error', { detail, code, reported });
}
