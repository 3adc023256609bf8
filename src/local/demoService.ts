import { localFetch } from './localFetch.ts';
import { createService } from './service.ts';

/** The demo's service: a script of its own, which is loaded when the demo is first asked. */
export function startDemo(): typeof fetch {
  return localFetch(createService());
}
