/** Text chunks of a streamed reply, as they arrive. */
export async function* openStream(baseUrl: string): AsyncGenerator<string> {
  const response = await fetch(`${baseUrl}/chat/completions`, { method: 'POST', body: '{}' });
  const decoder = new TextDecoder();
  let partialLine = '';
  for await (const bytes of response.body ?? []) {
    const lines = (partialLine + decoder.decode(bytes, { stream: true })).split('\n');
    partialLine = lines.pop() ?? '';
    for (const line of lines) yield* textOf(line);
  }
}

function textOf(line: string): string[] {
  const content = /^data: .*"content":("(?:[^"\\]|\\.)*")/.exec(line)?.[1];
  if (content === undefined) return [];
  const text: unknown = JSON.parse(content);
  return typeof text === 'string' ? [text] : [];
}
