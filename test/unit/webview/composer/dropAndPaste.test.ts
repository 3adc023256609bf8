import assert from 'node:assert/strict';
import { signal } from '@preact/signals';
import fc from 'fast-check';
import { JSDOM } from 'jsdom';
import type { HostMessage } from '../../../../src/protocol/messages.ts';
import { type Call, callSchema } from '../../../../src/protocol/rpc.ts';
import {
  insertAsText,
  isUndo,
  pastedAddresses,
  PastedText,
} from '../../../../src/webview/composer/dropAndPaste.tsx';
import { Store } from '../../../../src/webview/state/store.ts';
import { runs } from '../../../support/sample.ts';

describe('pastedAddresses', () => {
  const files: readonly (readonly [string, readonly string[]])[] = [
    ['/home/me/app.ts', ['/home/me/app.ts']],
    ['/home/me/My Files/app.ts\n', ['/home/me/My Files/app.ts']],
    ['/home/me/src/', ['/home/me/src/']],
    ['C:\\Users\\me\\app.ts', ['C:\\Users\\me\\app.ts']],
    ['c:/Users/me/app.ts', ['c:/Users/me/app.ts']],
    ['file:///home/me/a%20b.ts', ['file:///home/me/a%20b.ts']],
    ['vscode-remote://ssh/home/a.ts', ['vscode-remote://ssh/home/a.ts']],
    ['/home/me/a.ts\r\n/home/me/b.ts\r\n', ['/home/me/a.ts', '/home/me/b.ts']],
  ];
  it('accepts absolute paths and addresses of files', () => {
    for (const [text, addresses] of files) assert.deepEqual(pastedAddresses(text), addresses, text);
  });

  it('treats everything else as text', () => {
    for (const text of [
      ...['', '\n', 'src/app.ts', '/explain', '// a comment', '/* a comment */'],
      ...['https://example.com/a.ts', '\\\\server\\share\\a.ts', 'see /home/me/app.ts'],
      ...['/home/me/app.ts\nfails', `/home/${'a'.repeat(5000)}`, '/home/me/a.ts\n'.repeat(101)],
    ])
      assert.deepEqual(pastedAddresses(text), [], text.slice(0, 40));
  });
});

const { document, KeyboardEvent } = new JSDOM().window;

function rig(value = '', start = value.length, end = start) {
  const field = document.createElement('textarea');
  field.value = value;
  field.setSelectionRange(start, end);
  const requests: Call[] = [];
  const answers: { isAttached: boolean; text?: string } = { isAttached: true, text: 'read' };
  let receive: (message: HostMessage) => void = () => undefined;
  const store = new Store({
    post(message) {
      if (message.type !== 'call') return;
      const call = callSchema.parse(message.call);
      const isRead = call.name === 'read-attachment';
      if (!isRead) requests.push(call);
      const answer = answers.isAttached
        ? { value: isRead ? answers.text : undefined }
        : { error: 'Not attached.' };
      queueMicrotask(() => receive({ type: 'answer', id: message.id, ...answer }));
    },
    listen(listener) {
      receive = listener;
      return { dispose: () => undefined };
    },
  });
  const written = { field, message: { text: signal(''), replace: () => undefined } };
  const pasted = new PastedText(store, written);
  const paste = (text: string, data = ''): boolean =>
    pasted.attach({ getData: (type) => (type === 'text/plain' ? text : data) });
  return { field, requests, answers, store, written, pasted, paste };
}

const settled = (): Promise<void> => new Promise(setImmediate);
const longText = fc.oneof(
  fc
    .array(fc.string({ maxLength: 20 }), { minLength: 22, maxLength: 60 })
    .map((lines) => lines.join('\n')),
  fc.string({ minLength: 2001, maxLength: 3000 }),
);
const shortText = fc
  .array(fc.string({ maxLength: 90 }), { maxLength: 20 })
  .map((lines) => lines.map((line) => line.replaceAll(/[\r\n]/g, ' ')).join('\n'));

