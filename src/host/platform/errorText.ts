import * as vscode from 'vscode';
import type { Remedy } from '../../core/conversation/conversation.ts';
import { demoHost } from '../../core/service/address.ts';
import { ServiceError, type ServiceErrorKind } from '../../core/service/errors.ts';
import { plainLine } from '../../core/support/text.ts';
import { FailedReply, UserError } from './errors.ts';
import { formatDelay } from './formatDelay.ts';
import {
  type NetworkCause,
  networkCause,
  type UnreadableCause,
  unreadableCause,
} from '../../core/service/retry.ts';
import { systemClock } from '../../core/support/clock.ts';
import type { Redactor } from '../../core/support/redact.ts';
import { commands } from '../contributions.ts';
import { notify } from './dialogs.ts';
import type { Log } from './log.ts';
import type { CurrentSettings } from './settings.ts';

/** The text of an error: the cause, the remedy, and its button. */
export interface ErrorText {
  readonly kind: string;
  readonly message: string;
  readonly remedy?: Remedy | undefined;
}

export interface ErrorContext {
  /** Removes secrets, since the quoted message of the service may contain a key. */
  readonly redact: (text: string) => string;
  /** Milliseconds since the Unix epoch, to show when to try again. */
  readonly now: number;
  /** VS Code's display language, for times. */
  readonly language: string;
  /** The model of the request; undefined if it has none, as for the model list. */
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
    const isNamed = error.host !== undefined && error.host !== demoHost;
    const sentence = isNamed ? text : text.slice(0, 1).toLocaleUpperCase() + text.slice(1);
    const message = quote ? withDetail(sentence, error) : sentence;
    return { kind: error.kind, message, remedy };
  }
  if (error instanceof FailedReply) {
    return describe(error.cause, { ...context, model: error.model });
  }
  if (error instanceof UserError) {
    return { kind: 'refused', message: error.message, remedy: error.remedy };
  }
  if (error instanceof Error && error.name === 'AbortError') {
    return { kind: 'stopped', message: vscode.l10n.t('Stopped.') };
  }
  const reason = error instanceof Error ? error.message : String(error);
  const message = vscode.l10n.t(
    'Something went wrong in Aside: {0}. See the log for details.',
    trim(reason),
  );
  return { kind: 'unexpected', message };
}

interface Sentence {
  readonly text: string;
  readonly remedy?: Remedy;
  /** False if the text already contains the detail, or the person doesn't need it. */
  readonly quote?: boolean;
}

type Describe = (error: ServiceError, context: ErrorContext) => Sentence;

