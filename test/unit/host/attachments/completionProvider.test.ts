import assert from 'node:assert/strict';
import type { CompletionChoice } from '../../../../src/host/attachments/completionProvider.ts';
import { withoutVsCode } from '../../../support/withoutVsCode.ts';

const { CompletionChoices } = await withoutVsCode(
  () => import('../../../../src/host/attachments/completionProvider.ts'),
);

function offer(id: string): CompletionChoice {
  return { item: { id, label: id, icon: 'file' }, choose: () => Promise.resolve() };
}

describe('CompletionChoices', () => {
  it('finds offered items, including those of the previous list', () => {
    const offers = new CompletionChoices();
    assert.deepEqual(offers.register([offer('a')]), [{ id: 'a', label: 'a', icon: 'file' }]);
    offers.register([offer('b')]);
    assert.equal(offers.find('a')?.item.id, 'a');
    assert.equal(offers.find('b')?.item.id, 'b');
  });

  it('finds no item that was not offered, and forgets old ones', () => {
    const offers = new CompletionChoices();
    assert.equal(offers.find('/etc/passwd'), undefined);
    offers.register([offer('old')]);
    for (let index = 0; index < 4; index++) offers.register([offer(`new ${index}`)]);
    assert.equal(offers.find('old'), undefined);
  });
});
