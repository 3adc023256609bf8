/**
 * A random walk through the panel of a real VS Code: `--minutes N` (1 by default), `--seed N`
 * (random and printed by default). After a failure it searches for a shorter walk that fails too;
 * where `CI` is set, it first tries the same walk again.
 */
import { mkdir } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { picturesFolder } from '../journeys/support/pictures.ts';
import { Stage } from '../journeys/support/stage.ts';
import { retries, secondTry } from '../support/secondTry.ts';
import { Random } from './random.ts';
import { steps, type StepName } from './steps.ts';
import { takeWalk, type PlannedStep } from './walk.ts';

const { values } = parseArgs({
  options: { minutes: { type: 'string' }, seed: { type: 'string' } },
});
const minutes = Number(values.minutes ?? 1);
const seed = Number(values.seed ?? Math.floor(Math.random() * 1_000_000));
if (!(minutes > 0) || !Number.isInteger(seed)) {
  throw new Error('Usage: npm run walk -- --minutes 20 --seed 7');
}

await mkdir(picturesFolder, { recursive: true });
let takenSteps: PlannedStep[] = [];
console.log(`Walking for ${minutes} min with --seed ${seed}`);
let failure = await walk();
if (failure !== undefined && retries > 0) {
  console.log(secondTry(`a walk with --seed ${seed}`, failure));
  failure = await walk();
}
if (failure === undefined) console.log(`${takenSteps.length} steps`);
else await report(failure);
await Stage.close();
console.log(failure === undefined ? '1 passed, 0 failed' : '0 passed, 1 failed');
process.exit(failure === undefined ? 0 : 1);

function walk(): Promise<string | undefined> {
  takenSteps = [];
  return takeWalk(planned(new Random(seed)), (step) => takenSteps.push(step));
}

/** The time starts with the first step: opening the window takes longer than a minute on a slow machine. */
function* planned(random: Random): Generator<PlannedStep> {
  const deadline = performance.now() + minutes * 60_000;
  const names = Object.entries(steps).flatMap(([name, { weight }]) =>
    Array.from({ length: weight }, () => name),
  );
  while (performance.now() < deadline) {
    const name = random.of(names);
    if (isStep(name)) yield { name, seed: random.below(2 ** 31) };
  }
}

function isStep(name: string): name is StepName {
  return name in steps;
}

async function report(reason: string): Promise<void> {
  console.log(`Failed with --seed ${seed} after ${takenSteps.length} steps:\n${reason}`);
  console.log(`Steps: ${namesOf(takenSteps)}`);
  const shortest = await shorten(takenSteps, kindOf(reason));
  console.log(`Shortest that fails (${shortest.length} steps): ${namesOf(shortest)}`);
}

/** Removes smaller and smaller pieces while the remaining steps fail in the same way. */
async function shorten(
  walk: readonly PlannedStep[],
  kind: string,
): Promise<readonly PlannedStep[]> {
  const end = performance.now() + Math.max(minutes, 3) * 60_000;
  let shortest = walk;
  for (let size = Math.ceil(walk.length / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let start = 0; start < shortest.length && performance.now() < end;) {
      const shorter = [...shortest.slice(0, start), ...shortest.slice(start + size)];
      const shorterFailure = await takeWalk(shorter, () => undefined);
      if (shorterFailure !== undefined && kindOf(shorterFailure) === kind) shortest = shorter;
      else start += size;
    }
  }
  return shortest;
}

/** Start of a failure without ids and numbers, to compare failures. */
function kindOf(reason: string): string {
  return (reason.split('\n')[0] ?? '').replaceAll(/\b[\w-]*\d[\w-]*\b/g, '#').slice(0, 60);
}

function namesOf(walk: readonly PlannedStep[]): string {
  return walk.map(({ name, seed: stepSeed }) => `${name}(${stepSeed})`).join(' ');
}
