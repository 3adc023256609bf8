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
    /^postgres:\/\/[a-z]{3,10}:[A-Za-z0-9!%.-]{12,30}@db$/,
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
