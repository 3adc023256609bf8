import { Emitter, type Event } from '../core/support/event.ts';
import { parseJson } from '../core/support/json.ts';

/** A request that the service got, for tests to look at. */
export interface RequestRecord {
  readonly method: string;
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body: parsed where it is JSON, else its text; undefined where there is none. */
  body: unknown;
  /** Absent until the answer begins. */
  status: number | undefined;
  /** Whether the client went away before the end of the answer. */
  aborted: boolean;
  /** Settles when the body of the answer is over, or nobody reads it any more. */
  readonly finished: Promise<void>;
}

/** As many requests as are remembered, so that a long demo does not fill the memory. */
const remembered = 200;

export class RequestLog {
  readonly #arrived = new Emitter<RequestRecord>();
  /** Held until they are answered: a request that nothing holds does not pass an abort on. */
  readonly #open = new Set<Request>();
  #records: readonly RequestRecord[] = [];

  get records(): readonly RequestRecord[] {
    return this.#records;
  }

  /** Fires for each request, once its body is there. */
  get onRequest(): Event<RequestRecord> {
    return this.#arrived.event;
  }

  /** Begins the record of a request; the function ends it. */
  begin(request: Request): { record: RequestRecord; finish: (aborted: boolean) => void } {
    let settle = (): void => undefined;
    const finished = new Promise<void>((resolve) => (settle = resolve));
    const record: RequestRecord = {
      method: request.method,
      path: new URL(request.url).pathname,
      headers: Object.fromEntries(request.headers),
      body: undefined,
      status: undefined,
      aborted: false,
      finished,
    };
    this.#open.add(request);
    this.#records = [...this.#records.slice(1 - remembered), record];
    return {
      record,
      finish: (aborted) => {
        this.#open.delete(request);
        record.aborted = aborted;
        settle();
      },
    };
  }

  arrived(record: RequestRecord, body: string): void {
    if (body !== '') record.body = parsedOrText(body);
    this.#arrived.fire(record);
  }
}

function parsedOrText(body: string): unknown {
  const value = parseJson(body);
  return value === undefined ? body : value;
}
