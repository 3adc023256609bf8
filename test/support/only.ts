import * as z from 'zod/mini';

/** An object of which a test uses only what is given. Any other method rejects. */
export function only<Whole>(given: Partial<NoInfer<Whole>> = {}): Whole {
  const get = (own: object, name: string | symbol): unknown =>
    Reflect.get(own, name) ?? (() => Promise.reject(new Error(`Not used: ${String(name)}`)));
  return z.custom<Whole>().parse(new Proxy(given, { get }));
}