const sentences: Record<ServiceErrorKind, Describe> = {
  'invalid-request': (error) => ({
    text: vscode.l10n.t(
      "Not sent: the request isn't valid ({0}). Check the chat options and the settings.",
      trim(error.detail ?? error.message),
    ),
    quote: false,
  }),
  'invalid-address': () => ({
    text: vscode.l10n.t(
      "Aside isn't connected to a service. It needs a base URL that starts with https://. Connect to a service, or try the demo.",
    ),
    remedy: 'connect',
    quote: false,
  }),
  'missing-key': (error) => ({
    text:
      error.cause === undefined
        ? vscode.l10n.t("There's no API key for {0} yet. Set the key to continue.", hostOf(error))
        : vscode.l10n.t(
            "Can't read the key for {0} from VS Code's secret storage. Set it again, or unlock this machine's keyring.",
            hostOf(error),
          ),
    remedy: 'set-api-key',
    quote: false,
  }),
  'missing-model': () => ({
    text: vscode.l10n.t('No model is selected yet. Select one to continue.'),
    remedy: 'select-model',
    quote: false,
  }),
  'bad-request': (error) => ({
    text: vscode.l10n.t(
      '{0} rejected the request ({1}). The chat options may not suit this model, or the conversation may be too long for it.',
      hostOf(error),
      error.status ?? 400,
    ),
  }),
  filtered: (error) => ({
    text: vscode.l10n.t(
      'The content filter of {0} blocked this message. Change the message or its attachments, or select another model.',
      hostOf(error),
    ),
    remedy: 'select-model',
  }),
  'context-exceeded': (error) => ({
    text: vscode.l10n.t(
      '{0} rejected the request: the conversation is too long for this model. Start a new chat, remove attachments, or select a model with a larger context window.',
      hostOf(error),
    ),
    remedy: 'new-chat',
  }),
  unauthorized: (error) => ({
    text: vscode.l10n.t(
      '{0} rejected the API key (401). It may be wrong, deleted, or expired. Set another key.',
      hostOf(error),
    ),
    remedy: 'set-api-key',
  }),
  'insufficient-balance': (error) => ({
    text: vscode.l10n.t(
      'The wallet at {0} is empty or its balance is too low for this request ({1}). Top it up in the console, then try again.',
      hostOf(error),
      error.status ?? 402,
    ),
    remedy: 'open-console',
  }),
  forbidden: (error, { model }) => ({
    text:
      model === undefined
        ? vscode.l10n.t('{0} denied access for this API key (403). Set another key.', hostOf(error))
        : vscode.l10n.t(
            "Your API key doesn't have access to the model {1} at {0} (403). Select another model, or set another key.",
            hostOf(error),
            model,
          ),
    remedy: model === undefined ? 'set-api-key' : 'select-model',
  }),
  'not-found': (error, { model }) => ({
    text:
      model === undefined
        ? vscode.l10n.t(
            '{0} returned 404 Not Found. Check the base URL, which usually ends with /v1.',
            hostOf(error),
          )
        : vscode.l10n.t(
            "{0} doesn't have the model {1} ({2}). Select another one.",
            hostOf(error),
            model,
            error.status ?? 404,
          ),
    remedy: model === undefined ? 'connect' : 'select-model',
  }),
  'wrong-address': (error) => ({
    text: vscode.l10n.t(
      '{0} has no chat service at this address ({1}). Check the base URL, which usually ends with /v1, and your proxy.',
      hostOf(error),
      error.status ?? 404,
    ),
    remedy: 'connect',
  }),
  'rate-limited': (error, { ...context }) => ({
    text: !isNearby(error.retryAfter)
      ? vscode.l10n.t(
          '{0}: the rate limit for this API key was exceeded (429). Wait a moment, then try again.',
          hostOf(error),
        )
      : vscode.l10n.t(
          '{0}: the rate limit for this API key was exceeded (429). Try again {1}.',
          hostOf(error),
          formatDelay(error.retryAfter, context),
        ),
    remedy: 'try-again',
  }),
  'server-error': (error, { ...context }) => ({
    text: !isNearby(error.retryAfter)
      ? vscode.l10n.t(
          '{0} had an internal error ({1}). Try again later.',
          hostOf(error),
          error.status ?? 500,
        )
      : vscode.l10n.t(
          '{0} had an internal error ({1}). Try again {2}.',
          hostOf(error),
          error.status ?? 500,
          formatDelay(error.retryAfter, context),
        ),
    remedy: 'try-again',
  }),
  'unexpected-status': (error) =>
    error.status === 407
      ? { text: networkText('proxy-login', hostOf(error)), remedy: 'try-again' }
      : {
          text: vscode.l10n.t(
            'Unexpected response from {0} (status {1}).',
            hostOf(error),
            error.status ?? 0,
          ),
          remedy: 'try-again',
        },
  redirected: (error) => ({
    text:
      error.detail === undefined
        ? vscode.l10n.t(
            "{0} redirects to another address. To protect your key and messages, Aside doesn't follow redirects. If the service has moved, connect to its new address.",
            hostOf(error),
          )
        : vscode.l10n.t(
            "{0} redirects to {1}. To protect your key and messages, Aside doesn't follow redirects. If the service has moved, connect to its new address.",
            hostOf(error),
            error.detail,
          ),
    remedy: 'connect',
    quote: false,
  }),
  'unexpected-reply': (error, { model }) => ({
    text:
      model === undefined
        ? vscode.l10n.t(
            "{0} returned something that isn't a list of models. Check the base URL, which usually ends with /v1.",
            hostOf(error),
          )
        : vscode.l10n.t(
            "{0} returned something that isn't a chat reply. Check the base URL, which usually ends with /v1.",
            hostOf(error),
          ),
    remedy: 'connect',
  }),
  'list-too-large': (error) => ({
    text: vscode.l10n.t(
      '{0} sent a model list that is too large to read. Enter the model ID in {1}.',
      hostOf(error),
      'aside.model',
    ),
    quote: false,
  }),
  'empty-reply': (error) => ({
    text: vscode.l10n.t(
      '{0} returned an empty reply. Try again, or select another model.',
      hostOf(error),
    ),
    remedy: 'try-again',
  }),
  'in-stream': (error, context) => ({
    text: vscode.l10n.t('{0} returned an error instead of a complete reply.', hostOf(error)),
    remedy: (error.reported && sentences[error.reported](error, context).remedy) ?? 'try-again',
  }),
  cut: (error) => ({
    text: vscode.l10n.t(
      'Lost the connection to {0} before the reply was complete. The text received so far was kept.',
      hostOf(error),
    ),
    remedy: 'try-again',
  }),
  'no-reply': (error) => ({
    text: networkText('broken', hostOf(error)),
    remedy: 'try-again',
    quote: false,
  }),
  unreadable: (error) => ({
    text: unreadableSentences[unreadableCause(error) ?? 'headers'](hostOf(error)),
    remedy: 'try-again',
    quote: false,
  }),
  timeout: (error, { silenceSeconds }) => ({
    text:
      silenceSeconds === undefined
        ? vscode.l10n.t('{0} sent no data for too long. Try again.', hostOf(error))
        : vscode.l10n.t(
            '{0} sent no data for {1} seconds. Try again, or increase {2}.',
            hostOf(error),
            silenceSeconds,
            'aside.requestTimeoutSeconds',
          ),
    remedy: 'try-again',
  }),
  network: (error) => ({
    text: networkText(error, hostOf(error)),
    remedy: 'try-again',
    quote: false,
  }),
  'origin-refused': (error) => ({
    text: vscode.l10n.t(
      "{0} doesn't allow requests from the browser (CORS). Use VS Code on the desktop or in a remote window, connect to another service, or have the service allow the origin {1}.",
      hostOf(error),
      error.detail ?? '',
    ),
    remedy: 'connect',
    quote: false,
  }),
  'header-refused': (error) => ({
    text: vscode.l10n.t(
      "{0} doesn't allow requests with an API key from the browser (CORS). Use VS Code on the desktop or in a remote window, connect to another service, or have the service list {1} in {2} for the origin {3}.",
      hostOf(error),
      'authorization, content-type',
      'Access-Control-Allow-Headers',
      error.detail ?? '',
    ),
    remedy: 'connect',
    quote: false,
  }),
  'mixed-content': (error) => ({
    text: vscode.l10n.t(
      "Can't connect to {0}. Check that the service is running. Your browser may also block http:// from this page: use https://, or VS Code on the desktop.",
      hostOf(error),
    ),
    remedy: 'try-again',
    quote: false,
  }),
};

