import * as vscode from 'vscode';
import {
  networkCause,
  unreadableCause,
  type NetworkCause,
  type UnreadableCause,
} from '../core/service/retry.ts';

/** Explains why there was no connection, and how to fix it. */
export function networkText(cause: unknown, host: string): string {
  return sentences[isCause(cause) ? cause : networkCause(cause)](host);
}

type Sentence = (host: string) => string;

const sentences: Record<NetworkCause, Sentence> = {
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

/** Explains why a response can't be read. The request was sent, so it may have been paid for. */
export function unreadableText(cause: unknown, host: string): string {
  return unreadableSentences[unreadableCause(cause) ?? 'headers'](host);
}

const unreadableSentences: Record<UnreadableCause, Sentence> = {
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
  return typeof value === 'string' && Object.hasOwn(sentences, value);
}
