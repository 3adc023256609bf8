import assert from 'node:assert/strict';
import { dialogsWith } from '../../../support/dialogsWith.ts';
import type { Price } from '../../../../src/core/conversation/usage.ts';
import { currentSettings } from '../../../support/currentSettings.ts';
import { consentsWith } from '../../../support/consentsWith.ts';
import { withoutVsCode } from '../../../support/withoutVsCode.ts';
import type { FileOffer } from '../../../../src/host/context/fileOffers.ts';

const { FileOffers, mayCostMore } = await withoutVsCode(
  () => import('../../../../src/host/context/fileOffers.ts'),
);

const [small, large, tiny]: readonly Price[] = [
  { input: 0.5, output: 1.5 },
  { input: 2, output: 6 },
  { input: 0.1, output: 0.2 },
];
const models = { small: { price: small }, large: { price: large }, tiny: { price: tiny } };

const file: FileOffer = { path: 'a.prompt.md', text: 'v1', isOwn: false, model: 'large' };

function rig(answer: boolean | undefined, workspace = 'here', stored = new Map<string, unknown>()) {
  const offered: (readonly string[])[] = [];
  const messages: string[] = [];
  const offers = new FileOffers(
    consentsWith(
      {
        decide(...texts) {
          offered.push(texts);
          return Promise.resolve(answer);
        },
      },
      stored,
      workspace,
    ),
    dialogsWith({ showInformation: (message) => void messages.push(message) }),
    currentSettings(() => ({ currency: '$', models })),
    (model) => model === 'gone',
  );
  return { offers, offered, messages, stored };
}

describe('the model that a file names', () => {
  it('is offered once for its content, with both prices', async () => {
    const { offers, offered, stored } = rig(true);
    assert.deepEqual(await offers.accept(file, 'small'), { model: 'large' });
    assert.deepEqual(offered, [
      [
        'Use large for a.prompt.md?',
        'large: $2 input, $6 output per million tokens\nsmall: $0.5 input, $1.5 output per million tokens',
        'Use large',
        'Keep small',
      ],
    ]);
    const next = rig(false, 'here', stored);
    assert.deepEqual(await next.offers.accept(file, 'small'), { model: 'large' });
    assert.equal(next.offered.length, 0);
    assert.deepEqual(await next.offers.accept({ ...file, text: 'v2' }, 'small'), {});
    assert.deepEqual(await next.offers.accept({ ...file, text: 'v2' }, 'small'), {});
    assert.equal(next.offered.length, 1);
  });

  it('is offered by a repository even if it costs less or no price is known', async () => {
    const { offers, offered } = rig(false);
    assert.deepEqual(await offers.accept({ ...file, model: 'tiny' }, 'small'), {});
    assert.deepEqual(await offers.accept({ ...file, path: 'b', model: 'other' }, 'small'), {});
    assert.match(offered[1]?.[1] ?? '', /^other: price unknown\n/);
  });

  it("is used from a user's own file if it costs no more", async () => {
    const { offers, offered } = rig(false);
    const ownFile = { ...file, isOwn: true };
    assert.deepEqual(await offers.accept({ ...ownFile, model: 'tiny' }, 'small'), {
      model: 'tiny',
    });
    assert.deepEqual(await offers.accept(ownFile, 'large'), {});
    assert.equal(offered.length, 0);
    assert.deepEqual(await offers.accept(ownFile, 'small'), {});
    assert.equal(offered.length, 1);
  });

  it('is not used if the service does not have it', async () => {
    const { offers, offered, messages } = rig(true);
    assert.deepEqual(await offers.accept({ ...file, model: 'gone' }, 'small'), {});
    assert.deepEqual([offered.length, messages.length], [0, 1]);
  });

  it('is offered together with options', async () => {
    const { offers, offered } = rig(true);
    const options = { temperature: 0.2, maxTokens: 9000 };
    assert.deepEqual(await offers.accept({ ...file, options }, 'small'), {
      model: 'large',
      options,
    });
    assert.match(offered[0]?.[1] ?? '', /\ntemperature: 0\.2\nmaxTokens: 9000$/);
    assert.deepEqual(
      await offers.accept({ ...file, text: 'v2', model: undefined, options }, 'small'),
      {
        options,
      },
    );
    assert.equal(offered[1]?.[0], 'Apply options from a.prompt.md?');
  });

  it('cancels sending when the person cancels, and asks again', async () => {
    const { offers, offered } = rig(undefined);
    assert.equal(await offers.accept(file, 'small'), undefined);
    assert.equal(await offers.known(file, 'small'), undefined);
    assert.equal(await offers.accept(file, 'small'), undefined);
    assert.equal(offered.length, 2);
  });

  it('is offered again in another workspace, and for another file', async () => {
    const { offers, stored } = rig(true);
    await offers.accept(file, 'small');
    const elsewhere = rig(false, 'elsewhere', stored);
    assert.deepEqual(await elsewhere.offers.accept(file, 'small'), {});
    assert.equal(elsewhere.offered.length, 1);
    const here = rig(false, 'here', stored);
    assert.deepEqual(await here.offers.accept({ ...file, path: 'b.prompt.md' }, 'small'), {});
    assert.equal(here.offered.length, 1);
  });
});

describe('mayCostMore', () => {
  it('is true for a price that is higher in one part, or unknown', () => {
    assert.equal(mayCostMore(small, tiny), false);
    assert.equal(mayCostMore(small, small), false);
    assert.equal(mayCostMore(small, { input: 0.1, output: 2 }), true);
    assert.equal(mayCostMore(undefined, tiny), true);
    assert.equal(mayCostMore(small, undefined), true);
  });
});
