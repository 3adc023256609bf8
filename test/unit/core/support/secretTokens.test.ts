import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  findSecretToken,
  looksLikeKeyLine,
  maskDiff,
  maskSecrets,
  masksIn,
  unmaskSecrets,
} from '../../../../src/core/support/secretTokens.ts';
import { namedSecrets, privateKey, puttyKey, randomBesideWords, tokens } from './secrets.ts';
import { runs } from '../../../support/sample.ts';

const seed = Number(process.env['SEED'] ?? 11);
const filler = 'a1B2'.repeat(12);

describe('findSecretToken', () => {
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
    it(`detects ${text.slice(0, 12)}`, () => assert.equal(findSecretToken(text), name));
  }

  const code = [
    'const task = "sk-learn";',
    '// -----BEGIN CERTIFICATE-----',
    'the risk-management-of-all-things-2024',
    'AKIA is a prefix',
    'import { ghp } from "x";',
    '.sk-fading-circle-container {',
    'npm_config_registry=https://example.com',
    'git clone https://${USER}:${TOKEN}@example.com/a.git # or http://localhost:8080/@scope',
    'postgres://user:<password>@host/db, see https://a.test/x:y@z and ssh://git@example.com:22',
    'Authorization: Bearer ${token}; Basic authentication-of-the-service',
    'const secretAccessKey = process.env.AWS_SECRET_ACCESS_KEY;',
    'a ratio of 10:AA and the key-value-of-things, eyJ is how JSON begins, dp.pt.x',
    'napi_create_string_utf8(env); napi_get_value_bigint_uint64; sk_buff_release_head_state2;',
    'fw_upgrade_version_check_v2(x), rnd_NextGaussianValue2Pass(a), re_MatchFirstOccurrence2OfAll',
    'const AUTH_TOKEN = getTokenFromEnvironment2(); API_KEY: config.services.token2.value,',
    'apiKey: process.env.OPENAI_API_KEY2, token = generateRandomToken2FA(), PASSWORD=$PASSWORD1',
    'MAX_TOKEN=16384, PASSWORD="${DB_PASSWORD_2}", const password = await readPassword2FA(x);',
    'password: "correct-horse-battery-staple", secret: "at-least-16-characters-please"',
    'Authorization: string; headers.authorization: Record<string, string>; x-api-key: ${key1}',
    '<path d="M10 10h4"/> {"d":"a-path","k":"v"} jdbc:x;password=; https://a.test/?password=',
    'CACHE_KEY=users-list-v2-2024-page, --fc-button-bg-color-hover2: red; LS0tLS1CRUdJTiBDRVJU',
    'keyType: "sha256WithRSA2048Encryption", tokenizer = "cl100k_base-encoding-v2", key: "a/b1/c2/d3/e4/f5/g6/h7"',
    'currentToken = scanner2.scanJsDocToken(); key = "user.settings.editor.fontSize2", keyId: 9554F04D7259F04124DE6B476D5A82AC7E37093B',
    'publicKey: "a1B2c3D4e5F6a7B8c9D0e1F2a3B4c5D6", integrity: "sha512-a1B2c3D4e5F6a7B8c9D0e1F2a3B4c5D6"',
    `data:image/png;base64,${'A'.repeat(40)}${'a1B2'.repeat(30)}== and ${'A'.repeat(200)}=`,
    `?data=${'A'.repeat(30)}${'a1B2'.repeat(12)}%3D&more=${'a1B2'.repeat(12)} v1.0-beta-1a2b3c4d5e6f`,
    'Module.exports.default_function_of_this_module.a1b2c3.x',
  ];

  it('ignores ordinary code', () => {
    assert.equal(findSecretToken(code.join('\n')), undefined);
    assert.equal(maskSecrets(code.join('\n')).text, code.join('\n'));
  });
});

