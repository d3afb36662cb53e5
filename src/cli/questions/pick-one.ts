import { type Locale, say, type Text } from "../../kit/locale.ts";
import { sanitizeLine } from "../../kit/text/sanitize.ts";
import { askLine, type Choice, type Picking, type Reader } from "./reader.ts";

/** Holds the question that replaces a numbered list where only lines are typed. */
export interface TypedQuestion {
  query: string;
  /** Is shown after a line that matches no choice. */
  wanted: string;
}

/**
 * Has somebody choose: with the arrow keys, or by a number or one of a choice's words where only lines are typed. Undefined when
 * nothing was chosen: the input has ended, `/exit` was typed, or an Enter where no choice is in force. Rejects when the signal
 * aborts.
 */
export async function pickOne<T>(
  reader: Reader,
  picking: Picking<T>,
  signal: AbortSignal,
  typed?: TypedQuestion,
): Promise<T | undefined> {
  if (reader.pick) return reader.pick(picking, signal);
  const { choices } = picking;
  if (typed === undefined) showList(reader, picking);
  const query = typed?.query ?? `1-${choices.length}> `;
  const wanted = typed?.wanted ?? say(reader.locale, numberOf(choices.length));
  for (;;) {
    const line = (await askLine(reader, query, signal))?.trim().toLowerCase();
    if (line === undefined) return undefined;
    if (line === "/exit") {
      reader.leave?.();
      return undefined;
    }
    // An Enter that was meant for something else decides nothing that has words of its own.
    if (line === "" && typed === undefined) return picking.chosen;
    const choice = find(line, choices, typed === undefined);
    if (choice) return choice.value;
    if (line !== "") reader.write(wanted);
  }
}

function showList<T>({ locale, write }: Reader, picking: Picking<T>): void {
  write(sanitizeLine(picking.title));
  for (const [index, line] of renderChoices(picking, locale).entries())
    write(`  ${String(index + 1).padStart(2)}  ${line}`);
}

/** Renders the choices, one line each, and marks the current one. */
export function renderChoices<T>({ choices, chosen }: Picking<T>, locale: Locale): string[] {
  return choices.map(({ value, label, detail }) => {
    const inForce = chosen !== undefined && value === chosen ? say(locale, current) : undefined;
    return sanitizeLine([label, detail, inForce].filter(Boolean).join(" · "));
  });
}

function find<T>(line: string, choices: readonly Choice<T>[], byNumber: boolean): Choice<T> | undefined {
  const isNumber = byNumber && /^\d{1,4}$/.test(line);
  if (isNumber) return choices[Number(line) - 1];
  return choices.find(({ label, words = [] }) => words.includes(line) || label.toLowerCase() === line);
}

const current: Text = { zh: "当前", en: "current" };

function numberOf(count: number): Text {
  return {
    zh: `请输入 1 到 ${count}，或直接回车不做改变。`,
    en: `Type a number from 1 to ${count}, or press Enter to keep the current one.`,
  };
}
