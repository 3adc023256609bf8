import { isResponseFault, type Endpoint, type Fault } from './faults.ts';

/** The faults that wait for their requests, first come, first served. */
export class FaultQueue {
  #waiting: readonly Fault[] = [];

  push(...faults: readonly Fault[]): void {
    this.#waiting = [...this.#waiting, ...faults];
  }

  clear(): void {
    this.#waiting = [];
  }

  get length(): number {
    return this.#waiting.length;
  }

  /** The first fault that fits, which is then used up by one. */
  take(endpoint: Endpoint): Fault | undefined {
    const index = this.#waiting.findIndex((fault) => fits(fault, endpoint));
    const fault = this.#waiting[index];
    if (fault === undefined) return undefined;
    const left = (fault.times ?? 1) - 1;
    this.#waiting = this.#waiting.flatMap((one, at) => {
      if (at !== index) return [one];
      return left > 0 ? [{ ...one, times: left }] : [];
    });
    return fault;
  }
}

function fits(fault: Fault, endpoint: Endpoint): boolean {
  if (!isResponseFault(fault) && endpoint === 'models') return false;
  return fault.on === undefined || fault.on === endpoint;
}