/** True if a wait is worth showing: some services send a meaningless time. */
function isNearby(wait: number | undefined): wait is number {
  return wait !== undefined && wait >= 1000 && wait <= longestWait;
}

const longestWait = 86_400_000;

function withDetail(text: string, error: ServiceError): string {
  // Control and formatting characters could make the quotation look like text of Aside.
  const detail = plainLine(error.detail ?? '');
  return detail === '' ? text : `${text} ${vscode.l10n.t('The service reported: “{0}”', detail)}`;
}

function hostOf(error: ServiceError): string {
  if (error.host === demoHost) return vscode.l10n.t('the demo service');
  return error.host ?? vscode.l10n.t('the service');
}

/** Removes the full stop at the end, for the middle of a sentence. */
function trim(text: string): string {
  return text.trim().replace(/\.$/, '');
}

/** Explains why there was no connection, and how to fix it. */
function networkText(cause: unknown, host: string): string {
  return networkSentences[isCause(cause) ? cause : networkCause(cause)](host);
}

type HostSentence = (host: string) => string;

const networkSentences: Record<NetworkCause, HostSentence> = {
  'name-not-found': (host) =>
    vscode.l10n.t("Can't find the server {0}. Check the base URL and your connection.", host),
  refused: (host) =>
    vscode.l10n.t(
      "Can't connect to {0}. Check that the service is running and the port is correct.",
      host,
    ),
  offline: (host) =>
    vscode.l10n.t("Can't connect to {0}. This machine appears to be offline.", host),
  unreachable: (host) =>
    vscode.l10n.t("Can't reach {0}. Check your connection, firewall, and proxy.", host),
  'certificate-expired': (host) =>
    vscode.l10n.t(
      "The certificate of {0} has expired or isn't valid yet. Check the clock on this machine, or contact whoever runs the service.",
      host,
    ),
  'certificate-host': (host) =>
    vscode.l10n.t(
      'The certificate of {0} is for a different host, so nothing was sent. Check the base URL.',
      host,
    ),
  'certificate-untrusted': (host) =>
    vscode.l10n.t(
      "The certificate of {0} isn't trusted, so nothing was sent. Add your organization's certificate authority to this system's trusted certificates.",
      host,
    ),
  'proxy-login': (host) =>
    vscode.l10n.t(
      'The proxy for {0} requires authentication (407). Check the VS Code setting {1}.',
      host,
      'http.proxy',
    ),
  broken: (host) =>
    vscode.l10n.t('The connection to {0} was closed before a response arrived. Try again.', host),
  unknown: (host) =>
    vscode.l10n.t("Can't connect to {0}. Check your network and proxy, then try again.", host),
};

