import { foldOnVolume, isShortName, segmentsOf, type Target } from '../workspace/places.ts';

const secretNames: readonly RegExp[] = [
  /^\.env/,
  /\.(pem|p12|pfx|jks|keystore)$/,
  /^id_(rsa|dsa|ecdsa|ed25519)/,
  /^[._]netrc$/,
  /^\.(npmrc|pypirc|git-credentials|htpasswd)$/,
  /(^|\.)kubeconfig$/,
  /(^|[._-])kubeconfig\.(ya?ml|json)$/,
  /\.tfstate(\.|$)/,
];

/** Short names (`NAME~1`) of such files, also with a checksum in them, and their extensions. */
const ofShort =
  /^(env|id_[der]|_?netrc|npmrc|pypirc|git-c|htpas|kubec|(en|id|ne|np|py|gi|ht|ku)[\da-f]{4}~)|\.tfs$/;

/** Whether a name in the path is one of files with secrets. */
export function hasSecretName(path: string): boolean {
  const names = segmentsOf(path).map(foldOnVolume);
  return names.some((name, index) => isSecretName(name) || isOfKube(name, names[index - 1]));
}

function isOfKube(name: string, folder = ''): boolean {
  return name.startsWith('config') && /^(\.kube|kube~\d+)$/.test(folder);
}

function isSecretName(name: string): boolean {
  if (isShortName(name) && ofShort.test(name)) return true;
  return secretNames.some((pattern) => pattern.test(name));
}

/** Whether the file may be a key by its name; only its first bytes show whether it is. */
export function mayBeKey(path: string): boolean {
  return foldOnVolume(path).endsWith('.key');
}

/**
 * Whether reading the file needs an approval of its own.
 * @param head its first bytes; where undefined, the name alone decides
 */
export function isSecret(
  { named, location, kind }: Pick<Target, 'named' | 'location' | 'kind'>,
  head: Uint8Array | undefined,
): boolean {
  // Listing a folder shows names, never content.
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
