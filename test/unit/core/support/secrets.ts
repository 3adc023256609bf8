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