const unreadableSentences: Record<UnreadableCause, HostSentence> = {
  encoding: (host) =>
    vscode.l10n.t(
      "{0} sent a reply whose compression can't be read: it doesn't match the header {1}. Check your proxy, or contact whoever runs the service.",
      host,
      'Content-Encoding',
    ),
  chunks: (host) =>
    vscode.l10n.t(
      "{0} sent a reply that can't be read: it isn't divided into valid HTTP chunks. Check your proxy, or contact whoever runs the service.",
      host,
    ),
  headers: (host) =>
    vscode.l10n.t(
      "{0} sent a response that isn't valid HTTP. Check the base URL and your proxy, or contact whoever runs the service.",
      host,
    ),
};

function isCause(value: unknown): value is NetworkCause {
  return typeof value === 'string' && Object.hasOwn(networkSentences, value);
}

/** Turns errors into texts, and shows them as notifications outside the panel. */
export class ErrorReporter {
  readonly #redactor: Redactor;
  readonly #log: Log;
  readonly #settings: CurrentSettings;

  constructor(redactor: Redactor, log: Log, settings: CurrentSettings) {
    this.#redactor = redactor;
    this.#log = log;
    this.#settings = settings;
  }

  /** @param model the model of the request, if it had one */
  text(error: unknown, model?: string): ErrorText {
    return errorText(error, {
      redact: this.#redactor.redactError,
      now: systemClock.wall(),
      language: vscode.env.language,
      model,
      silenceSeconds: this.#settings.current().requestTimeoutSeconds,
    });
  }

  /** The text for a page whose request was rejected. Errors that are no refusal are logged. */
  readonly refusal = (error: unknown): string => {
    if (error instanceof UserError) return error.message;
    const { kind, message } = this.text(error);
    if (kind !== 'refused' && kind !== 'stopped') this.#log.error('A request of a page', error);
    return message;
  };

  /** Shows the error with its remedy as a button, and writes it to the log. */
  async show(error: unknown, what: string, tryAgain?: () => unknown): Promise<void> {
    const { message, remedy, kind } = this.text(error);
    if (kind === 'stopped') return;
    if (kind !== 'refused') this.#log.error(what, error);
    const hasButton = kind !== 'refused' || remedy !== undefined;
    const button = hasButton ? this.#button(remedy, tryAgain) : undefined;
    const buttons = button === undefined ? [] : [button.label];
    const chosen = await notify('error', message, ...buttons);
    if (chosen !== undefined) await button?.run();
  }

  #button(remedy?: Remedy, tryAgain?: () => unknown): Button | undefined {
    const command = (label: string, id: string): Button => ({
      label,
      run: () => vscode.commands.executeCommand(id),
    });
    if (remedy === undefined || remedy === 'without-tools')
      return command(vscode.l10n.t('Show Log'), commands.showLog);
    const raise = { label: vscode.l10n.t('Raise Budget…'), run: raiseBudget };
    const buttons: Readonly<Record<typeof remedy, Button | undefined>> = {
      'set-api-key': command(vscode.l10n.t('Set API Key'), commands.setApiKey),
      'select-model': command(vscode.l10n.t('Select Model'), commands.selectModel),
      'open-console': command(vscode.l10n.t('Open Console'), commands.openConsole),
      'new-chat': command(vscode.l10n.t('New Chat'), commands.newChat),
      connect: command(vscode.l10n.t('Connect'), commands.connect),
      'raise-budget': raise,
      'raise-chat-budget': raise,
      'try-again': tryAgain && { label: vscode.l10n.t('Try Again'), run: tryAgain },
    };
    return buttons[remedy];
  }
}

interface Button {
  readonly label: string;
  readonly run: () => unknown;
}

/** Asks for another budget. */
export async function raiseBudget(): Promise<void> {
  await vscode.commands.executeCommand(commands.setBudget);
}
