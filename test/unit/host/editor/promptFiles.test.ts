import assert from 'node:assert/strict';
import fc from 'fast-check';
import { withoutVsCode } from '../../../support/withoutVsCode.ts';

const { fillVariables, variablesOf } = await withoutVsCode(
  () => import('../../../../src/host/editor/promptFiles.ts'),
);

const pieces = fc.array(
  fc.constantFrom('${selection}', '${file}', '${input:a}', '${input:b:hint}', '${', '}', '$', 'x'),
);

describe('the variables of a prompt', () => {
  it('are found once each, with their placeholders', () => {
    assert.deepEqual(variablesOf('${input:b} ${file} ${input:a:First: name} ${input:b:Last}'), {
      selection: false,
      file: true,
      inputs: [
        { name: 'b', placeholder: 'Last' },
        { name: 'a', placeholder: 'First: name' },
      ],
    });
  });

  it('are not found in other braces', () => {
    for (const text of [
      '${env:HOME}',
      '${workspaceFolder}',
      '${input:}',
      '$selection',
      '${ file }',
    ]) {
      assert.deepEqual(variablesOf(text), { selection: false, file: false, inputs: [] });
      assert.equal(fillVariables(text, { selection: 'x', file: 'x', inputs: new Map() }), text);
    }
  });

  it('are replaced once, even if a value looks like a variable', () => {
    fc.assert(
      fc.property(pieces, fc.string(), (written, value) => {
        const prompt = written.join('');
        const { inputs, ...variables } = variablesOf(prompt);
        const filled = fillVariables(prompt, {
          selection: '${file}',
          file: '${selection}',
          inputs: new Map(inputs.map(({ name }) => [name, `${value}\${file}`])),
        });
        const parts = prompt.split(/\$\{(?:selection|file|input:[ab](?::hint)?)\}/);
        let remaining = filled;
        for (const part of parts) {
          const at = remaining.indexOf(part);
          assert.ok(at >= 0);
          remaining = remaining.slice(at + part.length);
        }
        if (inputs.length === 0 && !variables.selection && !variables.file)
          assert.equal(filled, prompt);
      }),
    );
  });
});
