import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { reportSecondTries, secondTriesIn } from '../../support/secondTry.ts';

describe('second tries', () => {
  it('are found in the output of a run', () => {
    const runner = new EventEmitter();
    const output: string[] = ['  ✔ one', '\u001b[31m  2 passing\u001b[0m'];
    reportSecondTries(runner, (line) => output.push(line));
    const failed = { fullTitle: () => 'journey: stop stops' };
    runner.emit(
      'retry',
      failed,
      failure('Error: Second try: of another\n    at one\n    at two\n    at three'),
    );
    runner.emit('retry', failed, failure('Timeout'));
    assert.deepEqual(secondTriesIn(output.join('\n')), [
      '  Second try: journey: stop stops\n    Error: Second try: of another\n    at one\n    at two',
      '  Second try: journey: stop stops\n    Timeout',
    ]);
  });
});

function failure(stack: string): Error {
  return Object.assign(new Error(), { stack });
}
