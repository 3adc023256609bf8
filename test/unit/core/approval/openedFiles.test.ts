import assert from 'node:assert/strict';
import { change, GateRig } from './gateRig.ts';
import { harmless, remote } from './remoteTexts.ts';

/** A gate in front of a file that VS Code does not have open. */
function rigWith(content: string | Uint8Array, path = '/ws/a.json'): GateRig {
  const rig = new GateRig();
  rig.disk.file(path, content);
  rig.opens = (_path, openedAs) => (openedAs === undefined ? undefined : 'document');
  return rig;
}

const schema = '{ "$schema": "https://evil.test/?data" }';
const cell = (source: string | readonly string[]): string =>
  JSON.stringify({ cells: [{ cell_type: 'code', metadata: {}, outputs: [], source }] });

describe('a file that a tool opens', () => {
  it('needs approval each time if it contains addresses that an editor loads', async () => {
    for (const text of remote) {
      for (const openedAs of ['document', 'editor'] as const) {
        const rig = rigWith(text);
        await assert.rejects(rig.open('a.json', openedAs), { outcome: 'denied' });
        assert.equal(rig.effects, 0, text);
        const [dialog] = rig.dialogs;
        assert.equal(dialog?.subject.type, 'open');
        assert.deepEqual(dialog.offers, []);
        rig.reply = 'once';
        await rig.open('a.json', openedAs);
        await rig.open('a.json', openedAs);
        assert.equal(rig.dialogs.length, 3, text);
        assert.equal(rig.effects, 2, text);
      }
    }
  });

  it('needs no approval otherwise', async () => {
    for (const text of harmless) {
      const rig = rigWith(text);
      await rig.open('a.json');
      assert.deepEqual([rig.dialogs.length, rig.effects], [0, 1], text);
    }
  });

  it('is read in every encoding in which VS Code would open it', async () => {
    const utf16 = Buffer.from(schema, 'utf16le');
    const contents = [
      Buffer.concat([Buffer.from([0xff, 0xfe]), utf16]),
      Buffer.concat([Buffer.from([0xfe, 0xff]), Buffer.from(utf16).swap16()]),
      utf16,
      Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(schema)]),
      Buffer.concat([Buffer.from([0xe9, 0x22, 0x83]), Buffer.from(schema)]),
    ];
    for (const content of contents) {
      await assert.rejects(rigWith(content).open('a.json'), { outcome: 'denied' });
    }
  });

  it('shows the addresses in the dialog', async () => {
    const rig = rigWith(`${schema}\n${schema.replace('evil', 'more')}`);
    await assert.rejects(rig.open('a.json'));
    const subject = rig.dialogs[0]?.subject;
    assert.ok(subject?.type === 'open');
    assert.deepEqual(subject.addresses, ['//evil.test/?data', '//more.test/?data']);
  });

  it('needs approval if a local file or workspace settings lead to an address', async () => {
    const rig = rigWith('{ "$schema": "./s.json" }');
    rig.disk.file('/ws/s.json', '{}');
    await rig.open('a.json');
    assert.equal(rig.dialogs.length, 0);
    rig.disk.file('/ws/s.json', schema);
    await assert.rejects(rig.open('a.json'), { outcome: 'denied' });
    const assigned = rigWith('{}');
    assigned.assigned = ['https://evil.test/?data'];
    await assert.rejects(assigned.open('a.json'), { outcome: 'denied' });
  });

  it('needs no approval if it is open already, or is only read', async () => {
    const rig = rigWith(schema);
    await rig.read('a.json');
    rig.opens = () => undefined;
    await rig.open('a.json');
    assert.deepEqual([rig.dialogs.length, rig.effects], [0, 2]);
  });

  it('needs approval for reading first', async () => {
    const rig = rigWith(schema, '/out/a.json');
    await assert.rejects(rig.open('/out/a.json'));
    assert.deepEqual(
      rig.dialogs.map(({ reason }) => reason),
      ['outside'],
    );
    rig.reply = 'once';
    await rig.open('/out/a.json');
    assert.deepEqual(
      rig.dialogs.map(({ reason }) => reason),
      ['outside', 'outside', 'fetches'],
    );
  });

  it('is not opened if its addresses change during the dialog', async () => {
    const rig = rigWith(schema);
    rig.reply = () => {
      rig.disk.file('/ws/a.json', schema.replace('data', 'other'));
      return 'once';
    };
    await assert.rejects(rig.open('a.json'), { outcome: 'denied' });
    assert.equal(rig.effects, 0);
  });

  it('is not opened if it is too large to inspect', async () => {
    const rig = rigWith(' '.repeat(2_000_001));
    await assert.rejects(rig.open('a.json'), /too large/);
  });

  it('needs approval if an edit would open it with such addresses', async () => {
    const rig = rigWith(schema);
    const after = schema.replace('}', ', "a": 1 }');
    await assert.rejects(rig.edit(change('a.json', { before: schema, after })));
    assert.equal(rig.dialogs[0]?.reason, 'fetches');
    rig.opens = () => undefined;
    rig.click = 'once';
    await rig.edit(change('a.json', { before: schema, after }));
    assert.deepEqual([rig.dialogs.length, rig.panels.length], [1, 1]);
  });
});

describe('a notebook', () => {
  const notebook = (text: string): GateRig => {
    const rig = rigWith(text, '/ws/a.ipynb');
    rig.opens = (_path, openedAs) => (openedAs === 'editor' ? 'notebook' : 'cells');
    return rig;
  };

  it('always needs approval before its outputs are shown', async () => {
    for (const text of [cell('1'), '{}', '']) {
      const rig = notebook(text);
      await assert.rejects(rig.open('a.ipynb'), { outcome: 'denied' });
      assert.equal(rig.dialogs[0]?.subject.type, 'open');
    }
  });

  it('needs approval before it is read if a cell names addresses that an editor loads', async () => {
    const hostile = [
      cell(schema),
      cell(['{ "$schema":\n', ' "https://evil.test" }']),
      `- ${schema}`,
    ];
    for (const text of hostile) {
      const rig = notebook(text);
      await assert.rejects(rig.read('a.ipynb'), { outcome: 'denied' });
      await assert.rejects(rig.open('a.ipynb', 'document'), { outcome: 'denied' });
      assert.equal(rig.effects, 0);
    }
    for (const text of [cell('print(1)'), cell('# see https://good.test'), '- print(1)']) {
      const rig = notebook(text);
      await rig.read('a.ipynb');
      assert.deepEqual([rig.dialogs.length, rig.effects], [0, 1], text);
    }
  });
});
