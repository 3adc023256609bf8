import { segmentsOf } from './places.ts';
import type { Target } from './target.ts';
import { foldOnVolume, isShortName } from './volumeNames.ts';

const patterns: readonly RegExp[] = [
  /^\.env/,
  /\.(pem|p12|pfx|jks|keystore)$/,
  /^id_(rsa|dsa|ecdsa|ed25519)/,
  /^[._]netrc$/,
  /^\.(npmrc|pypirc|git-credentials|htpasswd)$/,
  /(^|\.)kubeconfig$/,
  /(^|[._-])kubeconfig\.(ya?ml|json)$/,
  /\.tfstate(\.|$)/,
];

/** Beginnings of their short names, also of those with a checksum in them, and ends. */
const ofShort =
  /^(env|id_[der]|_?netrc|npmrc|pypirc|git-c|htpas|kubec|(en|id|ne|np|py|gi|ht|ku)[\da-f]{4}~)|\.tfs$/;

/** Whether one of the names looks like that of a file with secrets. */
export function hasSecretName(path: string): boolean {
  const names = segmentsOf(path).map(foldOnVolume);
  return names.some((name, index) => isSecretName(name) || isOfKube(name, names[index - 1]));
}

function isOfKube(name: string, folder = ''): boolean {
  return name.startsWith('config') && /^(\.kube|kube~\d+)$/.test(folder);
}

function isSecretName(name: string): boolean {
  if (isShortName(name) && ofShort.test(name)) return true;
  return patterns.some((pattern) => pattern.test(name));
}

/** Whether it may be a key: many files that end so are none, and their first bytes tell. */
export function mayBeKey(path: string): boolean {
  return foldOnVolume(path).endsWith('.key');
}

/**
 * Whether reading the file is asked one by one.
 * @param head its first bytes; undefined where nobody looked, and the name alone decides.
 */
export function isSecret(
  { named, location, kind }: Pick<Target, 'named' | 'location' | 'kind'>,
  head: Uint8Array | undefined,
): boolean {
  // A folder tells names, never content.
  if (kind === 'folder') return false;
  const paths = [named.path, location.path];
  if (paths.some(hasSecretName)) return true;
  return paths.some(mayBeKey) && (head === undefined || looksLikeKey(head));
}

function looksLikeKey(head: Uint8Array): boolean {
  if (head.includes(0)) return true;
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true });
    return text.trimStart().startsWith('-----BEGIN');
  } catch {
    return true;
  }
}
