import fc from 'fast-check';

/** Fake tokens in the formats of services: a known prefix and random characters. */
export const tokens = fc.oneof(
  ...[
    /^gh[opsur]_[A-Za-z0-9]{36,60}$/,
    /^github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59}$/,
    /^glpat-[A-Za-z0-9_-]{19}[A-Za-z0-9]$/,
    /^xox[abprs]-[0-9]{10,13}-[A-Za-z0-9]{24}$/,
    /^(?:AKIA|ASIA)[A-Z0-9]{16}$/,
    /^AIza[A-Za-z0-9_-]{34}[A-Za-z0-9]$/,
    /^[rs]k_live_[A-Za-z0-9]{24,40}$/,
    /^npm_[A-Za-z0-9]{36}$/,
    /^sk-[A-Za-z0-9]{47}[A-Z0-9]$/,
    /^sk-ant-api03-[A-Za-z0-9_-]{80}[A-Z0-9]$/,
    /^hf_[A-Za-z]{34}$/,
    /^SG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{42}[A-Za-z0-9]$/,
    /^pypi-AgEIcHlwaS5vcmc[A-Za-z0-9_-]{60}[A-Za-z0-9]$/,
    /^hvs\.[A-Za-z0-9]{24}$/,
    /^v1\.0-[a-f0-9]{24}-[a-f0-9]{146}$/,
    /^cf[ua]t_[A-Za-z0-9]{48}$/,
    /^A{21}[A-Z]{4}[A-Za-z0-9]{2}A{6}[A-Za-z0-9]{10}(?:%2[BF])?[A-Za-z0-9]{20}%3D[A-Za-z0-9]{50}$/,
    /^dckr_pat_[A-Za-z0-9_-]{26}[A-Za-z0-9]$/,
    /^dp\.pt\.[A-Za-z0-9]{43}$/,
    /^fm2_[A-Za-z0-9+/]{60,80}$/,
    /^sq0atp-[A-Za-z0-9_-]{21}[A-Za-z0-9]$/,
    /^pul-[a-f0-9]{40}$/,
    /^NRAK-[A-Z0-9]{27}$/,
    /^sbp_[a-f0-9]{40}$/,
    /^lin_api_[A-Za-z0-9]{40}$/,
    /^ntn_[A-Za-z0-9]{46}$/,
    /^key-[a-f0-9]{32}$/,
    /^[1-9][0-9]{8,9}:AA[A-Za-z0-9_-]{32}[A-Za-z0-9]$/,
    /^M[A-Za-z0-9]{23}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{26}[A-Za-z0-9]$/,
    /^eyJ[A-Za-z0-9_-]{20,60}\.eyJ[A-Za-z0-9_-]{20,80}\.[A-Za-z0-9_-]{42}[A-Za-z0-9]$/,
    /^Bearer [a-z0-9]{10}[A-Z0-9][A-Za-z0-9]{20,40}$/,
    /^AWS_SECRET_ACCESS_KEY=[A-Za-z0-9+/]{40}$/,
    /^glcbt-[0-9a-f]{2}_[A-Za-z0-9_-]{19}[A-Za-z0-9]$/,
    /^glpat-[A-Za-z0-9]{27}\.[a-z0-9]{2}\.[a-z0-9]{9}[A-Za-z0-9]{3}$/,
    /^GOCSPX-[A-Za-z0-9_-]{27}[A-Za-z0-9]$/,
    /^[rs]k_test_[A-Za-z0-9]{24,40}$/,
    /^(?:pplx|csk|tvly|xai)-[A-Z0-9][A-Za-z0-9]{40}$/,
    /^(?:sntrys|nfp|pcsk|figd|bkua)_[A-Z0-9][A-Za-z0-9]{39}$/,
    /^(?:sqp|sk|e2b)_[a-f0-9]{48}$/,
    /^(?:vcp|rnd|phx|jina)_[0-9][A-Z][0-9][a-z][0-9][A-Za-z0-9]{23}$/,
    /^LTAI[A-Z0-9][A-Za-z0-9]{19}$/,
    /^xkeysib-[a-f0-9]{62}0[A-Za-z0-9]-[A-Za-z0-9]{16}$/,
    /^tskey-auth-k[A-Z0-9][A-Za-z0-9]{10}CNTRL-[A-Za-z0-9]{32}$/,
    /^pat[A-Za-z0-9]{14}\.[a-f0-9]{64}$/,
    /^https:\/\/discord\.com\/api\/webhooks\/[1-9][0-9]{17}\/[A-Za-z0-9_-]{67}[A-Za-z0-9]$/,
    /^LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVktLS0tLQp[A-Za-z0-9+/]{60,90}$/,
    /^"d":"[A-Za-z0-9_-]{43,86}"$/,
    /^SharedAccessKey=[A-Za-z0-9+/]{43}=$/,
    /^[A-Za-z0-9]{3}8Q~[A-Za-z0-9_.~-]{33}[A-Za-z0-9]$/,
    /^ABSK[A-Za-z0-9+/]{100,120}$/,
    /^bedrock-api-key-[A-Za-z0-9+/]{60,90}$/,
    /^sk\.eyJ1[A-Za-z0-9_-]{40,80}\.[A-Za-z0-9_-]{21}[A-Za-z0-9]$/,
    /^(?:sdk|api)-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
    /^[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}$/,
    /^EAAA[A-Za-z0-9_-]{59}[A-Za-z0-9]$/,
    /^EAAB[A-Za-z0-9]{150}$/,
    /^access-(?:sandbox|production)-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
    /^2[a-z][0-9][A-Z][0-9][A-Za-z0-9]{7}[0-9][a-z][0-9][A-Za-z0-9]{12}_[A-Za-z0-9]{21}$/,
    /^postgres:\/\/[a-z]{3,10}:[A-Za-z0-9!%.-]{12,30}@db$/,
  ].map((shape) => fc.stringMatching(shape)),
);

