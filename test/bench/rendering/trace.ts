import type { Browser, Page } from 'playwright-core';
import * as z from 'zod';

const traceFile = z.object({
  traceEvents: z.array(
    z.object({
      name: z.string(),
      pid: z.number(),
      tid: z.number(),
      /** Start and duration in the thread's own time, in microseconds. */
      tts: z.number().optional(),
      tdur: z.number().optional(),
      args: z.object({ name: z.string().optional() }).optional(),
    }),
  ),
});

/** A step of the main thread, in milliseconds of its own time. */
export interface Step {
  readonly name: string;
  readonly start: number;
  readonly time: number;
}

/** Steps of the main thread during the work, from the browser's trace. */
export async function traceSteps(
  browser: Browser,
  page: Page,
  categories: readonly string[],
  work: () => Promise<unknown>,
): Promise<readonly Step[]> {
  await browser.startTracing(page, { categories: [...categories] });
  await work();
  const { traceEvents } = traceFile.parse(JSON.parse((await browser.stopTracing()).toString()));
  const mainThreads = new Set(
    traceEvents
      .filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain')
      .map(({ pid, tid }) => `${pid} ${tid}`),
  );
  return traceEvents
    .filter(({ pid, tid }) => mainThreads.has(`${pid} ${tid}`))
    .flatMap(({ name, tts, tdur }) =>
      tts === undefined || tdur === undefined
        ? []
        : [{ name, start: tts / 1000, time: tdur / 1000 }],
    );
}

/** Milliseconds of each task of the main thread during the work. */
export async function traceTasks(
  browser: Browser,
  page: Page,
  work: () => Promise<unknown>,
): Promise<readonly number[]> {
  const steps = await traceSteps(browser, page, ['disabled-by-default-devtools.timeline'], work);
  const tasks = steps.filter(({ name }) => name === 'RunTask').map(({ time }) => time);
  if (tasks.length === 0) throw new Error('The trace of the browser has no task.');
  return tasks;
}

/** Milliseconds by kind of step, without nested steps. */
export function timeByStep(steps: readonly Step[]): ReadonlyMap<string, number> {
  const times = new Map<string, number>();
  const open: Step[] = [];
  const add = (name: string, time: number): void =>
    void times.set(name, (times.get(name) ?? 0) + time);
  for (const step of steps.toSorted((a, b) => a.start - b.start || b.time - a.time)) {
    while (isOver(open.at(-1), step.start)) open.pop();
    const outer = open.at(-1);
    if (outer !== undefined) add(outer.name, -step.time);
    add(step.name, step.time);
    open.push(step);
  }
  return times;
}

function isOver(step: Step | undefined, now: number): boolean {
  return step !== undefined && step.start + step.time <= now;
}
