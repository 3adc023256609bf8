/** A value that is created when it is first needed, and once. */
export interface Lazy<Value> {
  /** Creates the value at the first call; later calls resolve with the same. */
  readonly load: () => Promise<Value>;
  /** The value, or undefined while it is not needed yet or still being created. */
  readonly value: Value | undefined;
  /** The promise of the first call, or undefined before it. */
  readonly loading: Promise<Value> | undefined;
}

/** @param create rejects if the value can't be created; each call to `load` then rejects too. */
export function lazy<Value>(create: () => Promise<Value>): Lazy<Value> {
  let loading: Promise<Value> | undefined;
  let value: Value | undefined;
  return {
    load: () => (loading ??= create().then((created) => (value = created))),
    get value() {
      return value;
    },
    get loading() {
      return loading;
    },
  };
}

/** Methods of a value that is created on the first call. */
export type LazyMethods<Value, Name extends keyof Value> = {
  readonly [Key in Name]: Value[Key] extends (...parameters: infer Parameters) => infer Result
    ? (...parameters: Parameters) => Promise<Awaited<Result>>
    : never;
};

/**
 * An object with some methods of a value, which is loaded at each call.
 *
 * @param load must always resolve with the same value, like {@link lazy}
 */
export function lazyMethods<Value extends object, Name extends keyof Value>(
  load: () => Promise<Value>,
  ...names: readonly Name[]
): LazyMethods<Value, Name>;
export function lazyMethods(load: () => Promise<object>, ...names: readonly string[]): object {
  const methodOf =
    (name: string) =>
    async (...parameters: readonly unknown[]): Promise<unknown> => {
      const value = await load();
      const method: unknown = Reflect.get(value, name);
      if (typeof method !== 'function') throw new TypeError(`${name} is not a method`);
      const result: unknown = Reflect.apply(method, value, parameters);
      return result;
    };
  return Object.fromEntries(names.map((name) => [name, methodOf(name)]));
}