describe('maskSecrets', () => {
  /** Text around tokens, without tokens of its own. */
  const around = fc.stringMatching(/^[ -~\n]{0,30}[ ="'\n]$/);
  const planted = fc.array(fc.tuple(around, tokens), { minLength: 1, maxLength: 6 });

  it('masks tokens in any text, and keeps all other text and line breaks', () => {
    fc.assert(
      fc.property(planted, around, (pairs, end) => {
        const text = pairs.flat().join('') + end;
        const { text: masked } = maskSecrets(text);
        for (const [, token] of pairs) assert.ok(!masked.includes(token.slice(-12)), masked);
        assert.ok(masksIn(masked).length > 0);
        assert.equal(masked.split('\n').length, text.split('\n').length);
        assert.equal(maskSecrets(masked).text, masked, 'masks are no secrets');
      }),
      { seed, numRuns: 500 },
    );
  });

  it('masks tokens after an escape sequence of a string, URL or terminal', () => {
    fc.assert(
      fc.property(tokens, (token) => {
        for (const head of [
          '\\n',
          '\\t',
          '\\"',
          '%22',
          '%0A',
          '\u{1b}[32m',
          '\u{1b}[1;31m',
          'é',
          '(',
        ]) {
          for (const end of ['\\n', '\u{1b}[0m', '<', ')', '`']) {
            const { text } = maskSecrets(head + token + end);
            if (!/^\d/.test(token)) assert.ok(!text.includes(token.slice(-12)), text);
          }
        }
      }),
      { seed, numRuns: 300 },
    );
  });

  it('masks secrets that only a name identifies', () => {
    fc.assert(
      fc.property(namedSecrets, (secret) => {
        for (const head of ['', ' ', '"', '-e ', '\\n', '\u{1b}[32m', 'export ', '(', '{']) {
          for (const end of ['', ' ', '\n', '"', '`', ',', ';', '.', ')', '<', '\u{1b}[0m']) {
            const { text } = maskSecrets(head + secret + end);
            assert.ok(!text.includes(secret.slice(-9, -1)), text);
          }
        }
      }),
      { seed, numRuns: 300 },
    );
  });

  it('masks nearly all long random texts next to words such as key, token, secret or password', () => {
    const texts = randomBesideWords(2000);
    const leaks = texts.filter(({ secret, text }, index) => {
      const head = ['', '  "', 'export ', 'config.', 'const '][index % 5] ?? '';
      return maskSecrets(`${head}${text}\n`).text.includes(secret.slice(-12));
    });
    assert.ok(leaks.length <= texts.length / 100, leaks.map(({ text }) => text).join('\n'));
  });

  it('masks every line of a PuTTY private key, and keeps other lines', () => {
    const { text: masked } = maskSecrets(puttyKey);
    const lines = puttyKey.split('\n');
    for (const line of lines.slice(5, 7)) assert.ok(!masked.includes(line), masked);
    for (const line of [...lines.slice(0, 5), ...lines.slice(7)]) assert.ok(masked.includes(line));
  });

  it('masks every line of a private key, wherever its lines are', () => {
    const lines = privateKey.split('\n');
    const variants = [
      privateKey,
      privateKey.replaceAll('\n', '\r\n'),
      lines.map((line, index) => `${index + 7}\t${line}`).join('\n'),
      lines.map((line, index) => `${index + 7}-${line}`).join('\n'),
      lines.map((line) => `+${line}`).join('\n'),
      lines.map((line) => `  "${line}\\n" +`).join('\n'),
      JSON.stringify({ key: privateKey }),
      lines.slice(0, 9).join('\n'),
    ];
    for (const text of variants) {
      const { text: masked } = maskSecrets(`before\n${text}\nafter it all, a line`);
      for (const line of lines.slice(1, -1)) assert.ok(!masked.includes(line), masked);
      assert.match(masked, /^before\n/);
      assert.match(masked, /\nafter it all, a line$/);
    }
  });

  it('can be undone', () => {
    fc.assert(
      fc.property(planted, around, (pairs, end) => {
        const text = `${pairs.flat().join('')}${end}\n${privateKey}\n`;
        const masked = maskSecrets(text);
        assert.equal(unmaskSecrets(masked.text, masked), text);
      }),
      { seed, numRuns: 200 },
    );
  });

  it('gives a secret the same mask everywhere, and other secrets other masks', () => {
    const [first, second] = [`ghp_${filler.slice(0, 36)}`, `ghp_${filler.slice(1, 37)}`];
    assert.match(maskSecrets(first).text, /^ghp_‹masked [0-9a-f]{6}›$/);
    assert.equal(maskSecrets(`x = ${first};`).text, `x = ${maskSecrets(first).text};`);
    assert.notEqual(maskSecrets(first).text, maskSecrets(second).text);
  });

  it('reports if the text contains something that looks like a mask', () => {
    const token = `ghp_${filler.slice(0, 36)}`;
    assert.equal(maskSecrets(token).isAmbiguous, false);
    assert.equal(maskSecrets(`${token} ${maskSecrets(token).text}`).isAmbiguous, true);
  });

  it('takes linear time for adversarial texts', () => {
    const parts = [
      ...['ghp_', 'sk-', 'sk-a_', 'glpat-', 'glpat--', 'SG.', 'AKIA', 'x.atlasv1.', 'AccountKey='],
      ...['API_KEY=', 'API_KEY=a1-', 'A_', 'PASSWORD=', 'token: "', 'Authorization: ', 'EZAK'],
      ...['%0a', 'eyJ', 'eyJ-', 'eyJaaaaaaaaaa.'],
      ...['-----BEGIN PRIVATE KEY-----', '-----BEGIN RSA PRIVATE KEY-----\n', '-----BEGIN A B C '],
      ...['a', '-', '‹masked ', '‹masked 123456›', 'MIIE\n', ' \n', '1\t'],
    ];
    for (const part of parts) {
      for (const head of ['', '-----BEGIN PRIVATE KEY-----', 'sk-']) {
        const text = head + part.repeat(Math.ceil(runs(100_000) / part.length));
        assert.equal(unmaskSecrets(maskSecrets(text).text, maskSecrets(text)).length, text.length);
      }
    }
  });
});

describe('maskDiff', () => {
  it('masks the lines of a key in a diff without its first line', () => {
    const lines = privateKey.split('\n').slice(3, -1);
    for (const sign of ['+', '-', ' ', '+  "']) {
      const end = sign.endsWith('"') ? '\\n" +' : '';
      const diff = ['@@ -4,9 +4,9 @@', ...lines.map((line) => sign + line + end), '+other'].join(
        '\n',
      );
      const masked = maskDiff(diff);
      for (const line of lines) assert.ok(!masked.includes(line), masked);
      assert.match(masked, /^@@ -4,9 \+4,9 @@\n/);
      assert.match(masked, /\n\+other$/);
    }
  });

  it('does not change other lines of a diff', () => {
    const hash = 'a3f5'.repeat(16);
    const diff = `@@ -1 +1 @@\n-const hash = "${hash}";\n+${hash}\n ${'='.repeat(64)}\n+return`;
    assert.equal(maskDiff(diff), diff);
  });
});

describe('looksLikeKeyLine', () => {
  it('detects lines of a key, but not of code', () => {
    for (const line of privateKey.split('\n').slice(1, -1)) assert.ok(looksLikeKeyLine(line), line);
    for (const line of ['return;', '', '}', 'const a = 1;', 'a', 'import x from "y"']) {
      assert.equal(looksLikeKeyLine(line), false, line);
    }
  });
});
