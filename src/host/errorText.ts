import type { l10n } from 'vscode';
import type { Remedy } from '../core/conversation/conversation.ts';
import { ServiceError, type ServiceErrorKind } from '../core/service/errors.ts';
import { FailedReply, UserError } from './errors.ts';
import { formatDelay } from './formatDelay.ts';
import { networkText } from './networkText.ts';

/** An error in the person's words: what happened, what to do, and the button that does it. */
export interface ErrorText {
  readonly kind: string;
  readonly message: string;
  readonly remedy?: Remedy | undefined;
}

export interface ErrorContext {
  readonly l10n: Pick<typeof l10n, 't'>;
  /** Takes secrets out: the service's own words are quoted, and they may echo a key. */
  readonly redact: (text: string) => string;
  /** Milliseconds since the Unix epoch, to tell when to try again. */
  readonly now: number;
  /** VS Code's display language, for times. */
  readonly language: string;
  /** The model that was asked; absent when the request named none, as for the model list. */
  readonly model?: string | undefined;
  readonly silenceSeconds?: number | undefined;
}

/** Every error that Aside shows goes through here. */
export function errorText(error: unknown, context: ErrorContext): ErrorText {
  const { kind, message, remedy } = describe(error, context);
  return { kind, message: context.redact(message), remedy };
}

function describe(error: unknown, context: ErrorContext): ErrorText {
  if (error instanceof ServiceError) {
    const { text, remedy, quote = true } = sentences[error.kind](error, context);
    const message = quote ? withDetail(text, error, context) : text;
    return { kind: error.kind, message, remedy };
  }
  if (error instanceof FailedReply) {
    return describe(error.cause, { ...context, model: error.model });
  }
  if (error instanceof UserError) return { kind: 'refused', message: error.message };
  const { l10n } = context;
  if (error instanceof Error && error.name === 'AbortError') {
    return { kind: 'stopped', message: l10n.t('Stopped.') };
  }
  const reason = error instanceof Error ? error.message : String(error);
  const message = l10n.t('Something went wrong in Aside: {0}. The log tells more.', trim(reason));
  return { kind: 'unexpected', message };
}

interface Sentence {
  readonly text: string;
  readonly remedy?: Remedy;
  /** False where the detail is a part of the sentence already, or says nothing to the person. */
  readonly quote?: boolean;
}

type Describe = (error: ServiceError, context: ErrorContext) => Sentence;

