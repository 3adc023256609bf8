import * as vscode from 'vscode';
import type { Row } from '../../core/code/editStream.ts';
import { runs } from '../../core/code/rowSteps.ts';
import { disposeAll, type Disposable } from '../../core/support/event.ts';
import type { Review } from './review.ts';

type Kind = 'added' | 'removed';

/** Colors added and removed lines like VS Code's diff editor. */
export class ReviewMarks implements Disposable {
  #types: Readonly<Record<Kind, vscode.TextEditorDecorationType>> = decorationTypes();

  /** Decorates one document in every editor that shows it. */
  draw(document: vscode.TextDocument, reviews: readonly Review[]): void {
    const shown = reviews.filter(({ phase }) => phase === 'streaming' || phase === 'open');
    const kinds: readonly Kind[] = ['added', 'removed'];
    for (const editor of vscode.window.visibleTextEditors) {
      if (editor.document !== document) continue;
      for (const kind of kinds) {
        editor.setDecorations(
          this.#types[kind],
          shown.flatMap((review) => rangesOf(review.rows, kind)),
        );
      }
    }
  }

  /**
   * Recreates the decoration types after a change of the color theme. All documents must be drawn
   * again.
   */
  renew(): void {
    disposeAll(Object.values(this.#types));
    this.#types = decorationTypes();
  }

  dispose(): void {
    disposeAll(Object.values(this.#types));
  }
}

function rangesOf(
  { start, rows }: { readonly start: number; readonly rows: readonly Row[] },
  kind: Kind,
): vscode.Range[] {
  return runs(rows, (row) => row.kind === kind).map(
    (run) => new vscode.Range(start + run.start, 0, start + run.end - 1, 0),
  );
}

function decorationTypes(): Readonly<Record<Kind, vscode.TextEditorDecorationType>> {
  return { added: decorationType('inserted'), removed: decorationType('removed') };
}

function decorationType(name: 'inserted' | 'removed'): vscode.TextEditorDecorationType {
  const colour = (id: string): vscode.ThemeColor => new vscode.ThemeColor(`diffEditor${id}`);
  return vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    backgroundColor: colour(`.${name}LineBackground`),
    overviewRulerColor: colour(`Overview.${name}Foreground`),
    overviewRulerLane: vscode.OverviewRulerLane.Full,
    rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
    // High contrast themes use borders instead of backgrounds; other themes lack these colors.
    ...(isHighContrast()
      ? { border: '1px dashed', borderColor: colour(`.${name}TextBorder`) }
      : {}),
    ...(name === 'removed' ? { opacity: '0.7' } : {}),
  });
}

function isHighContrast(): boolean {
  const { HighContrast, HighContrastLight } = vscode.ColorThemeKind;
  return [HighContrast, HighContrastLight].includes(vscode.window.activeColorTheme.kind);
}
