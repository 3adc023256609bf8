import assert from 'node:assert/strict';
import { withoutVsCode } from '../../../support/withoutVsCode.ts';

const { copyTerminalSelection } = await withoutVsCode(
  () => import('../../../../src/host/terminal/lastTerminalOutput.ts'),
);

class FakeClipboard {
  readonly writes: string[] = [];
  text: string;

  constructor(text: string) {
    this.text = text;
  }

  readText(): Promise<string> {
    return Promise.resolve(this.text);
  }

  writeText(text: string): Promise<void> {
    this.text = text;
    this.writes.push(text);
    return Promise.resolve();
  }
}

/** Copies as VS Code does: nothing if nothing is selected. */
function copyCommand(clipboard: FakeClipboard, selected: string): () => Promise<void> {
  return () => {
    if (selected !== '') clipboard.text = selected;
    return Promise.resolve();
  };
}

describe('the selection of a terminal', () => {
  it("is found if it equals the clipboard's text", async () => {
    const clipboard = new FakeClipboard('error: 1');
    const copy = copyCommand(clipboard, 'error: 1');
    assert.equal(await copyTerminalSelection({ clipboard, copy }), 'error: 1');
    assert.equal(clipboard.text, 'error: 1');
  });

  it("doesn't change a clipboard without text, which may contain an image", async () => {
    const clipboard = new FakeClipboard('');
    assert.equal(await copyTerminalSelection({ clipboard, copy: copyCommand(clipboard, '') }), '');
    assert.deepEqual(clipboard.writes, []);
  });

  it('restores the text even if copying fails', async () => {
    const clipboard = new FakeClipboard('mine');
    const copy = (): Promise<never> => Promise.reject(new Error('no terminal'));
    await assert.rejects(copyTerminalSelection({ clipboard, copy }), /no terminal/);
    assert.equal(clipboard.text, 'mine');
  });
});
