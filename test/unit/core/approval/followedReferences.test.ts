import assert from 'node:assert/strict';
import { addsReferenceToRemote } from '../../../../src/core/approval/followedReferences.ts';
import { deniedPlaces } from '../../../../src/core/approval/deniedPlaces.ts';
import { FakeDisk } from '../workspace/fakeDisk.ts';
import { change, GateRig } from './gateRig.ts';
import { fileAt } from './policyRig.ts';

const createDisk = (): FakeDisk =>
  new FakeDisk()
    .file('/ws/remote.json', '{ "$ref": "https://evil.test/a" }')
    .file(
      '/ws/local.json',
      '{ "type": "object", "$schema": "http://json-schema.org/draft-07/schema#" }',
    )
    .file('/ws/deep/one.json', '{ "$ref": "../two.yaml#/a" }')
    .file('/ws/two.yaml', 'a: { $ref: "deep/three.json" }')
    .file('/ws/deep/three.json', '{ "$ref": "../remote.json" }')
    .file('/ws/circle.json', '{ "$ref": "./circle2.json" }')
    .file('/ws/circle2.json', '{ "$ref": "circle.json" }')
    .file('/ws/a b.json', '{ "$ref": "//evil.test/a" }')
    .file('/ws/a.dtd', '<!ENTITY % b SYSTEM "https://evil.test/b">')
    .file('/ws/.env', 'KEY=1')
    .file('/ws/long.json', ' '.repeat(2 ** 20))
    .file('/out/local.json', '{}')
    .file('/home/me/.ssh/config', 'x')
    .link('/ws/linked.json', 'remote.json')
    .link('/ws/outside.json', '/out/local.json');

const context = {
  folders: [{ name: 'ws', location: fileAt('/ws') }],
  platform: 'linux',
  denied: deniedPlaces([fileAt('/home/me')], []),
} as const;

async function follows(
  reference: string,
  disk: FakeDisk | undefined = createDisk(),
): Promise<boolean> {
  const target = { named: fileAt('/ws/src/new.json'), location: fileAt('/ws/src/new.json') };
  const texts = { before: '{}', after: reference };
  return addsReferenceToRemote(target, texts, context, disk);
}

const refers = (path: string): string => `{ "$schema": ${JSON.stringify(path)} }`;

describe('a reference to a local file', () => {
  const fetching = [
    '../remote.json',
    '../remote.json#/a',
    '/ws/remote.json',
    'file:///ws/remote.json',
    '../linked.json',
    '../deep/one.json',
    '../a%20b.json',
    '../deep/../remote.json',
  ];
  for (const path of fetching) {
    it(`counts as a remote reference: ${path}`, async () => {
      assert.equal(await follows(refers(path)), true);
    });
  }

  it('is found in YAML and XML too', async () => {
    assert.equal(await follows('# yaml-language-server: $schema=../remote.json'), true);
    assert.equal(await follows('$ref: "\\x2e./remote.json"'), true);
    assert.equal(await follows('<!DOCTYPE a SYSTEM "../a.dtd">'), true);
  });

  for (const path of [
    '../local.json',
    '../circle.json',
    './missing.json',
    '#/a',
    '..',
    'new.json',
  ]) {
    it(`does not count as a remote reference: ${path}`, async () => {
      assert.equal(await follows(refers(path)), false);
    });
  }

  it("counts as remote if the file must not be read, is too long, or can't be read", async () => {
    for (const path of ['../.env', '../outside.json', '/out/local.json', '/home/me/.ssh/config']) {
      assert.equal(await follows(refers(path)), true, path);
    }
    assert.equal(await follows(refers('../long.json')), true);
    assert.equal(await follows(refers('../a%2fb.json')), false);
    assert.equal(await follows(refers('../local%2500.json')), true);
    const target = { named: fileAt('/ws/a.json'), location: fileAt('/ws/a.json') };
    const texts = { before: '', after: refers('./local.json') };
    assert.equal(await addsReferenceToRemote(target, texts, context, undefined), true);
  });

  it('counts as remote if it leads through too many files', async () => {
    const disk = createDisk();
    for (let index = 0; index < 40; index++) {
      disk.file(`/ws/src/${index}.json`, `{ "$ref": "${index + 1}.json" }`);
    }
    assert.equal(await follows(refers('0.json'), disk), true);
    assert.equal(await follows(refers('30.json'), disk), false);
  });

  it('needs a dialog if an edit adds it, but not if it was there before', async () => {
    const rig = new GateRig();
    rig.disk.file('/ws/s.json', '{ "$ref": "https://evil.test/a" }');
    const after = '{ "$schema": "./s.json" }';
    await assert.rejects(rig.edit(change('a.json', { after })));
    assert.equal(rig.dialogs[0]?.reason, 'fetches');
    rig.click = 'once';
    await rig.edit(change('a.json', { before: after, after: after.replace('}', ', "a": 1 }') }));
    assert.equal(rig.panels.length, 1);
  });
});
