import assert from 'node:assert/strict';
import type { WireMessage } from '../../src/core/service/wire.ts';
import type { RequestPart } from '../../src/core/turn/requestParts.ts';

/** The body of a request, made of its parts alone. */
export function joinedParts(parts: readonly RequestPart[]): object {
  const textOf = (chosen: readonly RequestPart[]): string => chosen.map((one) => one.text).join('');
  const definitions: unknown = JSON.parse(
    textOf(parts.filter(({ kind }) => kind === 'tool')) || '[]',
  );
  const options = parts.filter(({ kind }) => kind === 'option');
  const count = Math.max(...parts.map(({ message }) => message)) + 1;
  const messages = Array.from({ length: count }, (_, index) =>
    messageOf(parts.filter(({ message }) => message === index)),
  );
  return {
    ...Object.fromEntries(
      options.map(({ name, text: json }): [string, unknown] => [name, JSON.parse(json)]),
    ),
    messages,
    ...(Array.isArray(definitions) && definitions.length > 0 ? { tools: definitions } : {}),
  };
}

function messageOf(parts: readonly RequestPart[]): WireMessage {
  const [first] = parts;
  assert.ok(first);
  const content = parts
    .filter(({ kind }) => kind !== 'call')
    .map((one) => one.text)
    .join('');
  const calls = parts.filter(({ kind }) => kind === 'call');
  if (first.kind === 'system') return { role: 'system', content };
  if (first.kind === 'result') return { role: 'tool', tool_call_id: first.id, content };
  if (first.kind !== 'reply' && first.kind !== 'call') return { role: 'user', content };
  const tool_calls = calls.map(({ id, name, text: json }) => ({
    id,
    type: 'function' as const,
    function: { name, arguments: json },
  }));
  const shared = { role: 'assistant' as const, ...(tool_calls.length > 0 ? { tool_calls } : {}) };
  return { ...shared, content: first.kind === 'call' ? null : content };
}
