/**
 * Makes the package that vsce wrote smaller. It holds the same files with the same contents, deflated
 * by zopfli: that looks for the shortest way to say them, where zlib takes a good one.
 * `node shrinkPackage.js FILE`; without a file it is the package of this version.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inflateRawSync } from 'node:zlib';
import { deflateAsync } from '@gfx/zopfli';

/** How the parts of a ZIP file begin. */
const localMark = Buffer.from('PK\x03\x04', 'latin1');
const endMark = Buffer.from('PK\x05\x06', 'latin1');

/** How much a record of the directory takes before its name, and one in front of the contents. */
const recordLength = 46;
const localLength = 30;

/** Where the fields of a record stand. */
const field = { flags: 8, method: 10, packedSize: 20, name: 28, extra: 30, comment: 32, place: 42 };
const deflated = 8;
const sizesFollow = 8;

const file = process.argv[2] ?? (await packageOfThisVersion());
const zip = await readFile(file);
const entries = [];
for (const entry of entriesOf(zip)) entries.push(await shrunk(entry));
const smaller = zipOf(entries);
await writeFile(file, smaller);
console.log(`${file}: ${zip.length} bytes are ${smaller.length} now.`);

async function packageOfThisVersion() {
  const { dirname } = import.meta;
  const { name, version } = JSON.parse(await readFile(join(dirname, 'package.json'), 'utf8'));
  return join(dirname, `${name}-${version}.vsix`);
}

/** Each with its record in the directory, its name, and its contents as they are packed. */
function* entriesOf(zip) {
  const end = zip.lastIndexOf(endMark);
  let at = zip.readUInt32LE(end + 16);
  for (let left = zip.readUInt16LE(end + 10); left > 0; left -= 1) {
    const record = Buffer.from(zip.subarray(at, (at += recordLength)));
    const name = zip.subarray(at, (at += record.readUInt16LE(field.name)));
    at += record.readUInt16LE(field.extra) + record.readUInt16LE(field.comment);
    yield { record, name, packed: packedContents(zip, record) };
  }
}

function packedContents(zip, record) {
  const at = record.readUInt32LE(field.place);
  const start = at + localLength + zip.readUInt16LE(at + 26) + zip.readUInt16LE(at + 28);
  return zip.subarray(start, start + record.readUInt32LE(field.packedSize));
}

async function shrunk({ record, name, packed }) {
  if (record.readUInt16LE(field.method) !== deflated) return { record, name, packed };
  const contents = inflateRawSync(packed);
  const found = await deflateAsync(contents, {});
  if (!inflateRawSync(found).equals(contents)) throw new Error(`${name} would be another file.`);
  return { record, name, packed: found.length < packed.length ? found : packed };
}

/** Extra fields and comments are left out: they say nothing to who unpacks it. */
function zipOf(entries) {
  const files = [];
  const directory = [];
  let place = 0;
  for (const { record, name, packed } of entries) {
    record.writeUInt16LE(record.readUInt16LE(field.flags) & ~sizesFollow, field.flags);
    record.writeUInt32LE(packed.length, field.packedSize);
    record.fill(0, field.extra, field.comment + 2);
    record.writeUInt32LE(place, field.place);
    // What stands in front of the contents is a part of the record.
    const parts = [localMark, record.subarray(6, 32), name, packed];
    files.push(...parts);
    directory.push(record, name);
    place += parts.reduce((sum, { length }) => sum + length, 0);
  }
  return Buffer.concat([...files, ...directory, endOf(entries.length, place, directory)]);
}

function endOf(count, place, directory) {
  const end = Buffer.alloc(22);
  endMark.copy(end);
  end.writeUInt16LE(count, 8);
  end.writeUInt16LE(count, 10);
  end.writeUInt32LE(Buffer.concat(directory).length, 12);
  end.writeUInt32LE(place, 16);
  return end;
}
