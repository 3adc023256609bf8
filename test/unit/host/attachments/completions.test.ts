import assert from 'node:assert/strict';
import type { Offer } from '../../../../src/host/attachments/completions.ts';
import { withoutVsCode } from '../../../support/withoutVsCode.ts';

const { Offers } = await withoutVsCode(
  () => import('../../../../src/host/attachments/completions.ts'),
);

function offer(id: string): Offer {
  return { item: { id, label: id, icon: 'file' }, choose: () => Promise.resolve() };
}

describe('Offers', () => {
  it('finds what was offered, also in the list before', () => {
    const offers = new Offers();
    assert.deepEqual(offers.offer([offer('a')]), [{ id: 'a', label: 'a', icon: 'file' }]);
    offers.offer([offer('b')]);
    assert.equal(offers.find('a')?.item.id, 'a');
    assert.equal(offers.find('b')?.item.id, 'b');
  });

  it('knows nothing that nobody offered, and forgets what is long gone', () => {
    const offers = new Offers();
    assert.equal(offers.find('/etc/passwd'), undefined);
    offers.offer([offer('old')]);
    for (let index = 0; index < 4; index++) offers.offer([offer(`new ${index}`)]);
    assert.equal(offers.find('old'), undefined);
  });
});
