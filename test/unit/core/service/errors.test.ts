import assert from 'node:assert/strict';
import { readErrorBody } from '../../../../src/core/service/errorBody.ts';
import {
  kindOfRefusal,
  kindOfStatus,
  reportedError,
  type ServiceErrorKind,
} from '../../../../src/core/service/errors.ts';

function kindOf(status: number, body: unknown): ServiceErrorKind {
  return kindOfRefusal(
    status,
    readErrorBody(typeof body === 'string' ? body : JSON.stringify(body)),
  );
}

describe('the kind of a refusal', () => {
  it('follows its status; server errors end at 599', () => {
    for (let status = 300; status < 1000; status += 1) {
      const kind = kindOfStatus(status);
      const isOfServer = status === 408 || (status >= 500 && status <= 599);
      assert.equal(kind === 'server-error', isOfServer, `${status}`);
      assert.equal(kindOf(status, { error: { message: 'No' } }), kind);
      assert.equal(kindOf(status, ''), kind);
    }
  });

  const names = [
    'insufficient_quota',
    'InsufficientQuota',
    'insufficient-balance',
    'billing_not_active',
  ];
  it('is an empty wallet if the error code or type says so', () => {
    for (const name of names) {
      for (const body of [
        { error: { message: 'No', code: name } },
        { error: { message: 'No', type: name, code: null } },
        { message: 'No', code: name },
        {
          error: { message: 'Failed', metadata: { raw: { error: { message: 'No', code: name } } } },
        },
      ]) {
        assert.equal(kindOf(429, body), 'insufficient-balance', JSON.stringify(body));
        assert.equal(kindOf(403, body), 'insufficient-balance');
        assert.equal(kindOf(503, body), 'server-error');
      }
    }
    assert.equal(
      kindOf(429, { error: { message: 'Slow', code: 'rate_limit_exceeded' } }),
      'rate-limited',
    );
  });

  it('is a spent budget instead of a rate limit for some gateways', () => {
    const message = 'Budget has been exceeded! Current cost: 10.1, Max budget: 10.0';
    for (const status of [400, 429]) {
      assert.equal(kindOf(status, { error: { message, code: status } }), 'insufficient-balance');
      const typed = { error: { message: 'No', type: 'budget_exceeded', code: `${status}` } };
      assert.equal(kindOf(status, typed), 'insufficient-balance');
    }
  });

  it('is a wrong key if a 400 says so', () => {
    for (const message of ['API key not valid. Please pass a valid API key.', 'Invalid API key']) {
      assert.equal(kindOf(400, { error: { message } }), 'unauthorized', message);
      assert.equal(kindOf(500, { error: { message } }), 'server-error', message);
    }
    assert.equal(
      kindOf(400, { error: { message: 'No', code: 'invalid_api_key' } }),
      'unauthorized',
    );
  });

  const unknownModels: readonly object[] = [
    { error: { message: 'Model Not Exist', type: 'invalid_request_error', param: null } },
    { error: { message: 'vendor/nothing:free is not a valid model ID', code: 400 } },
    { error: { message: "400: {'error': 'Invalid model name passed in model=Lite-12'}" } },
    {
      error: {
        message: 'The model `qwen-qwq-32b` has been decommissioned and is no longer supported.',
        code: 'model_decommissioned',
      },
    },
    {
      error: {
        message: 'Unable to access non-serverless model mistralai/Mistral-Small. Please visit …',
        code: 'model_not_available',
      },
    },
    { error: { message: 'Not found the model kimi-thinking-preview or Permission denied' } },
    { error: { message: 'The model `x` does not exist or you do not have access to it.' } },
    { error: { code: 'unknown_model', message: 'Unknown model: /Phi-3.5-MoE-instruct' } },
    { error: { message: 'model "llama9" not found, try pulling it first' } },
    { error: { message: 'Model not found, inaccessible, and/or not deployed' } },
    { error: { message: 'The requested model is not supported.', code: 'model_not_supported' } },
    { error: { message: '模型不存在，请检查模型代码。', code: '1211' } },
    { detail: [{ loc: ['body', 'model'], msg: "model 'x/y:z' isn't available", type: 'value' }] },
    { error: { message: 'No', code: 'InvalidModel' } },
    { message: 'This model version has reached the end of its life.' },
    { error: { message: 'The model or endpoint ep-1 does not exist or you do not have access.' } },
    { error: { message: "Model 'm' is not supported for this environment." } },
    { errors: [{ message: 'No such model @cf/meta/llama or task', code: 5007 }] },
    { error: { message: '不支持的模型：x' } },
  ];
  it('is an unknown model, whatever the status of the request', () => {
    for (const body of unknownModels) {
      for (const status of [400, 404, 422])
        assert.equal(kindOf(status, body), 'not-found', `${status} ${JSON.stringify(body)}`);
      assert.equal(kindOf(503, body), 'server-error');
    }
  });

  it('is no unknown model if an option of a known one is wrong', () => {
    for (const message of [
      'This model does not support temperature.',
      "Unsupported parameter: 'top_p' is not supported with this model.",
      'The model x: images are not supported',
      'Invalid model output format',
      'Unknown model parameter top_k',
      'The model output is invalid',
      'The model tool is not available',
      'Model not support temperature',
      '该模型不支持工具',
      'model is a required property',
      'The model produced invalid content',
      'This model only supports a single system message',
      'Only the default (1) value is supported for this model, 0.2 is not available.',
      'No such file, model card not attached: not found',
    ])
      assert.equal(kindOf(400, { error: { message } }), 'bad-request', message);
  });

  it('is a request that the model refuses if a server gives refused tools another status', () => {
    for (const [status, message] of [
      [404, 'No endpoints found that support tool use. Try disabling "question".'],
      [500, 'tools param requires --jinja flag'],
      [500, 'Unsupported param: tools'],
      [404, 'registry.example/library/gemma3:4b does not support tools'],
    ] as const)
      assert.equal(kindOf(status, { error: { message } }), 'bad-request', message);
    assert.equal(kindOf(500, { error: { message: 'The tool server failed' } }), 'server-error');
  });

  it('is a content filter, not a problem of the key or the options', () => {
    for (const status of [400, 403]) {
      for (const error of [
        { message: 'No', code: 'content_filter' },
        { message: 'No', type: 'content_policy_violation' },
        {
          message:
            'The response was filtered due to the prompt triggering our content management policy.',
        },
        { message: 'Your input was flagged by moderation' },
        {
          message: 'Input data may contain inappropriate content.',
          code: 'data_inspection_failed',
        },
      ]) {
        assert.equal(kindOf(status, { error }), 'filtered', JSON.stringify(error));
      }
    }
    assert.equal(kindOf(403, { error: { message: 'No access' } }), 'forbidden');
  });

  it('is not a key problem if a gateway refuses', () => {
    assert.equal(kindOf(403, 'error code: 1020'), 'wrong-address');
  });

  it('is an exceeded context for 413', () => {
    assert.equal(kindOf(413, 'Payload Too Large'), 'context-exceeded');
  });

  it('quotes nothing of an error without text', () => {
    for (const body of ['{"error":{}}', '{"error":null}', '{"error":{"message":"","code":null}}'])
      assert.equal(readErrorBody(body).message, '', body);
    assert.equal(readErrorBody('{"state":"down"}').message, '{"state":"down"}');
  });

  it('is an empty wallet if only the text says so, and no other shortage', () => {
    for (const message of [
      'Insufficient Balance',
      'Insufficient credits to make this request',
      'Your credit balance is too low to access the API.',
      'You are out of credits',
      'Payment required',
      '账户余额不足，请充值',
    ]) {
      assert.equal(kindOf(429, { error: { message } }), 'insufficient-balance', message);
      assert.equal(kindOf(403, { detail: message }), 'insufficient-balance', message);
      assert.equal(kindOf(500, { error: { message } }), 'server-error', message);
    }
    for (const message of ['Insufficient permissions', 'Too many requests', 'Quota exceeded']) {
      assert.equal(kindOf(429, { error: { message } }), 'rate-limited', message);
    }
  });

  it('is a full context window by code, type and the texts of several services', () => {
    for (const error of [
      { message: 'No', code: 'context_length_exceeded' },
      { message: 'No', type: 'too_many_prompt_tokens', code: 400 },
      { message: 'prompt too long; exceeded max context length by 1119046 tokens' },
      { message: "This model's maximum context length is 4096 tokens." },
      { message: 'prompt is too long: 210000 tokens > 200000 maximum' },
      {
        message:
          'The input token count (1048577) exceeds the maximum number of tokens allowed (1048576).',
      },
      { message: 'input token count exceeds the maximum number of tokens' },
      { message: 'Input exceeds the context window of this model' },
    ]) {
      for (const status of [400, 413, 422]) {
        assert.equal(kindOf(status, { error }), 'context-exceeded', JSON.stringify(error));
      }
    }
    const other = { message: 'max_tokens is too large: 100000.', code: 'invalid_value' };
    assert.equal(kindOf(400, { error: other }), 'bad-request');
  });

  it('is a wrong address if a web page responds, or the path is unknown', () => {
    const page = '<html><head><title>404 Not Found</title></head><body>nginx</body></html>';
    for (const status of [403, 404, 405]) assert.equal(kindOf(status, page), 'wrong-address');
    for (const status of [400, 401, 402, 429, 500, 502, 503]) {
      assert.equal(kindOf(status, page), kindOfStatus(status));
    }
    for (const body of [
      { detail: 'Not Found' },
      '404 page not found',
      { error: 'Not Found' },
      { message: 'no Route matched with those values' },
    ]) {
      assert.equal(kindOf(404, body), 'wrong-address', JSON.stringify(body));
    }
    for (const message of [
      'The model `x` does not exist',
      "model 'x' not found",
      'Model not found.',
      '',
    ]) {
      assert.equal(kindOf(404, { error: { message } }), 'not-found', message);
    }
  });
});

describe('the kind of an error in a successful response', () => {
  it('follows its code', () => {
    const reported: readonly (readonly [unknown, ServiceErrorKind | undefined])[] = [
      ['insufficient_quota', 'insufficient-balance'],
      ['context_length_exceeded', 'context-exceeded'],
      [402, 'insufficient-balance'],
      ['429', 'rate-limited'],
      [503, 'server-error'],
      [1004, undefined],
      ['x', undefined],
      [undefined, undefined],
    ];
    for (const [code, kind] of reported) {
      const error = reportedError(
        readErrorBody(JSON.stringify({ error: { message: 'No', code } })),
      );
      assert.deepEqual([error.kind, error.reported], ['in-stream', kind]);
    }
  });
});
