import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { background } from '../../../src/core/support/background.ts';
import { withFakeVsCode } from '../../support/withFakeVsCode.ts';

/** A window that answers only when `answer` is called. */
const fake = `
  let resolve;
  export const answer = () => resolve();
  export const commands = {
    executeCommand: () => new Promise((resolved) => (resolve = resolved)),
  };
`;

interface Waiting {
  readonly answer: () => void;
  /** Whether the page was sent, once all promises are settled. */
  readonly isSent: () => Promise<boolean>;
}

/** Waits until a page was sent. */
function waiting(): Promise<Waiting> {
  return withFakeVsCode(fake, async () => {
    const { pageSent } = await import('../../../src/host/sentToWindow.ts');
    const module: object = await import('vscode');
    const answer: unknown = Reflect.get(module, 'answer');
    assert.ok(typeof answer === 'function');
    let isSent = false;
    background(pageSent().then(() => (isSent = true)));
    return {
      answer: () => void Reflect.apply(answer, undefined, []),
      async isSent() {
        await new Promise(setImmediate);
        return isSent;
      },
    };
  });
}

describe('a page that was sent to the window', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }));
  afterEach(() => mock.timers.reset());

  it('is there when the window answers', async () => {
    const { answer, isSent } = await waiting();
    assert.equal(await isSent(), false);
    answer();
    assert.equal(await isSent(), true);
  });

  it('has left after 50 ms even if the window is busy', async () => {
    const { isSent } = await waiting();
    mock.timers.tick(49);
    assert.equal(await isSent(), false);
    mock.timers.tick(1);
    assert.equal(await isSent(), true);
  });
});
