/**
 * What a node is to look like. Sketches are cheap: most of what is drawn with each frame is in the
 * page already, and only the rest of it becomes nodes.
 */
export interface Sketch {
  /** Empty for text. */
  readonly tag: string;
  readonly text: string;
  attributes: Attributes;
  readonly children: Sketch[];
  /** The node in the page, once there is one. */
  node: ChildNode | undefined;
}

/** Values by name. */
export type Attributes = Readonly<Record<string, string>>;

const none: Attributes = {};

export function sketchElement(
  tag: string,
  attributes: Attributes = none,
  children: Sketch[] = [],
): Sketch {
  return { tag, text: '', attributes, children, node: undefined };
}

export function sketchText(text: string): Sketch {
  return { tag: '', text, attributes: none, children: [], node: undefined };
}

/** All text inside. */
export function textOf({ tag, text, children }: Sketch): string {
  return tag === '' ? text : children.map(textOf).join('');
}

/** Makes the node of a sketch, with all that is inside. */
export function build(sketch: Sketch, document: Document): ChildNode {
  sketch.node =
    sketch.tag === '' ? document.createTextNode(sketch.text) : element(sketch, document);
  return sketch.node;
}

function element({ tag, attributes, children }: Sketch, document: Document): HTMLElement {
  const node = document.createElement(tag);
  for (const name in attributes) node.setAttribute(name, attributes[name] ?? '');
  for (const child of children) node.appendChild(build(child, document));
  return node;
}
