import assert from 'node:assert/strict';
import fc from 'fast-check';
import { addressProblem } from '../../../../src/core/service/address.ts';
import {
  clineProviders,
  clineServices,
  codeServices,
  continueServices,
  rooServices,
} from '../../../../src/core/import/settingsOfOthers.ts';
import { runs } from '../../../support/sample.ts';

const yaml = `
name: Mine
version: 1.0.0
schema: v1
models:
  - name: Small
    provider: openai
    model: mistral/mistral-small
    apiBase: https://api.example.com/v1 # the gateway
    apiKey: "sk-0123456789"
    roles:
      - chat
      - edit
    defaultCompletionOptions:
      contextLength: 1000
      model: not this one
  - name: Elsewhere
    provider: mistral
    model: 'codestral'
    apiKey: \${{ secrets.MISTRAL_API_KEY }}
  -   name: Here
      provider: ollama
      model: qwen
  - uses: somebody/a-block
context:
  - provider: code
    model: nor this
`;

describe('the services that other extensions have set up', () => {
  it('are read from the YAML of Continue, with readable keys', () => {
    assert.deepEqual(continueServices(yaml), [
      {
        baseUrl: 'https://api.example.com/v1',
        model: 'mistral/mistral-small',
        key: 'sk-0123456789',
      },
      { baseUrl: 'https://api.mistral.ai/v1', model: 'codestral', key: undefined },
      { baseUrl: 'http://localhost:11434/v1', model: 'qwen', key: undefined },
    ]);
  });

  it('are read from YAML whose list is not indented', () => {
    const flat =
      'models:\n- provider: openai\n  model: a\n- provider: groq\n  model: b\nrules:\n- x: y';
    assert.deepEqual(
      continueServices(flat).map(({ model }) => model),
      ['a', 'b'],
    );
  });

  it('are read from the JSON of Continue', () => {
    const models = [
      { title: 'A', provider: 'openai', model: 'a', apiBase: 'https://a.example/v1/', apiKey: 'x' },
      { title: 'B', provider: 'anthropic', model: 'b', apiKey: 'sk-of-another-protocol' },
      'no model',
    ];
    assert.deepEqual(continueServices(JSON.stringify({ models })), [
      { baseUrl: 'https://a.example/v1', model: 'a', key: undefined },
    ]);
  });

  it('are read from the two files of Cline', () => {
    const state = { actModeApiProvider: 'openai', openAiBaseUrl: 'https://c.example', a: [1] };
    const model = { actModeOpenAiModelId: 'act', planModeOpenAiModelId: 'plan' };
    const secrets = '{"openAiApiKey":"sk-0123456789"}';
    assert.deepEqual(clineServices(JSON.stringify({ ...state, ...model }), secrets), [
      { baseUrl: 'https://c.example', model: 'act', key: 'sk-0123456789' },
    ]);
    assert.deepEqual(clineServices(JSON.stringify(model), secrets), []);
    assert.equal(clineServices(JSON.stringify(state), '')[0]?.key, undefined);
  });

  it('are read from the one file of newer versions of Cline', () => {
    const settings = { provider: 'openai-compatible', model: 'c', apiKey: 'sk-0123456789' };
    const baseUrl = 'https://c.example/v1';
    const providers = {
      'openai-compatible': { settings: { ...settings, baseUrl }, tokenSource: 'manual' },
      'openai-native': { settings: { ...settings, provider: 'openai-native' } },
      cline: { settings: { provider: 'cline', model: 'of an account' } },
      anthropic: { settings: { ...settings, provider: 'anthropic', baseUrl } },
      other: { settings: { ...settings, baseUrl: 'https://o.example', protocol: 'anthropic' } },
      broken: [],
    };
    assert.deepEqual(clineProviders(JSON.stringify({ version: 1, providers })), [
      { baseUrl, model: 'c', key: 'sk-0123456789' },
      { baseUrl: 'https://api.openai.com/v1', model: 'c', key: 'sk-0123456789' },
    ]);
    for (const text of ['', '[]', '{"providers":[1]}']) assert.deepEqual(clineProviders(text), []);
  });

  it('exclude services with another interface', () => {
    fc.assert(
      fc.property(fc.constantFrom('messages', 'responses', 'anthropic', ''), (apiType) => {
        const model = { id: 'm', url: 'https://v.example/v1' };
        const inGroup = [{ apiType, models: [model] }];
        assert.deepEqual(codeServices(JSON.stringify(inGroup), undefined), []);
        const inModel = [{ apiType: 'chat-completions', models: [{ ...model, apiType }] }];
        assert.deepEqual(codeServices(JSON.stringify(inModel), { m: { ...model, apiType } }), []);
        const chat = [{ apiType, models: [{ ...model, apiType: 'chat-completions' }] }];
        assert.equal(codeServices(JSON.stringify(chat), undefined).length, 1);
      }),
    );
    for (const provider of ['anthropic', 'gemini', 'bedrock', 'vertexai'])
      assert.deepEqual(
        continueServices(
          JSON.stringify({ models: [{ provider, model: 'm', apiBase: 'https://a.example' }] }),
        ),
        [],
      );
  });

  it('are read from JSON with comments and trailing commas, but not in strings', () => {
    const text = `{ // mine, "models": [1]
      "models": [ /* all
        of them */
        { "provider": "openai", "model": "a//b,]", "apiBase": "https://a.example/v1", }, // one
      ],
    }`;
    assert.deepEqual(continueServices(text), [
      { baseUrl: 'https://a.example/v1', model: 'a//b,]', key: undefined },
    ]);
  });

  it('are read from YAML with anchors of values, items and maps', () => {
    const text = [
      'x-defaults: &defaults',
      '  provider: openai',
      '  apiBase: https://a.example/v1',
      '  nested:',
      '    apiKey: not this one',
      'models:',
      '  - &first',
      '    <<: *defaults',
      '    model: a',
      '    apiKey: &key "sk-0123456789" # mine',
      '  - model: b',
      '    <<: [*defaults, *first]',
      '    apiBase: https://b.example/v1',
      '  - <<: *first',
      '    model: c',
      '    apiKey: *key',
      '  - model: d',
      '    <<: *unknown',
    ].join('\n');
    const key = 'sk-0123456789';
    assert.deepEqual(continueServices(text), [
      { baseUrl: 'https://a.example/v1', model: 'a', key },
      { baseUrl: 'https://b.example/v1', model: 'b', key },
      { baseUrl: 'https://a.example/v1', model: 'c', key },
    ]);
  });

  it('are read from the settings file of Roo Code, without other interfaces', () => {
    const apiConfigs = {
      default: {
        apiProvider: 'openai',
        openAiBaseUrl: 'https://r.example/v1/chat/completions',
        openAiModelId: 'r',
        openAiApiKey: 'sk-0123456789',
      },
      other: { apiProvider: 'anthropic', openAiBaseUrl: 'https://left-from-before.example' },
    };
    assert.deepEqual(rooServices(JSON.stringify({ providerProfiles: { apiConfigs } })), [
      { baseUrl: 'https://r.example/v1', model: 'r', key: 'sk-0123456789' },
    ]);
  });

  it("are read from VS Code's custom models, without their keys", () => {
    const groups = [
      {
        name: 'Mine',
        vendor: 'customendpoint',
        apiKey: '${input:chat.lm.secret.1a2b}',
        models: [{ id: 'one', url: 'https://v.example/v1' }, { id: 'two' }],
      },
      { vendor: 'copilot' },
    ];
    const setting = { three: { name: 'Three', url: 'http://localhost:8080/v1' } };
    assert.deepEqual(codeServices(JSON.stringify(groups), setting), [
      { baseUrl: 'https://v.example/v1', model: 'one', key: undefined },
      { baseUrl: 'http://localhost:8080/v1', model: 'three', key: undefined },
    ]);
  });

  it('never have an address to which a key must not be sent', () => {
    const bad = ['http://plain.example/v1', 'https://me:pw@a.example', 'file:///etc', 'no address'];
    for (const apiBase of bad)
      assert.deepEqual(continueServices(JSON.stringify({ models: [{ apiBase }] })), [], apiBase);
  });

  it('have no address for a name that is a property of all objects', () => {
    for (const provider of ['constructor', 'toString', '__proto__'])
      assert.deepEqual(continueServices(JSON.stringify({ models: [{ provider }] })), [], provider);
  });

  it('have valid addresses, whatever a file contains', () => {
    const readers = [
      continueServices,
      rooServices,
      (text: string) => clineServices(text, text),
      (text: string) => codeServices(text, text),
    ];
    const line = fc.constantFrom(
      'models:',
      '  - model: a',
      '    apiBase: x',
      '\t- :',
      '- - a: b',
      '',
    );
    const text = fc.oneof(
      fc.string(),
      fc.json(),
      fc.array(line).map((lines) => lines.join('\n')),
    );
    fc.assert(
      fc.property(text, (some) => {
        for (const read of readers)
          for (const { baseUrl } of read(some)) assert.equal(addressProblem(baseUrl), undefined);
      }),
      { numRuns: runs(500) },
    );
  });

  it('are read in linear time, whatever a line contains', () => {
    const blanks = ' '.repeat(200_000);
    const start = performance.now();
    for (const line of [blanks, `${blanks}x`, `-${blanks}x`, `a: x${blanks}y`, `a:${blanks}x`]) {
      continueServices(`models:\n  - name: a\n${line}\n`);
    }
    assert.ok(performance.now() - start < 15_000, `${performance.now() - start} ms`);
  });
});
