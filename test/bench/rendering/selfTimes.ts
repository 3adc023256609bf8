import type { CDPSession } from 'playwright-core';
import type { Site } from './buildPages.ts';

type Profile = Awaited<ReturnType<typeof stopProfile>>;

function stopProfile(session: CDPSession) {
  return session.send('Profiler.stop');
}

/** CPU profile of the work: milliseconds by function, in descending order. */
export async function selfTimes(
  session: CDPSession,
  site: Site,
  work: () => Promise<unknown>,
): Promise<readonly (readonly [string, number])[]> {
  await session.send('Profiler.enable');
  await session.send('Profiler.setSamplingInterval', { interval: 200 });
  await session.send('Profiler.start');
  await work();
  const { profile } = await stopProfile(session);
  return [...timeByFunction(profile, site)].sort(([, time], [, otherTime]) => otherTime - time);
}

function timeByFunction(profile: Profile['profile'], site: Site): ReadonlyMap<string, number> {
  const names = new Map(profile.nodes.map(({ id, callFrame }) => [id, nameOf(callFrame, site)]));
  const times = new Map<string, number>();
  for (const [index, id] of (profile.samples ?? []).entries()) {
    const name = names.get(id) ?? '';
    const passed = (profile.timeDeltas?.[index] ?? 0) / 1000;
    times.set(name, (times.get(name) ?? 0) + passed);
  }
  return times;
}

type CallFrame = Profile['profile']['nodes'][number]['callFrame'];

function nameOf({ functionName, url, lineNumber }: CallFrame, site: Site): string {
  const source = url === '' ? '' : sourceOf(new URL(url).pathname, lineNumber, site);
  return `${functionName === '' ? '(anonymous)' : functionName} ${source}`.trimEnd();
}

/** In bundles that aren't minified, esbuild writes the path of each source in a comment. */
function sourceOf(path: string, line: number, site: Site): string {
  const lines = new TextDecoder().decode(site.get(path)).split('\n', line + 1);
  return (lines.findLast((text) => /^\/\/ \S+\.\w+$/.test(text)) ?? path).replace(/^\/\/ /, '');
}
