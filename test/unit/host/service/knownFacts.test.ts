import assert from 'node:assert/strict';
import type { ModelFacts } from '../../../../src/core/service/modelFacts.ts';
import { knownFacts } from '../../../../src/host/service/models.ts';

const facts: Readonly<Record<string, ReadonlyMap<string, ModelFacts>>> = {
  'https://one.test': new Map([['small', { contextWindow: 1 }]]),
  'https://two.test': new Map([['small', { contextWindow: 2 }]]),
};
const factsOf = (service: string) => facts[service] ?? new Map<string, ModelFacts>();

function servicesWith(service: string | undefined, isDemo = false) {
  return {
    service,
    isDemo,
    services: {
      others: [{ id: 'https://two.test' }],
      written: (of: string, id: string) => (of === 'https://two.test' ? `${id}@two` : id),
    },
  };
}

describe('model details from the services', () => {
  it('are found by the ids that people write, for every service', () => {
    const known = knownFacts(servicesWith('https://one.test'), factsOf);
    assert.deepEqual(
      [...known].map(([id, { contextWindow }]) => [id, contextWindow]),
      [
        ['small', 1],
        ['small@two', 2],
      ],
    );
  });

  it('are those of the demo alone while it is used', () => {
    const known = knownFacts(servicesWith('https://one.test', true), factsOf);
    assert.deepEqual([...known.keys()], ['small']);
  });

  it('are those of the others while no service is the current one', () => {
    const known = knownFacts(servicesWith(undefined), factsOf);
    assert.deepEqual([...known.keys()], ['small@two']);
  });
});
