/**
 * Reads and writes ZIP files, which VSIX files are, and makes them as short as Zopfli can, which tries
 * longer than others. The format: https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT
 */
import { crc32, inflateRawSync } from 'node:zlib';

const deflated = 8;
const localLength = 30;
const centralLength = 46;
const endLength = 22;

/** The files of a ZIP file. */
export function readZip(zip) {
  const end = zip.lastIndexOf('PK\u0005\u0006', undefined, 'latin1');
  const count = zip.readUInt16LE(end + 10);
  const files = [];
  for (let at = zip.readUInt32LE(end + 16); files.length < count;) {
    const [name, extra, comment] = [28, 30, 32].map((field) => zip.readUInt16LE(at + field));
    const nameEnd = at + centralLength + name;
    files.push({
      name: zip.toString('utf8', at + centralLength, nameEnd),
      contents: contentsAt(zip, at),
      date: zip.readUInt32LE(at + 12),
      attributes: zip.readUInt32LE(at + 38),
    });
    at = nameEnd + extra + comment;
  }
  return files;
}

function contentsAt(zip, at) {
  const local = zip.readUInt32LE(at + 42);
  const start = local + localLength + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
  const stored = zip.subarray(start, start + zip.readUInt32LE(at + 20));
  return zip.readUInt16LE(at + 10) === deflated ? inflateRawSync(stored) : stored;
}

/** A ZIP file of these files, each as short as it gets. */
export async function writeZip(files) {
  const locals = [];
  const centrals = [];
  let offset = 0;
  for (const file of files) {
    const { common, stored } = await pack(file);
    const name = Buffer.from(file.name);
    const local = Buffer.concat([Buffer.from('PK\u0003\u0004', 'latin1'), common, name, stored]);
    const [made, rest] = [Buffer.alloc(6), Buffer.alloc(14)];
    made.write('PK\u0001\u0002', 'latin1');
    // Made on Unix, whose rights are in the attributes.
    made.writeUInt16LE((3 << 8) | 20, 4);
    rest.writeUInt32LE(file.attributes, 6);
    rest.writeUInt32LE(offset, 10);
    centrals.push(made, common, rest, name);
    locals.push(local);
    offset += local.length;
  }
  return Buffer.concat([...locals, ...centrals, endOf(files.length, centrals, offset)]);
}

/** The module of Zopfli ends the whole process where a promise fails anywhere: it is told not to. */
async function deflate(contents) {
  const events = ['uncaughtException', 'unhandledRejection'];
  const before = new Set(events.flatMap((event) => process.listeners(event)));
  const { deflateAsync } = await import('@gfx/zopfli');
  for (const event of events)
    for (const listener of process.listeners(event))
      if (!before.has(listener)) process.off(event, listener);
  // A long script has more blocks than the usual fifteen.
  return deflateAsync(contents, { numiterations: 10, blocksplittingmax: 80 });
}

/** What both headers of a file have in common, and its bytes as they are stored. */
async function pack({ name, contents, date }) {
  const short = Buffer.from(await deflate(contents));
  const isShort = short.length < contents.length;
  const stored = isShort ? short : contents;
  const common = Buffer.alloc(26);
  common.writeUInt16LE(20, 0);
  // Names are UTF-8.
  common.writeUInt16LE(0x800, 2);
  common.writeUInt16LE(isShort ? deflated : 0, 4);
  common.writeUInt32LE(date, 6);
  common.writeUInt32LE(crc32(contents), 10);
  common.writeUInt32LE(stored.length, 14);
  common.writeUInt32LE(contents.length, 18);
  common.writeUInt16LE(Buffer.byteLength(name), 22);
  return { common, stored };
}

function endOf(count, centrals, offset) {
  const end = Buffer.alloc(endLength);
  end.write('PK\u0005\u0006', 'latin1');
  end.writeUInt16LE(count, 8);
  end.writeUInt16LE(count, 10);
  end.writeUInt32LE(
    centrals.reduce((sum, { length }) => sum + length, 0),
    12,
  );
  end.writeUInt32LE(offset, 16);
  return end;
}
