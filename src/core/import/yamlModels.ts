import { valueOf } from '../support/frontMatter.ts';

type Fields = Record<string, string>;

/**
 * The list `models:` of a YAML file. Supports only fields with a value on the same line, and
 * anchors of values, of items, and of top-level maps that items merge with `<<`.
 */
export function yamlModels(text: string): readonly Readonly<Fields>[] {
  const reader = new ModelReader();
  for (const line of text.split(/\r?\n/)) reader.read(line);
  return reader.models;
}

class ModelReader {
  readonly models: Fields[] = [];
  readonly #values = new Map<string, string>();
  readonly #maps = new Map<string, Fields>();
  #isInside = false;
  #indentOfItems = 0;
  /** The model, or the map with an anchor, that the next fields belong to. */
  #target: Fields | undefined;
  /** The column of its fields; undefined before the first one. */
  #column: number | undefined;

  read(line: string): void {
    const [whole, indent = '', dash = '', anchor, key, value = ''] =
      /^( *)((?:- *)?)(?:&([\w-]+)(?![\w-]) *)?(?:([A-Za-z][\w-]*|<<):(?:\s([^]*))?)?$/.exec(
        line,
      ) ?? [];
    if (whole === undefined || (key === undefined && dash === '')) return;
    const column = indent.length + dash.length;
    if (column === 0) {
      this.#beginAtTop(key, value.trim());
      return;
    }
    if (dash !== '') {
      if (!this.#isInside || (this.models.length > 0 && indent.length > this.#indentOfItems))
        return;
      this.#indentOfItems = indent.length;
      this.#beginItem(anchor);
    }
    if (key === undefined) return;
    this.#column ??= column;
    if (column === this.#column) this.#set(key, value.trim());
  }

  #beginAtTop(key: string | undefined, value: string): void {
    this.#isInside = key === 'models';
    const name = /^&([\w-]+)$/.exec(value)?.[1];
    this.#target = this.#isInside || name === undefined ? undefined : {};
    this.#column = undefined;
    if (this.#target !== undefined && name !== undefined) this.#maps.set(name, this.#target);
  }

  #beginItem(anchor: string | undefined): void {
    const item: Fields = {};
    this.models.push(item);
    if (anchor !== undefined) this.#maps.set(anchor, item);
    this.#target = item;
    this.#column = undefined;
  }

  #set(key: string, value: string): void {
    const target = this.#target;
    if (target === undefined) return;
    if (key !== '<<') {
      target[key] = this.#resolve(value);
      return;
    }
    // The map's own fields take precedence, regardless of the position of the merge.
    for (const [, name = ''] of value.matchAll(/\*([\w-]+)/g))
      for (const [field, inherited] of Object.entries(this.#maps.get(name) ?? {}))
        target[field] ??= inherited;
  }

  #resolve(written: string): string {
    const alias = /^\*([\w-]+)/.exec(written)?.[1];
    if (alias !== undefined) return this.#values.get(alias) ?? '';
    const [, name, anchored] = /^&([\w-]+) +(\S[^]*)$/.exec(written) ?? [];
    if (name === undefined || anchored === undefined) return valueOf(written);
    const value = valueOf(anchored);
    this.#values.set(name, value);
    return value;
  }
}