describe('pasted text', () => {
  before(() => void Object.assign(globalThis, { document }));
  after(() => void Reflect.deleteProperty(globalThis, 'document'));

  it('is attached as it is if it is long, and Undo right after inserts it at its place', async () => {
    await fc.assert(
      fc.asyncProperty(longText, fc.string(), fc.nat(), fc.nat(), async (text, value, a, b) => {
        const start = Math.min(a, b) % (value.length + 1);
        const end = Math.max(start, b % (value.length + 1));
        const { field, requests, paste, pasted } = rig(value, start, end);
        const plain = field.value;
        const normal = text.replaceAll('\r\n', '\n');
        if (!paste(text)) return;
        assert.equal(field.value, plain);
        const [first] = requests;
        assert.ok(first?.name === 'attach-text' && first.parameters.text === normal);
        assert.ok(pasted.undo());
        assert.equal(pasted.undo(), false);
        const typed = document.createElement('textarea');
        typed.value = plain.slice(0, start) + normal + plain.slice(end);
        assert.equal(field.value, typed.value);
        await settled();
        assert.deepEqual(requests.slice(1), [
          {
            name: 'remove-attachment',
            parameters: { attachment: first.parameters.id, edited: undefined },
          },
        ]);
      }),
      { numRuns: runs(200) },
    );
  });

  it('is inserted by the browser if it is short', () => {
    fc.assert(
      fc.property(shortText, (text) => {
        fc.pre(text.length <= 2000);
        const { requests, paste } = rig();
        assert.equal(paste(text), false);
        assert.deepEqual(requests, []);
      }),
    );
  });

  it('is attached from 21 lines or 2,001 characters on', () => {
    const lines = (count: number): string => Array(count).fill('line').join('\n');
    const cases = [
      [lines(20), false],
      [`${lines(20)}\n`, false],
      [lines(21), true],
      ['x'.repeat(2000), false],
      ['x'.repeat(2001), true],
    ] as const;
    for (const [text, isAttached] of cases) assert.equal(rig().paste(text), isAttached);
  });

  it('has the language of its source editor, if that is a valid name', () => {
    const text = 'x\n'.repeat(30);
    for (const [data, language] of [
      ['{"mode":"typescript"}', 'typescript'],
      ['{"mode":"a\\nb"}', ''],
      ['{"mode":7}', ''],
      ['not JSON', ''],
    ] as const) {
      const { paste, requests } = rig();
      paste(text, data);
      assert.ok(requests[0]?.name === 'attach-text');
      assert.equal(requests[0].parameters.language, language);
    }
  });

  it("is not lost if it can't be attached, even after something else was typed", async () => {
    for (const isTyped of [false, true]) {
      const { field, answers, paste, pasted } = rig('ab', 1);
      answers.isAttached = false;
      const text = 'x\n'.repeat(30);
      paste(text);
      if (isTyped) pasted.forget();
      await settled();
      assert.equal(field.value, `a${text}b`);
      assert.equal(pasted.undo(), false);
    }
  });

  it('is refused if it is longer than any request, and leaves the field as it was', async () => {
    const { field, requests, store, paste, pasted } = rig('ab', 1);
    assert.ok(paste('x'.repeat(50_000_000)));
    await settled();
    assert.equal(field.value, 'ab');
    assert.deepEqual(requests, []);
    assert.match(store.refusal.value, /^This text is too long to paste/);
    assert.equal(pasted.undo(), false);
  });

  it('is only restored by Undo as long as nothing else was done', () => {
    const { paste, pasted, field } = rig();
    paste('x\n'.repeat(30));
    pasted.forget();
    assert.equal(pasted.undo(), false);
    assert.equal(field.value, '');
    const key = (init: KeyboardEventInit) => isUndo(new KeyboardEvent('keydown', init));
    assert.ok(key({ key: 'z', ctrlKey: true }) && key({ key: 'z', metaKey: true }));
    assert.ok(!key({ key: 'Z', ctrlKey: true, shiftKey: true }) && !key({ key: 'z' }));
  });

  it('is inserted from its chip at the cursor', async () => {
    const { field, store, written, answers, requests } = rig('ab', 1);
    await insertAsText(store, 'p', written);
    assert.equal(field.value, 'areadb');
    assert.deepEqual(requests, [
      { name: 'remove-attachment', parameters: { attachment: 'p', edited: undefined } },
    ]);
    delete answers.text;
    await insertAsText(store, 'q', written);
    assert.deepEqual([field.value, requests.length], ['areadb', 1]);
  });
});
