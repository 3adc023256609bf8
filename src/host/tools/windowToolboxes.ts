import type { Gate } from '../../core/approval/gate.ts';
import { systemClock } from '../../core/support/clock.ts';
import { findToolsName } from '../../core/tools/findTools.ts';
import type { Tool } from '../../core/tools/tool.ts';
import { Toolbox } from '../../core/tools/toolbox.ts';
import { gitProblem } from '../workspace/git.ts';
import { workspaceFolders } from '../workspace/location.ts';
import type { HostWindow } from '../workspace/window.ts';
import type { ChatTaints } from './chatTaints.ts';
import type { EnabledTools } from './enabledTools.ts';
import { enabledExternalTools } from './externalTools.ts';
import { findToolsTool } from './findTools.ts';
import type { UnavailableTool } from './manageItems.ts';
import { commandsProblem } from './ownTools.ts';

/** Reasons why tools are unavailable in this window; undefined if they aren't. */
interface ToolProblems {
  readonly commands: string | undefined;
  readonly git: string | undefined;
}

interface ToolsHere {
  readonly available: readonly Tool[];
  readonly unavailable: readonly UnavailableTool[];
}

interface WindowToolboxOptions {
  readonly window: HostWindow;
  readonly asideTools: readonly Tool[];
  readonly enabledTools: EnabledTools;
  readonly gate: Gate;
  readonly taints: ChatTaints;
}

/** The tools of a window: available own ones, and those of other extensions. */
export class WindowToolboxes {
  readonly #options: WindowToolboxOptions;

  constructor(options: WindowToolboxOptions) {
    this.#options = options;
  }

  /** Own tools, without those that are unavailable now. */
  here(): ToolsHere {
    const { window, asideTools } = this.#options;
    const hasNode = window.node !== undefined;
    const commands = commandsProblem(hasNode, workspaceFolders());
    return toolsWithout({ commands, git: gitProblem() }, asideTools);
  }

  async forTurn(): Promise<Toolbox> {
    const { gate, enabledTools, taints, asideTools } = this.#options;
    const onCall = (conversation: string | undefined): void =>
      taints.noteExternalCall(conversation);
    const names = [findToolsName, ...asideTools.map(({ name }) => name)];
    const external = await enabledExternalTools({ gate, enabledTools, onCall }, names);
    const used = this.here().available.filter(({ name }) => enabledTools.isOwnEnabled(name));
    return this.#toolbox([...used, ...external]);
  }

  all(): Toolbox {
    return this.#toolbox(this.#options.asideTools);
  }

  #toolbox(tools: readonly Tool[]): Toolbox {
    const { redactor, log } = this.#options.window;
    return new Toolbox(tools, {
      clock: systemClock,
      redactor,
      onError: (tool, error) => log.error(`The tool ${tool}`, error),
      createFinder: findToolsTool,
    });
  }
}

/** Tools without those that have a problem. */
export function toolsWithout(problems: ToolProblems, tools: readonly Tool[]): ToolsHere {
  const problemOf = ({ category, name }: Tool): string | undefined => {
    if (category === 'run') return problems.commands;
    return name === 'get_changes' ? problems.git : undefined;
  };
  return {
    available: tools.filter((tool) => problemOf(tool) === undefined),
    unavailable: tools.flatMap((tool) => {
      const reason = problemOf(tool);
      return reason === undefined ? [] : [{ label: tool.label, reason }];
    }),
  };
}
