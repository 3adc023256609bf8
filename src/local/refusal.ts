/** Why a request is not served: a status of section 7 with an error body of the OpenAI standard. */
export interface RefusalDetails {
  readonly type?: string;
  /** The parameter that is to blame, for example `messages[0].role`. */
  readonly param?: string;
  readonly code?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Thrown anywhere below the handler, which answers with it. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly #details: RefusalDetails;

  constructor(status: number, message: string, details: RefusalDetails = {}) {
    super(message);
    this.status = status;
    this.headers = details.headers ?? {};
    this.#details = details;
  }

  /** The JSON text that goes over the wire. */
  body(): string {
    const { type = defaultType(this.status), param = null, code = null } = this.#details;
    return JSON.stringify({ error: { message: this.message, type, param, code } });
  }
}

function defaultType(status: number): string {
  if (status === 402) return 'billing_error';
  if (status === 429) return 'rate_limit_error';
  return status >= 500 ? 'server_error' : 'invalid_request_error';
}
