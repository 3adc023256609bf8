/**
 * A model id alone is a model of the current service; `<id>@<service name>` is one of another
 * service. Ids may contain `@` themselves.
 */

export interface ServiceNames {
  /** Undefined without a current service. */
  readonly current: string | undefined;
  readonly others: readonly string[];
}

export interface ModelReference {
  readonly id: string;
  /** The name of its service; undefined for the current one. */
  readonly service: string | undefined;
}

/** Parses a model reference. Only a known name after the last `@` is a service. */
export function parseModelReference(text: string, names: ServiceNames): ModelReference {
  const { id, name } = splitModel(text);
  if (name === undefined) return { id: text, service: undefined };
  if (name === names.current) return { id, service: undefined };
  return names.others.includes(name) ? { id, service: name } : { id: text, service: undefined };
}

/**
 * The reference of a model: the id alone for the current service, unless it could be read as a
 * model of another service, even one that is connected later.
 */
export function writeModelReference({ id, service }: ModelReference, names: ServiceNames): string {
  if (service !== undefined) return `${id}@${service}`;
  const { name } = splitModel(id);
  // Dates and versions are names only if a service has that name.
  const isName = name !== undefined && isServiceName(name) && /[a-z]/.test(name);
  const isBare =
    names.current === undefined || (!isName && parseModelReference(id, names).id === id);
  return isBare ? id : `${id}@${names.current}`;
}

/**
 * The canonical form of a model reference. A text that may name an unknown service is returned
 * unchanged.
 */
export function canonicalModel(text: string, names: ServiceNames): string {
  if (!text.includes('@') || unknownService(text, names) !== undefined) return text;
  return writeModelReference(parseModelReference(text, names), names);
}

/**
 * The models that a reference means in settings and stored values, as written ids: an id alone means
 * the model of every service, since another service may have been current when it was written.
 */
export function referencedModels(text: string, names: ServiceNames): readonly string[] {
  const reference = parseModelReference(text, names);
  if (reference.id !== text) return [writeModelReference(reference, names)];
  return [undefined, ...names.others].map((service) =>
    writeModelReference({ id: text, service }, names),
  );
}

/** The names under which settings and stored values of a model are kept. */
export interface ModelKeys {
  /** Always ends with the name of its service, if there is one. */
  readonly own: string;
  /** The id alone, which holds at every service that has no value of its own. */
  readonly general: string;
}

/** @param names undefined for the demo, whose models have only their ids */
export function modelKeys(text: string, names: ServiceNames | undefined): ModelKeys {
  if (names === undefined) return { own: text, general: text };
  const { id, service = names.current } = parseModelReference(text, names);
  return { own: service === undefined ? id : `${id}@${service}`, general: id };
}

/** The name of an unknown service at the end of a reference, if any. */
export function unknownService(text: string, names: ServiceNames): string | undefined {
  const { name } = splitModel(text);
  if (name === undefined || !isServiceName(name)) return undefined;
  return parseModelReference(text, names).id === text ? name : undefined;
}

/** @returns the part after the last `@` as `name`; undefined if nothing precedes it */
function splitModel(text: string): { readonly id: string; readonly name: string | undefined } {
  const at = text.lastIndexOf('@');
  if (at <= 0) return { id: text, name: undefined };
  return { id: text.slice(0, at), name: text.slice(at + 1).toLowerCase() };
}

/** Maximum length of a service name. */
const longestName = 40;

/** True if a text can be the name of a service. */
export function isServiceName(text: string): boolean {
  return text.length <= longestName && /^[a-z0-9][a-z0-9.-]*$/.test(text);
}

/** Labels of hosts that don't identify their owner, such as `co` in `co.uk`. */
const generalLabels = new Set(['ac', 'co', 'com', 'edu', 'gov', 'net', 'org']);

/**
 * A name for a service, from its host: `example` for `api.example.com`, `localhost-8080` for
 * `localhost:8080`.
 *
 * @param otherNames names in use; a duplicate gets a number
 */
export function serviceName(host: string, otherNames: readonly string[]): string {
  const lower = host.toLowerCase();
  const isDomain = /^[a-z0-9.-]*\.[a-z][a-z0-9-]*(?::\d{1,5})?$/.test(lower);
  const [name = ''] = isDomain ? ownLabels(lower.split(':', 1)[0] ?? '').slice(-1) : [lower];
  const base = fitted(name, longestName);
  for (let number = 1; ; number++) {
    const ending = number === 1 ? '' : `-${number}`;
    const numbered = fitted(base, longestName - ending.length) + ending;
    if (!otherNames.includes(numbered)) return numbered;
  }
}

/** The labels of a domain without its public suffix: `.com`, `.co.uk`. */
function ownLabels(domain: string): readonly string[] {
  const labels = domain.split('.').filter((label) => label !== '');
  const withoutSuffix = labels.slice(0, -1);
  const isGeneral = withoutSuffix.length > 1 && generalLabels.has(withoutSuffix.at(-1) ?? '');
  return isGeneral
    ? withoutSuffix.slice(0, -1)
    : withoutSuffix.length === 0
      ? labels
      : withoutSuffix;
}

function fitted(text: string, length: number): string {
  const allowed = text.replace(/[^a-z0-9.-]/g, '-').slice(0, length);
  const start = /[a-z0-9]/.exec(allowed)?.index;
  return start === undefined ? 'service' : allowed.slice(start);
}
