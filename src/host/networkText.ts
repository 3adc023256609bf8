import type { l10n } from 'vscode';
import { networkCause, type NetworkCause } from '../core/service/retry.ts';

type L10n = Pick<typeof l10n, 't'>;

/** Why there was no connection, and what helps against that. */
export function networkText(cause: unknown, host: string, words: L10n): string {
  return sentences[isCause(cause) ? cause : networkCause(cause)](host, words);
}

type Sentence = (host: string, l10n: L10n) => string;

const sentences: Record<NetworkCause, Sentence> = {
  'name-not-found': (host, l10n) =>
    l10n.t(
      'The name {0} cannot be found. Check the spelling of the base URL and your connection.',
      host,
    ),
  refused: (host, l10n) =>
    l10n.t('Nothing answers at {0}. Check that the service runs and that the port is right.', host),
  offline: (host, l10n) =>
    l10n.t('There is no connection to {0}: this machine seems to be offline.', host),
  unreachable: (host, l10n) =>
    l10n.t('{0} cannot be reached. Check your connection, firewall and proxy.', host),
  'certificate-expired': (host, l10n) =>
    l10n.t(
      'The certificate of {0} is not valid today. Check the clock of this machine, or tell whoever runs the service.',
      host,
    ),
  'certificate-host': (host, l10n) =>
    l10n.t(
      'The certificate at {0} belongs to another host, so nothing was sent. Check the base URL.',
      host,
    ),
  'certificate-untrusted': (host, l10n) =>
    l10n.t(
      'The certificate of {0} is signed by nobody whom this machine trusts, so nothing was sent. Add the authority of your organization to the certificates of this system.',
      host,
    ),
  'proxy-login': (host, l10n) =>
    l10n.t(
      'The proxy on the way to {0} asks for a login (407). Check the setting {1} of VS Code.',
      host,
      'http.proxy',
    ),
  broken: (host, l10n) =>
    l10n.t('The connection to {0} was closed before an answer came. Try again.', host),
  unknown: (host, l10n) =>
    l10n.t('There is no connection to {0}. Check your network and proxy, then try again.', host),
};

function isCause(value: unknown): value is NetworkCause {
  return typeof value === 'string' && Object.hasOwn(sentences, value);
}
