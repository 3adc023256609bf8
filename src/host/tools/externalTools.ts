import * as vscode from 'vscode';
import * as z from 'zod/mini';
import type { Gate, PlannedExternal } from '../../core/approval/gate.ts';
import { isObject, parseJson } from '../../core/support/json.ts';
import { ToolError } from '../../core/support/toolError.ts';
import {
  definitionOf,
  identityOf,
  mayBeTicked,
  nameForModel,
  type ForeignTool,
} from '../../core/tools/externalTool.ts';
import type { Tool, ToolContext } from '../../core/tools/tool.ts';
import type { TickedTools } from './enabledTools.ts';

/** Milliseconds that a tool of others may take. */
const deadline = 60_000;

interface ForeignToolNeeds {
  readonly gate: Gate;
  readonly ticked: TickedTools;
  /** Hears of each call that is carried out, before its words come in (threats: T38). */
  readonly onCall: () => void;
}

/** A tool that may be ticked, and whether it is. */
export interface ListedForeignTool {
  readonly tool: ForeignTool;
  readonly identity: string;
  readonly isTicked: boolean;
  /** It was ticked, and has described itself differently since. */
  readonly hasChanged: boolean;
}

/** The tools of other extensions and of MCP servers that a person may tick, by name. */
export async function listForeignTools(ticked: TickedTools): Promise<readonly ListedForeignTool[]> {
  const listed = vscode.lm.tools.filter(mayBeTicked).map(async (tool) => {
    const identity = await identityOf(tool);
    const isTicked = ticked.isTicked(identity);
    return { tool, identity, isTicked, hasChanged: !isTicked && ticked.wasTicked(tool.name) };
  });
  const all = await Promise.all(listed);
  // In the same order in every request, whatever started first.
  return all.toSorted((one, other) => (one.identity < other.identity ? -1 : 1));
}

/**
 * The ticked ones as tools for the model.
 *
 * @param taken names of Aside's tools, which none of these gets
 */
export async function tickedForeignTools(
  needs: ForeignToolNeeds,
  taken: Iterable<string>,
): Promise<readonly Tool[]> {
  const names = new Set(taken);
  const listed = (await listForeignTools(needs.ticked)).filter(({ isTicked }) => isTicked);
  return listed.map(({ tool, identity }) => {
    const name = nameForModel(tool, identity, names);
    names.add(name);
    return foreignTool(tool, { identity, name, needs });
  });
}

interface Named {
  readonly identity: string;
  /** As the model calls it. */
  readonly name: string;
  readonly needs: ForeignToolNeeds;
}

function foreignTool(tool: ForeignTool, { identity, name, needs }: Named): Tool {
  return {
    name,
    category: 'external',
    deadline,
    definition: definitionOf(tool, name),
    prepare(given) {
      if (!isObject(given)) throw new ToolError('The arguments are no JSON object.');
      const call = { tool: tool.name, identity, input: JSON.stringify(given, undefined, 2) };
      return {
        title: vscode.l10n.t('Use {0}', tool.name),
        run: (context) => run(call, needs, context),
      };
    },
  };
}

function run(
  call: PlannedExternal,
  needs: ForeignToolNeeds,
  context: ToolContext,
): Promise<string> {
  return needs.gate.external(call, context, async ({ value }) => {
    // Between the list and the consent it may have become another.
    const current = vscode.lm.tools.find(({ name }) => name === value.tool);
    const isSame = current !== undefined && (await identityOf(current)) === value.identity;
    if (!isSame || !needs.ticked.isTicked(value.identity)) {
      throw new ToolError(
        `${value.tool} is gone, was changed or is not ticked any more.`,
        'denied',
      );
    }
    needs.onCall();
    return callForeign(value, context.signal);
  });
}

/**
 * Calls a tool that passed the gate, with exactly the JSON that was shown. Resolves with its text.
 *
 * @throws {ToolError} in the tool's own words
 */
async function callForeign(
  { tool, input }: Pick<PlannedExternal, 'tool' | 'input'>,
  signal: AbortSignal,
): Promise<string> {
  const cancellation = new vscode.CancellationTokenSource();
  const cancel = (): void => cancellation.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  try {
    signal.throwIfAborted();
    const given = parseJson(input);
    const options = { input: isObject(given) ? given : {}, toolInvocationToken: undefined };
    const { content } = await vscode.lm.invokeTool(tool, options, cancellation.token);
    return textOf(content);
  } catch (error) {
    signal.throwIfAborted();
    throw new ToolError(
      `${tool} failed: ${error instanceof Error ? error.message : String(error)}`,
    );
  } finally {
    signal.removeEventListener('abort', cancel);
    cancellation.dispose();
  }
}

/** Nothing but text is passed on. */
function textOf(content: readonly unknown[]): string {
  const texts = content.flatMap((part) =>
    part instanceof vscode.LanguageModelTextPart ? part.value : [],
  );
  const left = content.length - texts.length;
  const note = left === 0 ? '' : `(${left} parts that are no text were left out.)`;
  return [...texts, note].filter((text) => text !== '').join('\n') || 'It answered with nothing.';
}

const manifest = z.object({ version: z.string() });

/** The version of this extension, as its `package.json` says. */
export function extensionVersion({
  extension,
}: Pick<vscode.ExtensionContext, 'extension'>): string {
  return manifest.parse(extension.packageJSON).version;
}
