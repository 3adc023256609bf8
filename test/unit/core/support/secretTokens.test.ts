import assert from 'node:assert/strict';
import { findSecretToken } from '../../../../src/core/support/secretTokens.ts';

const filler = 'a1B2'.repeat(12);

describe('findTokenShape', () => {
  const secrets: readonly (readonly [string, string])[] = [
    ['private key', '-----BEGIN RSA PRIVATE KEY-----'],
    ['private key', '-----BEGIN PRIVATE KEY-----'],
    ['AWS access key', 'id = "AKIAABCDEFGHIJKLMNOP"'],
    ['GitHub token', `token: ghp_${filler.slice(0, 36)}`],
    ['GitLab token', `glpat-${filler.slice(0, 20)}`],
    ['Slack token', 'xoxb-1234567890-abc'],
    ['npm token', `npm_${filler.slice(0, 36)}`],
    ['Stripe key', `sk_live_${filler.slice(0, 24)}`],
    ['API key', `sk-${filler.slice(0, 24)}`],
  ];
  for (const [name, text] of secrets) {
    it(`knows ${text.slice(0, 12)}`, () => assert.equal(findSecretToken(text), name));
  }

  it('takes ordinary code for what it is', () => {
    const code = [
      'const task = "sk-learn";',
      '// -----BEGIN CERTIFICATE-----',
      'the risk-management-of-all-things',
      'AKIA is a prefix',
      'import { ghp } from "x";',
    ];
    assert.equal(findSecretToken(code.join('\n')), undefined);
  });
});
