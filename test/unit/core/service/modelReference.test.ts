import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  canonicalModel,
  isServiceName,
  parseModelReference,
  serviceName,
  unknownService,
  writeModelReference,
  type ServiceNames,
} from '../../../../src/core/service/modelReference.ts';

const word = fc.stringMatching(/^[a-z0-9][a-z0-9.-]{0,6}$/);
const names = fc
  .uniqueArray(word, { minLength: 1, maxLength: 4 })
  .map(([current, ...others]): ServiceNames => ({ current, others }));

/** Ids of models, some of which end with the name of a service. */
function idsWith({ current = '', others }: ServiceNames): fc.Arbitrary<string> {
  const part = fc.oneof(word, fc.constantFrom('@', '/', current, ...others), fc.string());
  return fc
    .array(part, { minLength: 1, maxLength: 6 })
    .map((parts) => parts.join(''))
    .filter((id) => id !== '');
}

const reference = names.chain((known) =>
  fc.record({
    known: fc.constant(known),
    id: idsWith(known),
    service: fc.constantFrom(undefined, ...known.others),
  }),
);

describe('a written model id', () => {
  it('is read back as the same model, whatever its id is', () => {
    fc.assert(
      fc.property(reference, ({ known, id, service }) => {
        const text = writeModelReference({ id, service }, known);
        assert.deepEqual(parseModelReference(text, known), { id, service });
        assert.equal(canonicalModel(text, known), text);
      }),
    );
  });

  it('refers to the same model with the name of the current service', () => {
    fc.assert(
      fc.property(reference, ({ known, id }) => {
        const named = `${id}@${known.current ?? ''}`;
        assert.deepEqual(parseModelReference(named, known), { id, service: undefined });
        assert.equal(
          canonicalModel(named, known),
          writeModelReference({ id, service: undefined }, known),
        );
      }),
    );
  });

  it('refers to the same model after connecting a service named like the end of its id', () => {
    const name = word.filter((text) => /[a-z]/.test(text));
    fc.assert(
      fc.property(reference, name, ({ known: { current, others }, id }, later) => {
        fc.pre(later !== current && !others.includes(later));
        const whole = `${id}@${later}`;
        const known = { current, others };
        const text = canonicalModel(
          writeModelReference({ id: whole, service: undefined }, known),
          known,
        );
        const after = { current, others: [...others, later] };
        assert.deepEqual(parseModelReference(text, after), { id: whole, service: undefined });
        const switched = { current: later, others: [...others, current ?? ''] };
        assert.deepEqual(parseModelReference(text, switched), { id: whole, service: current });
      }),
    );
  });

  it('is only the id if that does not end with the name of a service', () => {
    const only = { current: 'example', others: [] };
    for (const id of ['gpt', 'a/b', '@cf/meta/llama', 'x/claude@2024', '@', 'a@', '@example'])
      assert.equal(writeModelReference({ id, service: undefined }, only), id);
  });

  it('refers to a model of the current service if the name is unknown', () => {
    fc.assert(
      fc.property(reference, word, ({ known, id }, other) => {
        fc.pre(other !== known.current && !known.others.includes(other));
        const text = `${id}@${other}`;
        assert.deepEqual(parseModelReference(text, known), { id: text, service: undefined });
        assert.equal(unknownService(text, known), other);
      }),
    );
  });

  it('refers to the same model after a service was renamed, if it is written again', () => {
    fc.assert(
      fc.property(reference, word, ({ known, id, service }, name) => {
        fc.pre(service !== undefined && name !== known.current && !known.others.includes(name));
        const others = known.others.map((candidate) => (candidate === service ? name : candidate));
        const renamed = { ...known, others };
        const text = writeModelReference({ id, service: name }, renamed);
        assert.deepEqual(parseModelReference(text, renamed), { id, service: name });
      }),
    );
  });

  it('may have capitals in the name of the service', () => {
    const known = { current: 'a', others: ['groq'] };
    assert.deepEqual(parseModelReference('m@Groq', known), { id: 'm', service: 'groq' });
  });

  it("ignores text that can't be a name", () => {
    const known = { current: 'a', others: ['b'] };
    for (const text of ['m', '@x', 'm@', 'm@b', 'm@a', 'x@y/z', `m@${'n'.repeat(99)}`])
      assert.equal(unknownService(text, known), undefined, text);
  });
});

describe('serviceName', () => {
  const hosts: readonly (readonly [host: string, name: string])[] = [
    ['api.example.com', 'example'],
    ['example.com', 'example'],
    ['openrouter.ai', 'openrouter'],
    ['api.groq.com:8443', 'groq'],
    ['llm.team.example.co.uk', 'example'],
    ['localhost:11434', 'localhost-11434'],
    ['127.0.0.1:8080', '127.0.0.1-8080'],
    ['[::1]:8080', '1--8080'],
    ['gateway', 'gateway'],
    ['xn--bcher-kva.example', 'xn--bcher-kva'],
  ];
  for (const [host, name] of hosts) {
    it(`names ${host} ${name}`, () => assert.equal(serviceName(host, []), name));
  }

  it('is a unique name, whatever the host is', () => {
    const host = fc.oneof(fc.domain(), fc.ipV4(), fc.ipV6(), fc.string(), fc.constant('a.b'));
    fc.assert(
      fc.property(fc.array(host, { maxLength: 12 }), (all) => {
        const names: string[] = [];
        for (const host of [...all, ...all]) {
          const name = serviceName(host, names);
          assert.ok(isServiceName(name), name);
          assert.ok(!names.includes(name));
          names.push(name);
        }
      }),
    );
  });
});
