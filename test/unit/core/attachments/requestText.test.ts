import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { requestText } from '../../../../src/core/attachments/requestText.ts';
import type { CompletionRequest } from '../../../../src/core/service/wire.ts';

const request: CompletionRequest = {
  model: 'some/model',
  messages: [
    { role: 'user', content: 'it\'s $HOME `id` "x"\n\u{200b}\u{e0041}\u{2028}\u{7f}\u{2800}end' },
  ],
  stream: true,
};
const text = requestText(request, 'https://api.example.com/v1');

describe('requestText', () => {
  it('shows the whole request, with visible escapes for invisible characters', () => {
    const json = text
      .split('\n')
      .filter((line) => !line.startsWith('//'))
      .join('\n');
    assert.deepEqual(JSON.parse(json), request);
    assert.doesNotMatch(text, /[\u{200b}\u{e0041}\u{2028}\u{7f}\u{2800}]/u);
    assert.match(text, /\\u200b\\udb40\\udc41\\u2028\\u007f\\u2800end/);
  });

  if (process.platform !== 'win32')
    it('includes a shell command that sends the same request, without the key', () => {
      const line =
        text
          .split('\n')
          .find((candidate) => candidate.startsWith('// curl '))
          ?.slice(3) ?? '';
      const script = `curl() { printf '%s\\0' "$@"; }\n${line}`;
      const curlArguments = execFileSync('sh', ['-c', script], { encoding: 'utf8' }).split('\0');
      assert.equal(curlArguments[1], 'https://api.example.com/v1/chat/completions');
      assert.ok(curlArguments.includes('Authorization: Bearer ‹key›'));
      assert.deepEqual(
        JSON.parse(curlArguments[curlArguments.indexOf('--data-raw') + 1] ?? ''),
        request,
      );
    });
});
