import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { projectFolder } from '../support/paths.ts';

/** Oldest version of Node that CONTRIBUTING.md supports. */
const oldestNode = 20;

/** Packages whose code is in the extension, and their dependencies. */
const bundled =
  '@codemirror/legacy-modes @codemirror/streamparser @preact/signals @preact/signals-core @vscode/codicons @vscode/l10n diff entities eventsource-parser get-east-asian-width linkify-it markdown-it markdown-it-cjk-friendly mdurl preact punycode.js temml uc.micro zod'.split(
    ' ',
  );

const lockFile = z.object({
  packages: z.record(
    z.string(),
    z.object({
      resolved: z.string().optional(),
      integrity: z.string().optional(),
      hasInstallScript: z.boolean().optional(),
      engines: z.object({ node: z.string().optional() }).optional(),
    }),
  ),
});
const scripts = z.object({ scripts: z.record(z.string(), z.string()).optional() });

function read(file: string): unknown {
  return JSON.parse(readFileSync(join(projectFolder, file), 'utf8'));
}

/** True if a range such as `^20.19.0 || >=22` includes any version of the oldest major. */
function includesOldest(range: string): boolean {
  return range
    .split('||')
    .some((part) => [...part.matchAll(/([<>=^~]*)\s*v?(\d+)[\d.x*]*/g)].every(allowsOldest));
}

function allowsOldest([, sign = '', digits = '']: RegExpExecArray): boolean {
  const major = Number(digits);
  if (sign.startsWith('>')) return major <= oldestNode;
  return sign.startsWith('<') ? major > oldestNode : major === oldestNode;
}

describe('the lock file', () => {
  const packages = Object.entries(lockFile.parse(read('package-lock.json')).packages);
  const installed = packages.filter(([path]) => path !== '');

  it('pins every package by its hash, from whatever registry is configured', () => {
    for (const [path, { resolved, integrity }] of installed) {
      assert.equal(resolved, undefined, path);
      assert.match(integrity ?? '', /^sha512-/, path);
    }
  });

  it('has no bundled package with an install script', () => {
    const nameOf = (path: string): string => path.slice(path.lastIndexOf('node_modules/') + 13);
    const used = installed.filter(([path]) => bundled.includes(nameOf(path)));
    assert.ok(used.length >= bundled.length);
    for (const [path, { hasInstallScript }] of used) {
      assert.notEqual(hasInstallScript, true, path);
      const names = Object.keys(scripts.parse(read(join(path, 'package.json'))).scripts ?? {});
      assert.deepEqual(
        names.filter((name) => /^(?:pre|post)?install$/.test(name)),
        [],
        path,
      );
    }
  });

  it('has only packages that can be installed with the oldest Node', () => {
    const tooNew = packages.filter(([, { engines }]) => !includesOldest(engines?.node ?? '*'));
    assert.deepEqual(
      tooNew.map(([name]) => name),
      [],
    );
    for (const range of ['>=22.0.0', '^18 || ^22.13.0', '18.x', '>=12 <20', '~22'])
      assert.equal(includesOldest(range), false, range);
    for (const range of ['*', '>= 14', '^20.19.0 || ^22.13.0 || >=24', '20 || >=22', '>=18 <23'])
      assert.equal(includesOldest(range), true, range);
  });
});
