import {
  PartlyAllowed,
  type Approved,
  type Gate,
  type PlannedChange,
} from '../../core/approval/gate.ts';
import { changedLinesOf, outputOfChange, unifiedDiff } from '../../core/edits/lineDiff.ts';
import { maskDiff } from '../../core/support/secretTokens.ts';
import { ToolError } from '../../core/support/toolError.ts';
import type { ToolContext } from '../../core/tools/tool.ts';
import type { Target } from '../../core/files/places.ts';
import type { AppliedChange, Changes } from './changes.ts';

export type EditableContent =
  | {
      readonly kind: 'text';
      readonly text: string;
      /** True if saving would change bytes that aren't text. */
      readonly isLossy: boolean;
      readonly cells?: number | undefined;
      readonly isCurrent: () => Promise<boolean>;
    }
  | { readonly kind: 'binary' | 'huge' | 'folder' | 'missing' };

interface EditableText extends Extract<EditableContent, { kind: 'text' }> {
  readonly target: Target;
}

/** The applied changes, and for the model how they differ from the planned ones. */
interface AllowedChanges {
  readonly applied: readonly AppliedChange[];
  readonly difference: string;
}

/** Maximum number of characters; longer files could not be reviewed. */
const longestFile = 2_000_000;

/** Reads files for tools that edit them, and passes the planned changes through the gate. */
export class Editing {
  readonly gate: Gate;
  readonly #readFile: (target: Approved<Target>) => Promise<EditableContent>;
  readonly #changes: Changes;

  constructor(
    gate: Gate,
    readFile: (target: Approved<Target>) => Promise<EditableContent>,
    changes: Changes,
  ) {
    this.gate = gate;
    this.#readFile = readFile;
    this.#changes = changes;
  }

  /**
   * Reads a file to edit it.
   * @throws {ToolError} if it can't be edited as text
   */
  async read(path: string, context: ToolContext): Promise<EditableText> {
    const { target, content } = await this.gate.read(path, context, async (approved) => ({
      target: approved.value,
      content: await this.#readFile(approved),
    }));
    if (content.kind === 'text' && !content.isLossy) return { ...content, target };
    const problems = {
      text: `${path} has bytes that are not text in its encoding.`,
      binary: `${path} has bytes that are not text in its encoding.`,
      huge: `${path} is too large to edit.`,
      folder: `${path} is a folder.`,
      missing: `There is no file ${path}. Use create_file for a new one.`,
    };
    throw new ToolError(problems[content.kind]);
  }

  /**
   * Looks whether a file can be created. Resolves with a function that looks again.
   * @throws {ToolError} if the file exists
   */
  async requireMissing(path: string, context: ToolContext): Promise<() => Promise<boolean>> {
    const isMissing = await this.gate.read(path, context, async (target) => {
      const look = async (): Promise<boolean> => (await this.#readFile(target)).kind === 'missing';
      return (await look()) ? look : undefined;
    });
    if (isMissing === undefined) throw new ToolError(`${path} already exists. Use edit_file.`);
    return isMissing;
  }

  /**
   * Passes changes through the gate and applies exactly the allowed part, or the texts that the
   * person made of them.
   *
   * @throws {ToolError} if a file would be too long for a review, they are denied, nothing of them
   * remains, or a file has changed meanwhile
   */
  async apply(planned: readonly PlannedChange[], context: ToolContext): Promise<AllowedChanges> {
    for (const { after } of planned) {
      if (after.length <= longestFile) continue;
      throw new ToolError(
        `The file would have ${after.length} characters; the maximum is ${longestFile}.`,
      );
    }
    const pass = async (all: readonly PlannedChange[]): Promise<readonly AppliedChange[]> => {
      const applied = await this.gate.edit(all, context, (approved) =>
        this.#changes.apply(approved, context),
      );
      const files = applied.map(({ before, text }) => ({ before, after: text }));
      for (const [, change] of changedLinesOf(files)) context.print(outputOfChange(change));
      return applied;
    };
    try {
      return { applied: await pass(planned), difference: '' };
    } catch (error) {
      if (!(error instanceof PartlyAllowed)) throw error;
      const allowed = planned.map((change) => ({
        ...change,
        after: error.texts.get(change.path) ?? change.after,
      }));
      const remaining = allowed.filter(({ before, after }) => before !== after);
      if (remaining.length === 0) {
        throw new ToolError('The person removed all of your edit. Nothing was written.', 'denied');
      }
      const applied = await pass(remaining);
      const diffs = planned.flatMap(({ path, after }, index) => {
        const diff = unifiedDiff(after, allowed[index]?.after ?? after);
        return diff === '' ? [] : [`${path}\n${maskDiff(diff)}`];
      });
      const difference = ` The person rejected or changed parts of it. This diff leads from your text to what was written:\n${diffs.join('\n')}`;
      return { applied, difference };
    }
  }
}
