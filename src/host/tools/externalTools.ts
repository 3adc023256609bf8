import * as vscode from 'vscode';
import * as z from 'zod/mini';
import type { Gate, PlannedExternalCall } from '../../core/approval/gate.ts';
import { isObject, parseJson } from '../../core/support/json.ts';
import { ToolError } from '../../core/support/toolError.ts';
import {
  externalToolDefinition,
  toolIdentity,
  canBeEnabled,
  hasLargeSchema,
  nameForModel,
  type ExternalTool,
} from '../../core/tools/externalTool.ts';
import type { Tool } from '../../core/tools/tool.ts';
import type { EnabledTools } from './enabledTools.ts';

/** Milliseconds. */
const deadline = 60_000;

/** An external tool that can be enabled, with its state. */
export interface ListedExternalTool {
  readonly tool: ExternalTool;
  readonly identity: string;
  readonly isEnabled: boolean;
  /** True if the description has changed since the tool was enabled. */
  readonly hasChanged: boolean;
}

export async function listExternalTools(
  enabledTools: EnabledTools,
): Promise<readonly ListedExternalTool[]> {
  const listed = vscode.lm.tools.filter(canBeEnabled).map(async (tool) => {
    const identity = await toolIdentity(tool);
    const isEnabled = enabledTools.isExternalEnabled(identity);
    return {
      tool,
      identity,
      isEnabled,
      hasChanged: !isEnabled && enabledTools.wasExternalEnabled(tool.name),
    };
  });
  const all = await Promise.all(listed);
  // The order is the same in every request, regardless of the start order of extensions.
  return all.toSorted((a, b) => (a.identity < b.identity ? -1 : 1));
}

/** The names of external tools that can't be enabled, since their schemas are too large. */
export function tooLargeTools(): readonly string[] {
  return vscode.lm.tools.filter(hasLargeSchema).map(({ name }) => name);
}

/**
 * The enabled external tools.
 *
 * @param reserved names of built-in tools, which external tools may not use
 * @param onCall called before each call of a chat, since its result is untrusted text (threats: T38)
 */
export async function enabledExternalTools(
  gate: Gate,
  enabledTools: EnabledTools,
  reserved: Iterable<string>,
  onCall: (conversation: string | undefined) => void,
): Promise<readonly Tool[]> {
  const names = new Set(reserved);
  const enabled = (await listExternalTools(enabledTools)).filter(({ isEnabled }) => isEnabled);
  return enabled.map(({ tool, identity }): Tool => {
    const name = nameForModel(tool, identity, names);
    names.add(name);
    return {
      name,
      category: 'external',
      icon: 'tools',
      label: tool.name,
      summary: { many: vscode.l10n.t('{0} ({1} times)', name, '{0}') },
      deadline,
      problem: () => undefined,
      definition: externalToolDefinition(tool, name),
      prepare(args) {
        if (!isObject(args)) throw new ToolError('The arguments are not a JSON object.');
        const call = { tool: tool.name, identity, input: JSON.stringify(args, undefined, 2) };
        return {
          title: vscode.l10n.t('Use {0}', tool.name),
          run: (context) =>
            gate.external(call, context, async ({ value }) => {
              // The tool may have been replaced between listing and approval.
              const current = vscode.lm.tools.find((candidate) => candidate.name === value.tool);
              const isSame =
                current !== undefined &&
                canBeEnabled(current) &&
                (await toolIdentity(current)) === value.identity;
              if (!isSame || !enabledTools.isExternalEnabled(value.identity))
                throw new ToolError(`${value.tool} was removed, changed or turned off.`, 'denied');
              onCall(context.conversation);
              return callExternalTool(value, context.signal);
            }),
        };
      },
    };
  });
}

/**
 * Calls an approved tool with exactly the JSON that was shown. Resolves with its text; other parts
 * of its result are left out.
 *
 * @throws {ToolError} with the tool's error message
 */
async function callExternalTool(
  { tool, input }: PlannedExternalCall,
  signal: AbortSignal,
): Promise<string> {
  const cancellation = new vscode.CancellationTokenSource();
  const cancel = (): void => cancellation.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  try {
    signal.throwIfAborted();
    const args = parseJson(input);
    const options = { input: isObject(args) ? args : {}, toolInvocationToken: undefined };
    const { content } = await vscode.lm.invokeTool(tool, options, cancellation.token);
    const texts = content.flatMap((part) =>
      part instanceof vscode.LanguageModelTextPart ? part.value : [],
    );
    const omitted = content.length - texts.length;
    const note = omitted === 0 ? '' : `(Not text, left out: ${omitted})`;
    return [...texts, note].filter((text) => text !== '').join('\n') || 'It returned nothing.';
  } catch (error) {
    signal.throwIfAborted();
    const reason = error instanceof Error ? error.message : String(error);
    throw new ToolError(`${tool} failed: ${reason}`);
  } finally {
    signal.removeEventListener('abort', cancel);
    cancellation.dispose();
  }
}

const manifest = z.object({ version: z.string() });

export function extensionVersion({ extension }: vscode.ExtensionContext): string {
  return manifest.parse(extension.packageJSON).version;
}
