import fc from 'fast-check';

/** Made-up tokens of the kinds that services issue: a beginning, and characters drawn by chance. */
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
    /^postgres:\/\/[a-z]{3,10}:[A-Za-z0-9!%.-]{12,30}@db$/,
  ].map((shape) => fc.stringMatching(shape)),
);

/** Made-up secrets without a known beginning, which only their names tell. */
export const namedSecrets = fc.oneof(
  ...[
    /^Authorization: token [a-z]{4}[0-9][a-z0-9]{35}$/,
    /^(?:MISTRAL_API_KEY|GITHUB_TOKEN|AUTH0_CLIENT_SECRET)=[a-z][0-9][A-Za-z0-9]{30}$/,
    /^DB_PASSWORD=[a-z!@#%]{6}[0-9][A-Za-z0-9!@#%]{12}$/,
    /^(?:clientSecret|api_key|password)["']?: "[a-z][A-Z][0-9][A-Za-z0-9]{30}"$/,
  ].map((shape) => fc.stringMatching(shape)),
);

/** A made-up private key. */
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
