import type * as vscode from 'vscode';
import type { Gate } from '../../core/approval/gate.ts';
import { systemClock } from '../../core/support/clock.ts';
import type { Tool } from '../../core/tools/tool.ts';
import { Toolbox } from '../../core/tools/toolbox.ts';
import { gitProblem } from '../workspace/git.ts';
import { workspaceFolders } from '../workspace/location.ts';
import type { HostWindow } from '../workspace/window.ts';
import type { ChatTaints } from './chatTaints.ts';
import type { EnabledTools } from './enabledTools.ts';
import { createExposedTool } from './exposedCalls.ts';
import { enabledExternalTools } from './externalTools.ts';
import { findToolsTool } from './findTools.ts';
import { commandsProblem, ownToolNames, toolsWithout } from './ownTools.ts';

/** The tools of a window: which ones a turn gets, and which ones other chats may call. */
export class Tools {
  readonly #window: HostWindow;
  readonly #own: readonly Tool[];
  readonly #gate: Gate;
  readonly #enabled: EnabledTools;
  readonly #taints: ChatTaints;

  constructor(
    window: HostWindow,
    own: readonly Tool[],
    gate: Gate,
    enabled: EnabledTools,
    taints: ChatTaints,
  ) {
    this.#window = window;
    this.#own = own;
    this.#gate = gate;
    this.#enabled = enabled;
    this.#taints = taints;
  }

  /** Aside's own tools, by whether they work in this window. */
  here(): ReturnType<typeof toolsWithout> {
    const commands = commandsProblem(this.#window.node !== undefined, workspaceFolders());
    return toolsWithout({ commands, git: gitProblem() }, this.#own);
  }

  /** The available own tools and those of other extensions that the person enabled. */
  async forTurn(): Promise<Toolbox> {
    const external = await enabledExternalTools(
      {
        gate: this.#gate,
        enabledTools: this.#enabled,
        onCall: (conversation) => this.#taints.noteExternalCall(conversation),
      },
      ownToolNames,
    );
    const own = this.here().available.filter(({ name }) => this.#enabled.isOwnEnabled(name));
    return this.#toolbox([...own, ...external]);
  }

  /** One of the tools that other chats may use. */
  exposed(name: string): vscode.LanguageModelTool<unknown> {
    const { settings, log } = this.#window;
    return createExposedTool(name, {
      toolbox: this.#toolbox(this.#own),
      isEnabled: () => settings.current().tools.enabled,
      isOwnEnabled: (tool) => this.#enabled.isOwnEnabled(tool),
      log: (line) => log.info(line),
    });
  }

  #toolbox(tools: readonly Tool[]): Toolbox {
    const { redactor, log } = this.#window;
    return new Toolbox(tools, {
      clock: systemClock,
      redactor,
      onError: (tool, error) => log.error(`The tool ${tool}`, error),
      createFinder: findToolsTool,
    });
  }
}
