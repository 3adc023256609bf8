import assert from 'node:assert/strict';
import { errorShapes } from '../../../../src/core/service/errorBody.ts';
import { ServiceError } from '../../../../src/core/service/errors.ts';
import { errorText } from '../../../../src/host/platform/errorText.ts';
import { testClient } from '../../../support/testClient.ts';
import { delta, done, stop } from '../../../support/rawReply.ts';

const words = 'The cluster is on fire';

/** Errors as services report them. */
const reports: readonly unknown[] = [
  { error: { message: words, type: 'server_error', code: null } },
  { error: { message: 'Provider returned error', code: 502, metadata: { raw: words } } },
  { statusCode: 500, error: 'Internal Server Error', message: words },
  { detail: words },
  { message: words, code: 'x' },
  { code: 20_012, msg: words },
  { errors: [{ message: words }] },
  { error_code: 17, error_msg: words },
  { choices: [{ index: 0, error: { message: words, code: 502 } }] },
  {
    choices: [
      { index: 0, delta: { content: '' }, error: { message: words }, finish_reason: 'error' },
    ],
  },
  { choices: [], error: { message: words } },
  { error: words },
  { type: 'error', error: { type: 'overloaded_error', message: words } },
  { choices: [], x_groq: { error: words } },
  { base_resp: { status_code: 1004, status_msg: words } },
  [{ error: { message: words } }],
  { errcode: 40_001, errmsg: words },
  { status: { code: 3, message: words } },
  { status: 'error', data: { message: words } },
  { error: { code: 'content_filter', innererror: { message: words } } },
  { choices: [], message: words },
  { choices: [{ index: 0, delta: { error: { message: words } } }] },
];

const shapes = errorShapes
  .filter(([path, holds]) => path === 'error' || holds === 'words')
  .map(([path]) =>
    path.split('.').reduceRight<unknown>((inner, name) => ({ [name]: inner }), words),
  );

const events = [
  ...reports.map((report) => `data: ${JSON.stringify(report)}\n\n`),
  ...shapes.map((shape) => `event: error\ndata: ${JSON.stringify(shape)}\n\n`),
  `event: error\ndata: ${words}\n\n`,
  `data: ${words}\n\n`,
  ...['Error', 'exception', 'upstream_error', 'response.failed'].map(
    (name) => `event: ${name}\ndata: ${JSON.stringify({ text: words, message: words })}\n\n`,
  ),
  `event: error\ndata: ${JSON.stringify(words)}\n\n`,
  `event: failed\ndata: ${words}\n\n`,
  ...['Error', 'ERROR', 'exception', 'statusMessage'].map(
    (name) => `data: ${JSON.stringify({ [name]: words })}\n\n`,
  ),
  `${words}\n`,
  words,
  `Error: ${words}\n\n`,
  `{"error":{"message":"${words}"}}\n\n`,
  `data: ${JSON.stringify(JSON.stringify({ error: { message: words } }))}\n\n`,
];

interface Outcome {
  readonly error: ServiceError;
  readonly text: string;
  readonly requests: number;
}

async function ask(body: string, status: number, type: string): Promise<Outcome> {
  let requests = 0;
  const fetch = (): Promise<Response> => {
    requests += 1;
    return Promise.resolve(new Response(body, { status, headers: { 'Content-Type': type } }));
  };
  const client = testClient(fetch);
  let text = '';
  const messages = [{ role: 'user' as const, content: 'Hello' }];
  const error = await (async () => {
    for await (const event of client.stream({ model: 'm', messages, stream: true })) {
      if (event.type === 'text') text += event.text;
      if (event.type === 'end') return event.completion.fault;
    }
    return undefined;
  })().catch((reason: unknown) => reason);
  assert.ok(error instanceof ServiceError, body);
  return { error, text, requests };
}

function errorTextOf(error: ServiceError): ReturnType<typeof errorText> {
  const redact = (text: string): string => text;
  return errorText(error, { redact, now: 0, language: 'en', model: 'm' });
}

