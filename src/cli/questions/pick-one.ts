import { type Locale, say, type Text } from "../../kit/locale.ts";
import { sanitizeLine } from "../../kit/text/sanitize.ts";
import { askLine, type Choice, type PickOptions, type Reader } from "./reader.ts";

/**
 * Has somebody choose: with the arrow keys, or by its number or one of its words where only lines are typed. Undefined when
 * nothing was chosen: the input has ended, `/exit` was typed, or an Enter where no choice is in force. Rejects when the signal
 * aborts.
 */
export async function pickOne<T>(reader: Reader, picking: PickOptions<T>, signal: AbortSignal): Promise<T | undefined> {
  if (reader.pick) return reader.pick(picking, signal);
  const { choices } = picking;
  showList(reader, picking);
  const query = `1-${choices.length}> `;
  for (;;) {
    const line = (await askLine(reader, query, signal))?.trim().toLowerCase();
    if (line === undefined) return undefined;
    if (line === "/exit") {
      reader.leave?.();
      return undefined;
    }
    if (line === "") return picking.chosen;
    const choice = /^\d{1,4}$/.test(line) ? choices[Number(line) - 1] : findChoice(line, choices);
    if (choice) return choice.value;
    reader.write(say(reader.locale, describeNumbers(choices.length)));
  }
}

function showList<T>({ locale, write }: Reader, picking: PickOptions<T>): void {
  write(sanitizeLine(picking.title));
  for (const [index, line] of renderChoices(picking, locale).entries())
    write(`  ${String(index + 1).padStart(2)}  ${line}`);
}

/** Renders the choices, one line each, and marks the current one. */
export function renderChoices<T>({ choices, chosen }: PickOptions<T>, locale: Locale): string[] {
  return choices.map(({ value, label, detail }) => {
    const inForce = chosen !== undefined && value === chosen ? say(locale, current) : undefined;
    return sanitizeLine([label, detail, inForce].filter(Boolean).join(" · "));
  });
}

/** Finds the choice whose label or one of whose words was typed. The line is in lower case. */
export function findChoice<C extends Pick<Choice<unknown>, "label" | "words">>(
  line: string,
  choices: readonly C[],
): C | undefined {
  return choices.find(({ label, words = [] }) => words.includes(line) || label.toLowerCase() === line);
}

const current: Text = { zh: "当前", en: "current" };

function describeNumbers(count: number): Text {
  return {
    zh: `请输入 1 到 ${count}，或直接回车不做改变。`,
    en: `Type a number from 1 to ${count}, or press Enter to keep the current one.`,
  };
}
