import { createEditor } from "../../../../src/cli/terminal/editor/create-editor.ts";
import type { Complete, Editor, InputHistory, KeyResult } from "../../../../src/cli/terminal/editor/editor.ts";
import type { Folds } from "../../../../src/cli/terminal/editor/folds.ts";
import { createHistory } from "../../../../src/cli/terminal/editor/input-history.ts";
import { createKeyDecoder } from "../../../../src/cli/terminal/keys/decode-keys.ts";
import { toPlainText } from "../../../../src/cli/terminal/text/line.ts";
import { countCells, splitGraphemes } from "../../../../src/cli/terminal/text/width.ts";

/** An editor at which bytes are typed as a terminal sends them. */
export interface OpenEditor {
  readonly editor: Editor;
  readonly history: InputHistory;
  /** Types, and gives what came of each key. */
  type(bytes: string): KeyResult[];
  /** The lines behind the prompt `> `, with `|` where the cursor stands. */
  shows(columns?: number, rows?: number): string[];
  /** Settles when completions have come. */
  completed(): Promise<void>;
}

export function openEditor(
  complete: Complete = async () => undefined,
  entries: string[] = [],
  folds?: Folds,
): OpenEditor {
  const history = createHistory();
  for (const entry of entries) history.add(entry);
  let change = Promise.withResolvers<void>();
  const editor = createEditor({
    complete,
    history,
    ...(folds && { folds, attachesFiles: true }),
    locale: () => "en",
    onChange() {
      change.resolve();
      change = Promise.withResolvers();
    },
  });
  return {
    editor,
    history,
    type(bytes) {
      const decoder = createKeyDecoder();
      return [...decoder.push(new TextEncoder().encode(bytes)), ...decoder.flush()].map((key) => editor.press(key));
    },
    shows(columns = 40, rows = 24) {
      const { lines, cursor } = editor.view("> ", { columns, rows });
      return lines.map((line, row) => {
        const text = toPlainText(line).trimEnd();
        if (row !== cursor?.row) return text;
        const padded = text.padEnd(cursor.column);
        const before = splitGraphemes(padded).findIndex(
          (_, index, all) => countCells(all.slice(0, index).join("")) >= cursor.column,
        );
        const head = before < 0 ? padded : splitGraphemes(padded).slice(0, before).join("");
        return `${head}|${padded.slice(head.length)}`;
      });
    },
    completed: () => change.promise,
  };
}
