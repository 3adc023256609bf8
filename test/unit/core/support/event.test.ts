import assert from 'node:assert/strict';
import { mock } from 'node:test';
import fc from 'fast-check';
import { anyEvent, Emitter } from '../../../../src/core/support/event.ts';

describe('an event', () => {
  afterEach(() => mock.restoreAll());

  it('reaches every listener, even if some throw, and reports each error once', () => {
    const listener = fc.record({ throws: fc.boolean(), isAny: fc.boolean() });
    fc.assert(
      fc.property(fc.array(listener), fc.nat(3), (listeners, times) => {
        const reports: (() => void)[] = [];
        const queue = mock.method(globalThis, 'queueMicrotask', (report: () => void) => {
          reports.push(report);
        });
        const emitter = new Emitter<number>();
        const heard: string[] = [];
        for (const [index, { throws, isAny }] of listeners.entries())
          (isAny ? anyEvent(emitter.event) : emitter.event)((value) => {
            heard.push(`${index} ${value}`);
            if (throws) throw new Error(`of ${index}`);
          });
        for (let time = 0; time < times; time++) emitter.fire(time);
        queue.mock.restore();
        const calls = Array.from({ length: times }, (_, time) =>
          listeners.map(({ throws }, index) => ({ throws, index, time })),
        ).flat();
        assert.deepEqual(
          heard,
          calls.map(({ index, time }) => `${index} ${time}`),
        );
        const throwing = calls.filter(({ throws }) => throws);
        assert.equal(reports.length, throwing.length);
        for (const [position, { index }] of throwing.entries())
          assert.throws(() => reports[position]?.(), { message: `of ${index}` });
      }),
    );
  });
});
