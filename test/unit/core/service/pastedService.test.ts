import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  readCopiedService,
  readPastedService,
} from '../../../../src/core/service/pastedService.ts';

const baseUrl = 'https://api.example.com/v1';
const key = 'sk-canary_0123456789-AB';

describe('a pasted service', () => {
  const texts: Readonly<Record<string, string>> = {
    'two lines of a console': `Base URL: ${baseUrl}\nKey: ${key}`,
    Python: `client = OpenAI(base_url="${baseUrl}", api_key="${key}")`,
    'environment variables': `export OPENAI_BASE_URL=${baseUrl}\nexport OPENAI_API_KEY=${key}`,
    JSON: JSON.stringify({ baseURL: baseUrl, apiKey: key }),
    'a curl command': `curl ${baseUrl}/chat/completions -H "Authorization: Bearer ${key}" -d '{}'`,
    'one line, as a box of one line makes it': `base_url ${baseUrl} ${key}`,
    'the key in front': `${key} ${baseUrl}/`,
  };
  for (const [name, text] of Object.entries(texts))
    it(`has the address and the key of ${name}`, () => {
      assert.deepEqual(readPastedService(text), { baseUrl, key });
    });

  it('has a key with another prefix if the text labels it', () => {
    const text = `base_url=${baseUrl} api_key=0123456789abcdef`;
    assert.deepEqual(readPastedService(text), { baseUrl, key: '0123456789abcdef' });
  });

  it('has a short key or one of words, as of services on one machine', () => {
    for (const plain of ['sk-local-demo', 'lm-studio', 'koda-local-2', 'sk-1234'])
      assert.equal(readPastedService(`URL=${baseUrl}\nOPENAI_API_KEY=${plain}`)?.key, plain);
  });

  it('has no key if there is only an address', () => {
    assert.deepEqual(readPastedService(` "${baseUrl}/models" `), { baseUrl, key: undefined });
  });

  it('is undefined without an address, or with an unencrypted one', () => {
    assert.equal(readPastedService(key), undefined);
    assert.equal(readPastedService(`http://api.example.com/v1 ${key}`), undefined);
    assert.equal(readPastedService(`https://user:secret@api.example.com/v1 ${key}`), undefined);
  });

  const others: Readonly<Record<string, string>> = {
    'names of other secrets': `url = ${baseUrl}\ntoken = ${key}`,
    'a name that other secrets have too': `GITHUB_TOKEN=ghp_A1b2C3d4E5f6G7h8\nOPENAI_API_KEY=${key}\nOPENAI_BASE_URL=${baseUrl}`,
    PowerShell: `$env:X_API_KEY="${key}"\n$env:X_BASE_URL="${baseUrl}"`,
    'the command prompt': `setx OPENAI_API_KEY "${key}"\nsetx OPENAI_API_BASE "${baseUrl}"`,
    flags: `llm --base-url ${baseUrl} --api-key ${key}`,
    'an environment file': `# Keys: https://example.com/v1/keys\n\nOPENAI_API_KEY='${key}' # never commit it\nOPENAI_API_BASE="${baseUrl}" # optional\n`,
    'a header': `curl ${baseUrl}/chat/completions -H "x-api-key: ${key}"`,
    Markdown: `**Base URL:** ${baseUrl}  \n**API Key:** \`${key}\``,
    'a sentence': `The address is ${baseUrl}. The key is ${key}.`,
    'a sentence in brackets': `It is at (${baseUrl}), with ${key}, for you.`,
    'a Chinese sentence': `API地址：${baseUrl}，密钥：${key}。`,
  };
  for (const [name, text] of Object.entries(others))
    it(`has the address and the key of ${name}`, () => {
      assert.deepEqual(readPastedService(text), { baseUrl, key });
      assert.deepEqual(readPastedService(text.replaceAll('\n', '  ')), { baseUrl, key });
    });

  const keyless: readonly string[] = [
    'api_key="<API_KEY>"',
    'api_key="<Your API Key>"',
    'api_key="YOUR API KEY"',
    'api_key=OPENAI_API_KEY',
    "api_key=os.environ['HF_TOKEN']",
    'api_key=os.environ.get("DASHSCOPE_API_KEY")',
    'api_key=userdata.get("key1234")',
    'apiKey: process.env.OPENROUTER_KEY2',
    'apiKey: import.meta.env.VITE_API_KEY,',
    'apiKey: Deno.env.get("KEY")',
    '"apiKey": "{env:X_KEY}"',
    '"apiKey": "sk-your-key-1"',
    '"apiKey": "your_api_key_123"',
    'api_key: ${{ secrets.API_KEY_2 }}',
    'OPENAI_API_KEY=%OPENAI_API_KEY%',
    'OPENAI_API_KEY=sk-...',
    'OPENAI_API_KEY=sk-proj-xxxxxxxxxxxxxx',
    'OPENAI_API_KEY=sk-ant-api03-xxx',
    'OPENAI_API_KEY=sk-or-v1-your-key-here',
    'OPENAI_API_KEY=',
    'OPENAI_API_KEY=你的實際API金鑰',
    'OPENAI_API_KEY=ollama',
    'OPENAI_API_KEY=sk-test-key',
    'api_key=settings.deepseek',
    'apiKey: openRouterApiKey,',
    'the key is generated automatically, a bearer authentication',
    'OPENAI_API_KEY=not-needed',
    'OPENAI_API_KEY=changeme',
    'OPENAI_API_KEY=0000000000000000',
    'OPENAI_API_KEY=/run/secrets/api_key',
    'Key: sk-A1b2C3…G7h8',
    'Key: sk-A1b2C3d4********',
    '-H "Authorization: Bearer $GROQ_API_KEY"',
    "-H 'Authorization: Bearer '$API_KEY1",
    '-H "Authorization: Bearer ${API_KEY}"',
    '-H "Authorization: Bearer <token>"',
    'max_tokens=100000000',
    'token: 100000000',
  ];
  for (const text of keyless)
    it(`has no key of ${text}`, () => {
      for (const gap of ['\n', ' '])
        for (const whole of [`base_url: ${baseUrl}${gap}${text}`, `${text}${gap}url: ${baseUrl}`])
          assert.deepEqual(readPastedService(whole), { baseUrl, key: undefined }, whole);
    });

  it('has the address that is no web page, file or placeholder', () => {
    for (const page of [
      'https://example.com/docs?page=1#keys',
      'https://console.example.com/v1/keys',
      'https://platform.example.com/api-keys',
      'https://docs.example.com/api/v1/chat',
      'https://example.com/pricing',
      'https://example.com/config.json',
      '"HTTP-Referer": "https://api.mine.example/v1"',
      'HTTP_PROXY=http://127.0.0.1:7890',
      'https://your-resource.example.com/v1',
      'https://${RESOURCE}.example.com/v1',
    ])
      for (const text of [`${page} ${baseUrl} ${key}`, `${baseUrl}\n${key}\n${page}`])
        assert.deepEqual(readPastedService(text), { baseUrl, key }, text);
    assert.equal(readPastedService(`From https://platform.example.com/keys: ${key}`), undefined);
  });

  const other = 'https://api.other.example/v1';
  it('has the address with the name of the key, or else the one beside it', () => {
    for (const text of [
      `A_BASE_URL=${other}\nA_API_KEY=your_key\nB_API_KEY=${key}\nB_BASE_URL=${baseUrl}`,
      `B_BASE_URL=${baseUrl} B_API_KEY=${key} A_API_KEY=your_key A_BASE_URL=${other}`,
      `url = ${other}\n\nurl = ${baseUrl}\nmodel = small\nstream = true\nkey = ${key}`,
      `curl ${other}/models\ncurl ${baseUrl}/models -H "Authorization: Bearer ${key}"`,
      `[{"apiBase":"${other}"},\n{"model":"small"},\n{"apiBase":"${baseUrl}",\n"apiKey":"${key}"}]`,
      `See ${other} for more. Base URL: ${baseUrl} Key: ${key}`,
      `api_key="${key}"\nbase_url="${baseUrl}"\n# base_url="${other}"`,
    ])
      assert.deepEqual(readPastedService(text), { baseUrl, key }, text);
  });

  it('is undefined where several hosts could be meant', () => {
    for (const text of [
      `${other} or ${baseUrl} with ${key}`,
      `# ${other}\n# ${baseUrl}\n\nAPI_KEY=${key}`,
      `X_API_KEY=${key}\n# X_BASE_URL=${other}\n# X_BASE_URL=${baseUrl}`,
      `${other}\n${baseUrl}`,
      `A_BASE_URL=${other}\nA_API_KEY=sk-other_0123456789\nB_BASE_URL=${baseUrl}\nB_API_KEY=${key}`,
    ])
      assert.equal(readPastedService(text), undefined, text);
  });

  it('has no key where several could be meant', () => {
    const text = `base_url=${baseUrl} A_API_KEY=${key} B_API_KEY=sk-other_0123456789`;
    assert.deepEqual(readPastedService(text), { baseUrl, key: undefined });
  });

  it('contains only parts of the text, whatever that is', () => {
    const piece = fc.constantFrom(
      'https://',
      'a.example',
      '/v1',
      ' ',
      '"',
      'sk-',
      '0123456789',
      '\n',
      '€',
      'Bearer ',
    );
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join('')),
        (text) => {
          const service = readPastedService(text);
          assert.ok(service?.key === undefined || text.includes(service.key));
        },
      ),
      { numRuns: 300, seed: 31 },
    );
  });

  it('is read in linear time', () => {
    assert.equal(readPastedService('https:'.repeat(2_000_000)), undefined);
    for (const piece of [
      'https://api.',
      'api-',
      'key=',
      '--key ',
      'sk-',
      ' \t',
      `${baseUrl} ${key}\n`,
    ])
      assert.ok((readPastedService(`${piece.repeat(20_000)}x`)?.key ?? key).length < 100);
  });
});

describe('a service in the clipboard', () => {
  it('is proposed if the text has a key, or is only the base URL of an API', () => {
    assert.deepEqual(readCopiedService(`${baseUrl}\n${key}`), { baseUrl, key });
    assert.deepEqual(readCopiedService(` ${baseUrl}/\n`), { baseUrl, key: undefined });
  });

  it('is not proposed for a web page, a text about one or a path without a version', () => {
    for (const text of [
      'https://example.com/pricing',
      `See ${baseUrl} for more.`,
      'https://a.example',
    ])
      assert.equal(readCopiedService(text), undefined, text);
  });
});
