/**
 * Plays recorded streams and error bodies of real services, in several slicings, and compares what
 * the client reads with the expected outcome next to each recording. The recordings are not part
 * of the project. Run it with `npm run conformance -- <folder>`.
 */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import * as z from 'zod/mini';
import { ServiceClient } from '../../src/core/service/client.ts';
import type { Completion } from '../../src/core/service/completion.ts';
import { ServiceError } from '../../src/core/service/errors.ts';
import { systemClock } from '../../src/core/support/clock.ts';

const expectedStream = z.object({
  content: z.string(),
  reasoning: z.nullable(z.string()),
  toolCalls: z.array(z.object({ id: z.string(), name: z.string(), arguments: z.string() })),
  finishReason: z.nullable(z.string()),
  usage: z.nullable(z.object({ prompt: z.number(), completion: z.number(), total: z.number() })),
  refusal: z.nullable(z.string()),
  error: z.nullable(
    z.object({ message: z.string(), code: z.nullable(z.union([z.string(), z.number()])) }),
  ),
  doneSeen: z.boolean(),
  badEvents: z.number(),
  contentType: z.nullable(z.string()),
});

const expectedError = z.object({
  provider: z.string(),
  status: z.number(),
  headers: z.record(z.string(), z.array(z.string())),
  body: z.string(),
  expectMessage: z.string(),
});

const slicings = new Map([
  ['whole', Infinity],
  ['64 KiB', 65_536],
  ['1000 bytes', 1000],
  ['7 bytes', 7],
  ['single bytes', 1],
]);

let passed = 0;
const failures: string[] = [];

async function check(name: string, run: () => Promise<void>): Promise<void> {
  try {
    await run();
    passed += 1;
  } catch (error) {
    failures.push(`${name}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function bodyOf(bytes: Uint8Array, size: number): ReadableStream<Uint8Array> {
  let offset = 0;
  return new ReadableStream({
    pull(controller) {
      if (offset >= bytes.length) controller.close();
      else controller.enqueue(bytes.subarray(offset, (offset += Math.min(size, bytes.length))));
    },
  });
}

function clientFor(respond: () => Response): ServiceClient {
  return new ServiceClient({
    baseUrl: 'https://service.test/v1',
    apiKey: 'sk-conformance',
    fetch: () => Promise.resolve(respond()),
    clock: systemClock,
    silenceLimit: 60_000,
  });
}

const request = { model: 'm', messages: [{ role: 'user' as const, content: 'Hello' }] };

interface Played extends Completion {
  readonly text: string;
  readonly reasoning: string;
}

async function play(bytes: Uint8Array, size: number, contentType: string): Promise<Played> {
  const headers = { 'Content-Type': contentType };
  const client = clientFor(() => new Response(bodyOf(bytes, size), { headers }));
  let completion: Completion | undefined;
  const streamed = { text: '', reasoning: '' };
  for await (const event of client.stream({ ...request, stream: true })) {
    if (event.type === 'text' || event.type === 'reasoning') streamed[event.type] += event.text;
    if (event.type === 'end') completion = event.completion;
  }
  assert.ok(completion, 'no end');
  return { ...completion, ...streamed };
}

async function checkStream(folder: string, name: string): Promise<void> {
  const expected = expectedStream.parse(
    JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8')),
  );
  const bytes = readFileSync(join(folder, `${name}.sse`));
  for (const [label, size] of slicings) {
    await check(`${name} (${label})`, async () => {
      const completion = await play(bytes, size, expected.contentType ?? 'text/event-stream');
      assert.equal(completion.text, expected.content + (expected.refusal ?? ''));
      assert.equal(completion.reasoning, expected.reasoning ?? '');
      assert.deepEqual(
        completion.toolCalls.map(({ id, name, arguments: json }) => ({
          id,
          name,
          arguments: json,
        })),
        expected.toolCalls,
      );
      checkTraces(completion, expected);
      assert.equal(completion.finishReason ?? null, expected.finishReason);
      assert.equal(completion.malformedEvents, expected.badEvents);
      assert.equal(completion.doneSeen, expected.doneSeen);
      checkUsage(completion, expected);
      checkFault(completion, expected);
    });
  }
}

/** Asserts that traces contain all received reasoning, in the field of the service. */
function checkTraces(completion: Completion, expected: z.infer<typeof expectedStream>): void {
  for (const { trace } of completion.toolCalls) {
    const traced = trace?.message?.['reasoning_content'] ?? trace?.message?.['reasoning'];
    if (traced !== undefined) assert.equal(traced, expected.reasoning);
  }
}

function checkUsage(completion: Completion, expected: z.infer<typeof expectedStream>): void {
  const usage = completion.usage && {
    prompt: completion.usage.prompt_tokens,
    completion: completion.usage.completion_tokens,
    total: completion.usage.total_tokens,
  };
  assert.deepEqual(usage ?? null, expected.usage);
}

function checkFault(completion: Completion, expected: z.infer<typeof expectedStream>): void {
  const ended = expected.doneSeen || expected.finishReason !== null;
  const kind = expected.error === null ? (ended ? undefined : 'cut') : 'in-stream';
  assert.equal(completion.fault?.kind, kind);
  if (expected.error === null) return;
  assert.equal(completion.fault?.detail, expected.error.message);
  assert.equal(completion.fault.code ?? null, expected.error.code);
}

async function checkError(expected: z.infer<typeof expectedError>, position: number) {
  await check(`error body ${position + 1} of ${expected.provider}`, async () => {
    const headers = Object.entries(expected.headers).map(([key, values]): [string, string] => [
      key,
      values.join(', '),
    ]);
    const client = clientFor(
      () => new Response(expected.body, { status: expected.status, headers }),
    );
    const error = await client.listModels({ attempts: 1 }).catch((reason: unknown) => reason);
    assert.ok(error instanceof ServiceError, 'no ServiceError');
    assert.equal(error.status, expected.status);
    assert.equal(error.detail, expected.expectMessage);
  });
}

function findFolder(): { streams: string; errors: string | undefined } {
  const folder = resolve(process.argv[2] ?? '.');
  const streams = existsSync(join(folder, 'streams')) ? join(folder, 'streams') : folder;
  const errors = join(dirname(streams), 'error-bodies.json');
  return { streams, errors: existsSync(errors) ? errors : undefined };
}

const { streams, errors } = findFolder();
const names = readdirSync(streams)
  .filter((file) => file.endsWith('.sse'))
  .map((file) => file.slice(0, -4));
if (names.length === 0) failures.push(`${streams} holds no recordings (*.sse)`);
for (const name of names) await checkStream(streams, name);
if (errors !== undefined) {
  const bodies = z.array(expectedError).parse(JSON.parse(readFileSync(errors, 'utf8')));
  for (const [position, body] of bodies.entries()) await checkError(body, position);
}
for (const failure of failures) console.error(`✗ ${failure}`);
console.log(`${names.length} streams in ${slicings.size} slicings`);
console.log(`${passed} passed, ${failures.length} failed`);
process.exitCode = failures.length === 0 ? 0 : 1;
