import assert from 'node:assert/strict';
import type { RequestPart } from '../../src/core/turn/requestParts.ts';

/** Rebuilds the body of a request from its parts alone. */
export function joinedParts(parts: readonly RequestPart[]): object {
  const textOf = (chosen: readonly RequestPart[]): string =>
    chosen.map((part) => part.text).join('');
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

/** Content of a user message: an array if it has images. */
function withImages(text: string, parts: readonly RequestPart[]): unknown {
  const images = parts
    .filter(({ kind }) => kind === 'image')
    .map(({ text: url }) => ({ type: 'image_url', image_url: { url } }));
  if (images.length === 0) return text;
  return text === '' ? images : [...images, { type: 'text', text }];
}

function messageOf(parts: readonly RequestPart[]): object {
  const [first] = parts;
  assert.ok(first);
  const content = parts
    .filter(({ kind }) => kind !== 'call' && kind !== 'image')
    .map((part) => part.text)
    .join('');
  const calls = parts.filter(({ kind }) => kind === 'call');
  if (first.kind === 'system') return { role: 'system', content };
  if (first.kind === 'result') return { role: 'tool', tool_call_id: first.id, content };
  if (first.kind !== 'reply' && first.kind !== 'call')
    return { role: 'user', content: withImages(content, parts) };
  const tool_calls = calls.map(({ id, name, text: json }) => ({
    id,
    type: 'function' as const,
    function: { name, arguments: json },
  }));
  const shared = { role: 'assistant' as const, ...(tool_calls.length > 0 ? { tool_calls } : {}) };
  return { ...shared, content: first.kind === 'call' ? null : content };
}