const sentences: Record<ServiceErrorKind, Describe> = {
  'invalid-request': (error, { l10n }) => ({
    text: l10n.t(
      'Nothing was sent, since a part of the request does not fit: {0}. Change it in the options of the chat or in the settings.',
      trim(error.detail ?? error.message),
    ),
    quote: false,
  }),
  'invalid-address': (_, { l10n }) => ({
    text: l10n.t(
      'Aside is not connected to a service: it needs a base URL that starts with https://. Connect to a service, or try the demo.',
    ),
    remedy: 'connect',
    quote: false,
  }),
  'missing-key': (error, { l10n }) => ({
    text:
      error.cause === undefined
        ? l10n.t('There is no API key for {0} yet. Set the key to go on.', hostOf(error, l10n))
        : l10n.t(
            'The key for {0} could not be read from the secret storage of VS Code. Set it again, or unlock the keyring of this machine.',
            hostOf(error, l10n),
          ),
    remedy: 'set-api-key',
    quote: false,
  }),
  'missing-model': (_, { l10n }) => ({
    text: l10n.t('No model is chosen yet. Choose one to go on.'),
    remedy: 'select-model',
    quote: false,
  }),
  'bad-request': (error, { l10n }) => ({
    text: l10n.t(
      '{0} did not accept the request ({1}). The options of the chat may not fit this model, or the conversation may be too long for it.',
      hostOf(error, l10n),
      error.status ?? 400,
    ),
  }),
  unauthorized: (error, { l10n }) => ({
    text: l10n.t(
      '{0} refused the API key (401): it is wrong, deleted or expired. Set another key.',
      hostOf(error, l10n),
    ),
    remedy: 'set-api-key',
  }),
  'insufficient-balance': (error, { l10n }) => ({
    text: l10n.t(
      'The wallet at {0} is empty or too low for this request (402). Top it up in the console, then try again.',
      hostOf(error, l10n),
    ),
    remedy: 'open-console',
  }),
  forbidden: (error, { l10n, model }) => ({
    text:
      model === undefined
        ? l10n.t('{0} does not allow this with your API key (403).', hostOf(error, l10n))
        : l10n.t(
            '{0} does not allow the model {1} with your API key (403). Choose another model, or a key that may use it.',
            hostOf(error, l10n),
            model,
          ),
    remedy: model === undefined ? 'set-api-key' : 'select-model',
  }),
  'not-found': (error, { l10n, model }) => ({
    text:
      model === undefined
        ? l10n.t(
            '{0} has nothing at this address (404). Check the base URL, which mostly ends with /v1.',
            hostOf(error, l10n),
          )
        : l10n.t(
            '{0} does not know the model {1} (404). Choose another one.',
            hostOf(error, l10n),
            model,
          ),
    remedy: model === undefined ? 'connect' : 'select-model',
  }),
  'rate-limited': (error, { l10n, ...context }) => ({
    text:
      error.retryAfter === undefined
        ? l10n.t(
            'The rate limit of the API key is exceeded at {0} (429). Wait a little, then try again.',
            hostOf(error, l10n),
          )
        : l10n.t(
            'The rate limit of the API key is exceeded at {0} (429). Try again {1}.',
            hostOf(error, l10n),
            formatDelay(error.retryAfter, context),
          ),
    remedy: 'try-again',
  }),
  'server-error': (error, { l10n }) => ({
    text: l10n.t(
      '{0} has a fault of its own ({1}). Try again in a while.',
      hostOf(error, l10n),
      error.status ?? 500,
    ),
    remedy: 'try-again',
  }),
  'unexpected-status': (error, { l10n }) =>
    error.status === 407
      ? { text: networkText('proxy-login', hostOf(error, l10n), l10n), remedy: 'try-again' }
      : {
          text: l10n.t(
            '{0} answered in a way that Aside does not know (status {1}).',
            hostOf(error, l10n),
            error.status ?? 0,
          ),
          remedy: 'try-again',
        },
  redirected: (error, { l10n }) => ({
    text:
      error.detail === undefined
        ? l10n.t(
            '{0} redirects to another address. Aside does not follow, so that neither your key nor your words reach another host. If the service has moved, connect to its new address.',
            hostOf(error, l10n),
          )
        : l10n.t(
            '{0} redirects to {1}. Aside does not follow, so that neither your key nor your words reach another host. If the service has moved, connect to its new address.',
            hostOf(error, l10n),
            error.detail,
          ),
    remedy: 'connect',
    quote: false,
  }),
  'unexpected-reply': (error, { l10n }) => ({
    text: l10n.t(
      '{0} answered with something that is no chat reply. Check the base URL, which mostly ends with /v1.',
      hostOf(error, l10n),
    ),
    remedy: 'connect',
  }),
  'empty-reply': (error, { l10n }) => ({
    text: l10n.t(
      '{0} ended the reply without a word. Try again, or choose another model.',
      hostOf(error, l10n),
    ),
    remedy: 'try-again',
  }),
  'in-stream': (error, { l10n }) => ({
    text: l10n.t('{0} broke the reply off with an error.', hostOf(error, l10n)),
    remedy: 'try-again',
  }),
  cut: (error, { l10n }) => ({
    text: l10n.t(
      'The connection to {0} broke before the reply was complete. What came is kept.',
      hostOf(error, l10n),
    ),
    remedy: 'try-again',
  }),
  timeout: (error, { l10n, silenceSeconds }) => ({
    text:
      silenceSeconds === undefined
        ? l10n.t('{0} sent nothing for too long. Try again.', hostOf(error, l10n))
        : l10n.t(
            '{0} sent nothing for {1} seconds. Try again, or raise the setting {2}.',
            hostOf(error, l10n),
            silenceSeconds,
            'aside.requestTimeoutSeconds',
          ),
    remedy: 'try-again',
  }),
  network: (error, { l10n }) => ({
    text: networkText(error, hostOf(error, l10n), l10n),
    remedy: 'try-again',
    quote: false,
  }),
};

function withDetail(text: string, error: ServiceError, { l10n }: ErrorContext): string {
  // Control and formatting characters could make the quotation look like words of Aside.
  const detail = (error.detail ?? '').replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim();
  return detail === '' ? text : `${text} ${l10n.t('The service says: “{0}”', detail)}`;
}

function hostOf(error: ServiceError, l10n: ErrorContext['l10n']): string {
  return error.host ?? l10n.t('The service');
}

/** Without the full stop at the end, for the middle of a sentence. */
function trim(text: string): string {
  return text.trim().replace(/\.$/, '');
}