function checkWords({ error, requests }: Outcome): void {
  const { message } = errorTextOf(error);
  assert.ok(message.includes(`“${words}”`) || message.includes(`Error: ${words}”`), message);
  assert.doesNotMatch(message, /connection|base URL|closed/i);
  assert.equal(requests, 1);
}

describe('the error texts of a service', () => {
  for (const report of reports) {
    const json = JSON.stringify(report);
    it(`are shown for a refusal and for a success with ${json}`, async () => {
      checkWords(await ask(json, 400, 'application/json'));
      for (const type of ['application/json', 'text/event-stream']) {
        checkWords(await ask(json, 200, type));
      }
    });
  }

  for (const event of events) {
    it(`are shown for an event ${JSON.stringify(event)}`, async () => {
      for (const body of [event, `: hi\n\n${event}`, `${event}${done}`]) {
        if (body.startsWith('{') || (body.endsWith(done) && event === words)) continue;
        const reply = await ask(body, 200, 'text/event-stream');
        checkWords(reply);
        assert.equal(reply.text, '');
      }
      const inTheMiddle = await ask(`${delta('Kept')}${event}`, 200, 'text/event-stream');
      checkWords(inTheMiddle);
      assert.equal(inTheMiddle.text, 'Kept');
    });
  }

  const dataWithoutText = ['500', 'null', '[]', '["x"]', '{}', ''];
  it('are not required: an error event without text is not reported as a lost connection', async () => {
    for (const name of ['error', 'Error', 'response.failed']) {
      for (const data of dataWithoutText) {
        for (const before of ['', delta('Kept')]) {
          const body = `${before}event: ${name}\ndata: ${data}\n\n`;
          const { error } = await ask(body, 200, 'text/event-stream');
          assert.equal(error.kind, 'in-stream', body);
        }
      }
    }
  });

  it('are quoted from an object of unknown form in place of a reply', async () => {
    for (const object of [{ hint: words }, { why: [words] }, { x: { y: words } }]) {
      for (const end of ['', done]) {
        const reply = await ask(
          `data: ${JSON.stringify(object)}\n\n${end}`,
          200,
          'text/event-stream',
        );
        assert.equal(reply.error.kind, 'in-stream');
        assert.ok(errorTextOf(reply.error).message.includes(words));
      }
    }
  });

  it('are not the reason for an interruption if the reply continued', async () => {
    for (const event of [
      `data: ${JSON.stringify({ message: words })}\n\n`,
      `data: ${JSON.stringify({ hint: words })}\n\n`,
      `data: ${words}\n\n`,
    ]) {
      const { error } = await ask(`${event}${delta('Hi')}`, 200, 'text/event-stream');
      assert.equal(error.kind, 'cut', event);
    }
  });

  it('are ignored if they only look like an error and the reply continues', async () => {
    for (const likely of [
      { detail: words },
      { code: 1001, msg: words },
      { error_code: 1, error_msg: words },
    ]) {
      const body = `data: ${JSON.stringify(likely)}\n\n`;
      const reply = `${delta('One')}${body}${delta(' two')}${stop}${done}`;
      await assert.rejects(ask(reply, 200, 'text/event-stream'), { name: 'AssertionError' });
      checkWords(await ask(`${delta('One')}${body}${stop}${done}`, 200, 'text/event-stream'));
    }
  });

  it('are ignored in other objects and keep-alives', async () => {
    const others = [
      { choices: [], usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } },
      { choices: [], prompt_filter_results: [{ content_filter_results: {} }] },
      { type: 'ping' },
      { message: 'The model is loading' },
      { code: 0, msg: 'success' },
      { choices: [], base_resp: { status_code: 0, status_msg: 'ok' } },
      { error: null, errors: [], detail: '' },
      { status: 'processing', code: 102, message: 'Warming up' },
    ].map((other) => `data: ${JSON.stringify(other)}\n\n`);
    for (const other of [...others, 'data: ping\n\n', 'event: ping\ndata: {}\n\n']) {
      const body = `${other}${delta('Hi')}${other}${stop}${other}${done}`;
      await assert.rejects(ask(body, 200, 'text/event-stream'), { name: 'AssertionError' }, other);
    }
  });
});
