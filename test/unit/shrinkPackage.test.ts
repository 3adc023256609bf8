import assert from 'node:assert/strict';
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32, inflateRawSync } from 'node:zlib';
import { projectFolder } from '../support/paths.ts';
import { runCommand } from '../support/runCommand.ts';
import { TemporaryFolder } from '../support/temporaryFolder.ts';

const words = Array.from({ length: 900 }, (_, index) => `${index % 97} ${index % 89}`).join(' ');
const files: readonly (readonly [string, Buffer])[] = [
  ['readme.md', Buffer.from('# A package to be shrunk\n')],
  ['empty.txt', Buffer.alloc(0)],
  ['grün.txt', Buffer.from('Grüße')],
  ['words.txt', Buffer.from(words)],
  ['bytes.bin', Buffer.from(Array.from({ length: 3000 }, (_, index) => (index * index) % 251))],
];
const manifest = { name: 'some', publisher: 'some', version: '1.0.0', engines: { vscode: '*' } };

describe('a package', () => {
  let folder: TemporaryFolder;
  let packed: Buffer;
  let shrunk: Buffer;
  const packaged = (): string => join(folder.path, 'some.vsix');

  async function run(...parameters: readonly string[]): Promise<void> {
    const options = { folder: folder.path, quiet: true };
    assert.equal(await runCommand(process.execPath, parameters, options), 0);
  }

  async function shrink(file: string): Promise<Buffer> {
    await run(join(projectFolder, 'shrinkPackage.js'), file);
    return readFile(file);
  }

  before(async () => {
    folder = await TemporaryFolder.create();
    for (const [name, contents] of files) await writeFile(join(folder.path, name), contents);
    await writeFile(join(folder.path, 'package.json'), JSON.stringify(manifest));
    const vsce = join(projectFolder, 'node_modules/@vscode/vsce/vsce');
    const quietly = ['--no-dependencies', '--allow-missing-repository', '--skip-license'];
    await run(vsce, 'package', '--out', packaged(), ...quietly);
    packed = await readFile(packaged());
    await copyFile(packaged(), join(folder.path, 'copy.vsix'));
    shrunk = await shrink(packaged());
  });
  after(() => folder.dispose());

  it('is smaller, and holds the same', () => {
    assert.ok(shrunk.length < packed.length, `${shrunk.length} of ${packed.length} bytes`);
    const contents = contentsOf(shrunk);
    assert.deepEqual(contents, contentsOf(packed));
    for (const [name, expected] of files) {
      assert.deepEqual(contents.get(`extension/${name}`), expected);
    }
  });

  it('is the same whenever it is shrunk, and is not shrunk further', async () => {
    assert.deepEqual(await shrink(join(folder.path, 'copy.vsix')), shrunk);
    assert.deepEqual(await shrink(packaged()), shrunk);
  });
});

/** By name, in their order; each checked against what the package says of it. */
function contentsOf(zip: Buffer): Map<string, Buffer> {
  const end = zip.length - 22;
  assert.equal(zip.toString('latin1', end, end + 4), 'PK\x05\x06');
  const found = new Map<string, Buffer>();
  let at = zip.readUInt32LE(end + 16);
  while (at < end) {
    assert.equal(zip.toString('latin1', at, at + 4), 'PK\x01\x02');
    const [nameLength, extra, comment] = [28, 30, 32].map((field) => zip.readUInt16LE(at + field));
    const next = at + 46 + (nameLength ?? 0) + (extra ?? 0) + (comment ?? 0);
    const name = zip.toString('utf8', at + 46, at + 46 + (nameLength ?? 0));
    const contents = unpacked(zip, zip.readUInt32LE(at + 42), zip.readUInt32LE(at + 20), name);
    assert.equal(contents.length, zip.readUInt32LE(at + 24));
    assert.equal(crc32(contents), zip.readUInt32LE(at + 16));
    found.set(name, contents);
    at = next;
  }
  assert.equal(found.size, zip.readUInt16LE(end + 10));
  return found;
}

function unpacked(zip: Buffer, place: number, size: number, name: string): Buffer {
  const nameLength = zip.readUInt16LE(place + 26);
  assert.equal(zip.toString('latin1', place, place + 4), 'PK\x03\x04');
  assert.equal(zip.toString('utf8', place + 30, place + 30 + nameLength), name);
  const start = place + 30 + nameLength + zip.readUInt16LE(place + 28);
  return inflateRawSync(zip.subarray(start, start + size));
}