/** Fake secrets without a known prefix, which only their names reveal. */
export const namedSecrets = fc.oneof(
  ...[
    /^Authorization: token [a-z]{4}[0-9][a-z0-9]{35}$/,
    /^(?:MISTRAL_API_KEY|GITHUB_TOKEN|AUTH0_CLIENT_SECRET)=[a-z][0-9][A-Za-z0-9]{30}$/,
    /^DB_PASSWORD=[a-z!@#%]{6}[0-9][A-Za-z0-9!@#%]{12}$/,
    /^(?:clientSecret|api_key|password)["']?: "[a-z][A-Z][0-9][A-Za-z0-9]{30}"$/,
  ].map((shape) => fc.stringMatching(shape)),
);

/** Names of secrets, as spelled in settings, code and environment variables. */
const names =
  'key apiKey api_key API_KEY access-key token authToken AUTH_TOKEN secret client_secret SECRET password dbPassword PASSWORD passphrase credential'.split(
    ' ',
  );
const separators = ['=', ' = ', ': ', ':', ' => ', ' := ', '": ', "'] = "];
const quotes = ['', '"', "'", '`'];
const lowerAndDigits = 'abcdefghijklmnopqrstuvwxyz0123456789';
const alphabets = [
  lowerAndDigits + lowerAndDigits.slice(0, 26).toUpperCase(),
  `${lowerAndDigits}${lowerAndDigits.slice(0, 26).toUpperCase()}_-`,
  '0123456789abcdef',
  lowerAndDigits,
];

/** Long random strings next to a word for a secret: `api_key = "…"`. */
export function randomBesideWords(
  count: number,
): readonly { readonly secret: string; readonly text: string }[] {
  let state = 7;
  const below = (most: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * most);
  };
  const oneOf = (texts: readonly string[]): string => texts[below(texts.length)] ?? '';
  return Array.from({ length: count }, () => {
    const alphabet = oneOf(alphabets);
    const length = 32 + below(33);
    const secret = Array.from({ length }, () => alphabet.charAt(below(alphabet.length))).join('');
    const quote = oneOf(quotes);
    return { secret, text: oneOf(names) + oneOf(separators) + quote + secret + quote };
  });
}

/** A fake PuTTY private key. */
export const puttyKey = [
  'PuTTY-User-Key-File-3: ssh-ed25519',
  'Encryption: none',
  'Public-Lines: 1',
  'AAAAC3NzaC1lZDI1NTE5AAAAIDYk',
  'Private-Lines: 2',
  'AAAAIK8sQ2rV5Yz0xM7nB3kLpQ9wE1tR6uI4oP0aSdFgHjKlZxCvBnM2qWeRtYuI',
  'OpAsDfGhJkL5zX==',
  'Private-MAC: 8d4e0f1a2b3c',
].join('\n');

/** A fake private key. */
export const privateKey = [
  '-----BEGIN PRIVATE KEY-----',
  ...Array.from({ length: 24 }, (_, line) =>
    Array.from({ length: 64 }, (_, index) =>
      'MIEvQ7xk/+2Rb9dZaT'.charAt((line * 7 + index * 5) % 18),
    ).join(''),
  ),
  'q9+Zk2==',
  '-----END PRIVATE KEY-----',
].join('\n');
