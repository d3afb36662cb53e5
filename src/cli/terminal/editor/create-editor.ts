import type { Locale } from "../../../kit/locale.ts";
import type { Key } from "../keys/key.ts";
import type { Live, Size } from "../screen/live.ts";
import type { Line } from "../text/line.ts";
import { createCompletionMenu } from "./completion.ts";
import type { Complete, Editor, InputHistory, KeyResult } from "./editor.ts";
import { createHistorySearch, type HistorySearch } from "./history/history-search.ts";
import { pressInSearch, renderSearch } from "./history/search-mode.ts";
import { type Action, findAction } from "./keymap.ts";
import { chooseByEnter, renderMenu } from "./menu.ts";
import { canOpenMenu } from "./opens-menu.ts";
import { findRow } from "./text/rows.ts";
import { renderTooLong } from "./too-long.ts";
import { createTyping } from "./typing.ts";
import { createFrame, getMaxRows, renderText, scroll } from "./view.ts";

export interface EditorOptions {
  complete: Complete;
  history: InputHistory;
  /** Something looks different though no key was pressed: completions were found. */
  onChange(): void;
  /** The language of what the editor itself says. */
  locale(): Locale;
}

/** An empty editor. A text that would be too long is not put in: what stands there stays, and a line says so. */
export function createEditor({ complete, history, onChange, locale }: EditorOptions): Editor {
  const typing = createTyping(history);
  const completing = createCompletionMenu({ complete, take: (from, { text }) => put(text, from), onChange });
  let search: HistorySearch | undefined;
  /** How many UTF-16 units were refused. */
  let refused: number | undefined;
  let top = 0;

  /** Looks for completions where they come by themselves. */
  function suggest(): void {
    if (canOpenMenu(typing.textBefore)) completing.ask(typing.textBefore, false);
    else completing.close();
  }

  function put(text: string, from?: number): void {
    if (!typing.put(text, from)) refused = text.length;
    suggest();
  }

  function enter(): KeyResult {
    const menu = completing.current;
    const taken = menu && chooseByEnter(menu, typing.textBefore);
    if (taken !== undefined) {
      put(taken.text, menu?.from);
      // A file stands in a sentence that goes on; a command, or what it is given, is whole.
      if (taken.text.startsWith("@")) return changed;
    }
    if (typing.textBefore.endsWith("\\")) {
      put("\n", typing.buffer.cursor - 1);
      return changed;
    }
    completing.close();
    top = 0;
    return { result: "submit", text: typing.submit() };
  }

  function tab(): void {
    const menu = completing.current;
    const completion = menu?.completions[menu.chosen ?? 0];
    if (menu !== undefined && completion !== undefined) put(completion.text, menu.from);
    else completing.ask(typing.textBefore, true);
  }

  function go(step: 1 | -1): void {
    if (completing.current) {
      completing.move(step);
      return;
    }
    completing.close();
    typing.goVertically(step);
  }

  function act(action: Action): KeyResult {
    switch (action) {
      case "submit":
        return enter();
      case "newline":
        put("\n");
        return changed;
      case "complete":
        tab();
        return changed;
      case "close":
        if (!completing.menu) return unused;
        completing.close();
        return changed;
      case "search":
        completing.close();
        search = createHistorySearch(history);
        return changed;
      case "up":
      case "down":
        go(action === "up" ? -1 : 1);
        return changed;
      default:
        return edit(action);
    }
  }

  function edit(action: Action): KeyResult {
    const { length } = typing.buffer.text;
    const hasChanged = typing.edit(action);
    if (hasChanged === undefined) return unused;
    if (hasChanged && typing.buffer.text.length < length) suggest();
    else completing.close();
    return changed;
  }

  function press(key: Key): KeyResult {
    refused = undefined;
    if (search) {
      const pressed = pressInSearch(search, key);
      if (pressed === "go-on") return changed;
      if (pressed === "take" && search.found !== undefined) typing.set(search.found);
      search = undefined;
      return changed;
    }
    if (key.name === "paste") {
      if (!typing.put(key.text)) refused = key.text.length;
      completing.close();
      return changed;
    }
    if (key.name === "text" && !key.ctrl && !key.alt) {
      put(key.text);
      return changed;
    }
    // The key of the end of the input, unless there is something to delete.
    if (key.name === "text" && key.text === "d" && typing.buffer.text === "") return unused;
    const action = findAction(key);
    return action === undefined ? unused : act(action);
  }

  function view(prompt: string, size: Size): Live {
    const frame = createFrame(prompt, size.columns);
    if (search) return renderSearch(search, typing.buffer.text, { prompt, size, frame, locale: locale() });
    const rows = typing.rows(frame.width);
    const { text, cursor } = typing.buffer;
    top = scroll(top, findRow(rows, cursor), getMaxRows(size, frame), rows.length);
    const { lines, cursor: place } = renderText({ prompt, text, cursor, rows, frame, top, size });
    return { lines: [...lines, ...below(size)], cursor: place };
  }

  function below(size: Size): Line[] {
    if (refused !== undefined) return [renderTooLong(refused, locale(), size.columns)];
    if (!completing.menu) return [];
    return renderMenu(completing.menu, size.columns, Math.max(1, Math.min(8, Math.floor(size.rows / 3))));
  }

  return {
    get text() {
      return typing.buffer.text;
    },
    press,
    set(text) {
      search = undefined;
      refused = undefined;
      completing.close();
      typing.set(text);
    },
    view,
  };
}

const changed: KeyResult = { result: "changed" };
const unused: KeyResult = { result: "unused" };
