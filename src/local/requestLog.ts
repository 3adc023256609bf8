import { Emitter, type Event } from '../core/support/event.ts';
import { parseJson } from '../core/support/json.ts';

/** Maximum number of stored requests, which bounds memory use. */
const maxRecords = 200;

export interface RequestRecord {
  readonly method: string;
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body: parsed if it is JSON, otherwise its text; undefined if there is none. */
  body: unknown;
  /** Undefined until the response starts. */
  status: number | undefined;
  /** True if the client disconnected before the end of the response. */
  aborted: boolean;
  /** Resolves when the body of the response ends or is no longer read. */
  readonly finished: Promise<void>;
}

export class RequestLog {
  readonly #arrived = new Emitter<RequestRecord>();
  /**
   * Keeps requests referenced until they end: a request that is garbage collected does not forward
   * an abort.
   */
  readonly #open = new Set<Request>();
  #records: readonly RequestRecord[] = [];

  get records(): readonly RequestRecord[] {
    return this.#records;
  }

  /** Fires for each request, once its body was received. */
  get onRequest(): Event<RequestRecord> {
    return this.#arrived.event;
  }

  /** Starts the record of a request; `finish` completes it. */
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
    this.#records = [...this.#records.slice(1 - maxRecords), record];
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
