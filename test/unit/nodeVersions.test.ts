import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { projectFolder } from '../support/paths.ts';

/** Oldest version of Node that CONTRIBUTING.md supports. */
const oldest = 20;

const engines = z.object({ node: z.string().optional() });
const lock = z.object({
  packages: z.record(z.string(), z.object({ engines: engines.optional() })),
});

/** True if a range such as `^20.19.0 || >=22` includes any version of the oldest major. */
function includesOldest(range: string): boolean {
  return range
    .split('||')
    .some((part) => [...part.matchAll(/([<>=^~]*)\s*v?(\d+)[\d.x*]*/g)].every(allowsOldest));
}

function allowsOldest([, sign = '', digits = '']: RegExpExecArray): boolean {
  const major = Number(digits);
  if (sign.startsWith('>')) return major <= oldest;
  return sign.startsWith('<') ? major > oldest : major === oldest;
}

describe('npm ci on the oldest Node', () => {
  it('warns about no package', () => {
    const text = readFileSync(join(projectFolder, 'package-lock.json'), 'utf8');
    const { packages } = lock.parse(JSON.parse(text));
    const tooNew = Object.entries(packages).filter(
      ([, { engines }]) => !includesOldest(engines?.node ?? '*'),
    );
    assert.deepEqual(
      tooNew.map(([name]) => name),
      [],
    );
  });

  it('would warn about packages for later or other versions', () => {
    for (const range of ['>=22.0.0', '^18 || ^22.13.0', '18.x', '>=12 <20', '~22'])
      assert.equal(includesOldest(range), false, range);
    for (const range of ['*', '>= 14', '^20.19.0 || ^22.13.0 || >=24', '20 || >=22', '>=18 <23'])
      assert.equal(includesOldest(range), true, range);
  });
});
