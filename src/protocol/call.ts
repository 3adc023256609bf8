import * as z from 'zod/mini';

/** The schema of a call: its name and its parameters. */
export function call<const N extends string, S extends z.core.$ZodLooseShape>(
  name: N,
  parameters: S,
) {
  return z.strictObject({ name: z.literal(name), parameters: z.strictObject(parameters) });
}

interface NamedCall {
  readonly name: string;
  readonly parameters: unknown;
}

/** The parameters of each call, by what the schema of a page's calls reads. */
export type ParametersOf<C extends NamedCall> = { [K in C as K['name']]: K['parameters'] };

/** The results of a page's calls, of which only those in `V` have one. */
export type ResultsOf<P, V> = V & Record<Exclude<keyof P, keyof V>, void>;

/** A call of one of these names, with its parameters. */
export type CallOf<P, N extends keyof P = keyof P> = {
  [K in N]: { readonly name: K; readonly parameters: P[K] };
}[N];

/** The handlers of these calls. An error that one of them throws is the answer. */
export type HandlersOf<P, R extends Record<keyof P, unknown>, N extends keyof P = keyof P> = {
  readonly [K in N]: (parameters: P[K]) => R[K] | Promise<R[K]>;
};

export function handle<P, R extends Record<keyof P, unknown>, N extends keyof P>(
  handlers: HandlersOf<P, R, N>,
  { name, parameters }: CallOf<P, N>,
): R[N] | Promise<R[N]> {
  return handlers[name](parameters);
}

/** The result of a call, or the error that the person reads. */
export type Answer<T> = { readonly ok: T } | { readonly error: string };

export interface AnswerMessage {
  readonly type: 'answer';
  readonly id: number;
  readonly value?: unknown;
  readonly error?: string | undefined;
}

/** A call as a page posts it, which the host parses. */
export interface PostedCall<P> {
  readonly type: 'call';
  readonly id: number;
  /** The chat that the panel showed then; no other page has it. */
  readonly conversation?: string | undefined;
  readonly call: { readonly name: keyof P; readonly parameters: P[keyof P] };
}

/** The current state of a page that shows nothing else. */
export interface StateMessage<S> {
  readonly type: 'state';
  readonly state: S;
}

/** What any call has, even one that is not valid: a page waits for its answer. */
export const anyCall = z.object({
  type: z.literal('call'),
  id: z.int(),
  call: z.unknown(),
});

/** Answers the call with this id by its result, which may reject. */
export async function answerTo(
  id: number,
  result: () => unknown,
  refusal: (error: unknown) => string,
): Promise<AnswerMessage> {
  try {
    return { type: 'answer', id, value: await result() };
  } catch (error) {
    return { type: 'answer', id, error: refusal(error) };
  }
}
