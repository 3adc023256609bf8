/** The shapes of well-known secrets. */
const shapes: readonly (readonly [name: string, shape: RegExp])[] = [
  ['private key', /-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----/],
  ['AWS access key', /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/],
  ['GitHub token', /\b(?:gh[opsur]_[A-Za-z0-9]{36}|github_pat_\w{50,})/],
  ['GitLab token', /\bglpat-[\w-]{20}/],
  ['Slack token', /\bxox[abeprs]-[A-Za-z0-9-]{10,}/],
  ['Google API key', /\bAIza[\w-]{35}\b/],
  ['Stripe key', /\b[rs]k_live_[A-Za-z0-9]{20,}/],
  ['npm token', /\bnpm_[A-Za-z0-9]{36}\b/],
  ['API key', /\bsk-[A-Za-z0-9_-]{20,}/],
];

/** The name of a well-known kind of secret that the text seems to contain. */
export function findSecretToken(text: string): string | undefined {
  return shapes.find(([, shape]) => shape.test(text))?.[0];
}
