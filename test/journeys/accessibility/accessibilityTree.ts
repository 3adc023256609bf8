import type { Page } from 'playwright-core';
import * as z from 'zod';

const value = z.object({ value: z.optional(z.unknown()) });

/** Chromium's description of a node, as far as the tree needs it. */
const nodesSchema = z.object({
  nodes: z.array(
    z.object({
      nodeId: z.string(),
      ignored: z.boolean(),
      role: z.optional(value),
      name: z.optional(value),
      description: z.optional(value),
      value: z.optional(value),
      properties: z.optional(z.array(z.object({ name: z.string(), value }))),
      childIds: z.optional(z.array(z.string())),
      parentId: z.optional(z.string()),
    }),
  ),
});

type RawNode = z.infer<typeof nodesSchema>['nodes'][number];

/** A node as a screen reader announces it. */
interface TreeNode {
  readonly role: string;
  readonly name: string;
  /** States, the value and the description. */
  readonly details: readonly string[];
  readonly children: readonly TreeNode[];
}

/** Values of states that screen readers don't announce. */
const silentStates: Readonly<Record<string, unknown>> = {
  busy: false,
  checked: undefined,
  disabled: false,
  expanded: undefined,
  hasPopup: undefined,
  invalid: 'false',
  level: undefined,
  live: 'off',
  modal: false,
  pressed: undefined,
  readonly: false,
  required: false,
  selected: false,
};

/** Roles that screen readers announce only if the node has a name or details. */
const plain = new Set(['none', 'generic', 'paragraph', 'Section', 'LabelText', 'Legend']);

/** Accessibility tree of the page as text, one node per line: its role, name and details. */
export async function accessibilityTree(page: Page): Promise<string> {
  const session = await page.context().newCDPSession(page);
  const { nodes } = nodesSchema.parse(await session.send('Accessibility.getFullAXTree'));
  const byId = new Map(nodes.map((node) => [node.nodeId, node]));
  const root = nodes.find(({ parentId }) => parentId === undefined);
  const visibleNodes = root === undefined ? [] : announcedNodes(root, byId, {});
  return `${visibleNodes.flatMap((node) => linesOf(node, 0)).join('\n')}\n`;
}

type States = Readonly<Record<string, unknown>>;

/** The node itself, or its children if screen readers skip it. */
function announcedNodes(
  node: RawNode,
  byId: ReadonlyMap<string, RawNode>,
  above: States,
): TreeNode[] {
  const role = text(node.role);
  if (role === 'InlineTextBox' || role === 'LineBreak') return [];
  const states = statesOf(node);
  const name = text(node.name);
  const details = detailsOf(node, states, above);
  const isPlain = node.ignored || (plain.has(role) && name === '' && details.length === 0);
  const inherited = isPlain ? above : { ...above, live: states['live'], busy: states['busy'] };
  const children = (node.childIds ?? []).flatMap((id) => {
    const child = byId.get(id);
    return child === undefined ? [] : announcedNodes(child, byId, inherited);
  });
  if (isPlain) return children;
  if (role === 'StaticText')
    return name.trim() === '' ? [] : [{ role: 'text', name, details: [], children: [] }];
  return [{ role, name, details, children: isNameOf(name, children) ? [] : joined(children) }];
}

function statesOf({ properties = [] }: RawNode): States {
  return Object.fromEntries(properties.map(({ name, value: state }) => [name, state.value]));
}

function detailsOf(node: RawNode, states: States, above: States): readonly string[] {
  const details = Object.entries(silentStates).flatMap(([name, silent]) => {
    const state = states[name];
    const isInherited = (name === 'live' || name === 'busy') && above[name] === state;
    if (state === undefined || state === silent || state === '' || isInherited) return [];
    return state === true ? [name] : [`${name}=${primitiveText(state)}`];
  });
  // Chromium's value of a meter is its range; screen readers read `valuetext`.
  const current = states['valuetext'] ?? text(node.value);
  const description = text(node.description);
  return [
    ...details,
    ...(typeof current === 'string' && current !== '' ? [`value=${JSON.stringify(current)}`] : []),
    ...(description === '' ? [] : [`description=${JSON.stringify(description)}`]),
  ];
}

/** True if the node's name repeats the text of its children. */
function isNameOf(name: string, children: readonly TreeNode[]): boolean {
  if (name === '' || children.some(({ role }) => role !== 'text')) return false;
  const words = (some: string): string => some.replaceAll(/\s+/g, '');
  return words(children.map((child) => child.name).join('')) === words(name);
}

/** Joins adjacent text nodes. */
function joined(nodes: readonly TreeNode[]): readonly TreeNode[] {
  const all: TreeNode[] = [];
  for (const node of nodes) {
    const last = all.at(-1);
    if (node.role === 'text' && last?.role === 'text')
      all[all.length - 1] = { ...last, name: `${last.name}${node.name}` };
    else all.push(node);
  }
  return all;
}

function linesOf({ role, name, details, children }: TreeNode, depth: number): string[] {
  const words = [role, ...(name === '' ? [] : [JSON.stringify(name)]), ...details];
  return [
    `${'  '.repeat(depth)}${words.join(' ')}`,
    ...children.flatMap((child) => linesOf(child, depth + 1)),
  ];
}

function text(of: z.infer<typeof value> | undefined): string {
  return primitiveText(of?.value);
}

/** Undefined for values that are lists of other nodes. */
function primitiveText(some: unknown): string {
  if (typeof some === 'string') return some;
  return typeof some === 'number' || typeof some === 'boolean' ? String(some) : '';
}
