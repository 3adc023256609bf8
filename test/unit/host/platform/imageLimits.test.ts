import assert from 'node:assert/strict';
import type { AttachedImage } from '../../../../src/core/conversation/conversation.ts';
import { withoutVsCode } from '../../../support/withoutVsCode.ts';

const { requireImageInput, requireImageRoom } = await withoutVsCode(
  () => import('../../../../src/host/platform/imageLimits.ts'),
);

describe('images of a message', () => {
  const sized = (size: number): AttachedImage => ({
    type: 'image/png',
    width: 1,
    height: 1,
    hash: 'a'.repeat(64),
    size,
  });

  it('are sent only to a model that is known to support them, and a refusal says what to do', () => {
    requireImageInput('m', { images: true });
    const refused: readonly (readonly [string, boolean | undefined, RegExp])[] = [
      ['m', false, /m accepts text only\. Select another model/],
      ['m', undefined, /isn't known whether m accepts images.*aside\.models/],
      ['', undefined, /Select a model/],
    ];
    for (const [model, images, words] of refused)
      assert.throws(() => requireImageInput(model, { images }), words);
  });

  it('are at most ten, of 5 MB each and 20 MB together', () => {
    const three = Array.from({ length: 3 }, () => sized(5_000_000));
    requireImageRoom(5_000_000, three);
    requireImageRoom(
      1,
      Array.from({ length: 9 }, () => sized(1)),
    );
    assert.throws(() => requireImageRoom(5_000_001, []), /up to 5 MB/);
    assert.throws(
      () =>
        requireImageRoom(
          1,
          Array.from({ length: 10 }, () => sized(1)),
        ),
      /up to 10/,
    );
    assert.throws(() => requireImageRoom(1, [...three, sized(5_000_000)]), /20 MB together/);
  });
});
