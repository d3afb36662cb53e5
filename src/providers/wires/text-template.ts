import { tryParseJson } from "../../kit/json.ts";

/**
 * Recognises the events of a stream that differ from an earlier one in a plain text alone, which most are, so that they need not
 * be parsed. It is exact: with the same words before and after, and nothing between that JSON has to escape, everything but the
 * text would be read as before.
 */
export class TextTemplate {
  #head: string | undefined;
  #tail = "";
  #lessons = 0;
  readonly #findText: FindText;

  constructor(findText: FindText) {
    this.#findText = findText;
  }

  /** Returns the text of an event that is like the one that was learned, and undefined for any other. */
  match(data: string): string | undefined {
    const head = this.#head;
    if (head === undefined || data.length <= head.length + this.#tail.length) return undefined;
    if (!data.startsWith(head) || !data.endsWith(this.#tail)) return undefined;
    const text = data.slice(head.length, data.length - this.#tail.length);
    return isPlain(text) ? text : undefined;
  }

  /** Takes an event, which was parsed to `value`, as the one that others may be like. Returns false where it is not fit for that. */
  learn(data: string, value: unknown): boolean {
    if (this.#lessons === mostLessons) return false;
    const text = this.#findText(value);
    if (text === undefined || text === "" || !isPlain(text)) return false;
    this.#lessons += 1;
    const at = data.indexOf(`"${text}"`) + 1;
    if (at === 0) return false;
    const head = data.slice(0, at);
    const tail = data.slice(at + text.length);
    // The same words may stand at another place of the event.
    if (this.#findText(tryParseJson(`${head}${probe}${tail}`)) !== probe) return false;
    this.#head = head;
    this.#tail = tail;
    return true;
  }
}

/**
 * Returns the text that a parsed event adds, and undefined for an event that says anything else, or says something else of the text
 * than the event before.
 */
export type FindText = (value: unknown) => string | undefined;

/** Some servers put something new into every event; learning from each of them would parse it twice. */
const mostLessons = 4;

const probe = "a text that no event has";

function isPlain(text: string): boolean {
  return !/["\\\p{Cc}]/u.test(text);
}
