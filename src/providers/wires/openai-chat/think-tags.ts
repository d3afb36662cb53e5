import type { ThoughtSplit } from "./thought-tags.ts";

const opening = "<think>";
const closing = "</think>";

/**
 * Parts the thoughts of local models from their answer: a server that does not know how its model thinks leaves them at
 * the start of `content`, between two tags. Either tag may be split over chunks; a thought that never ends is no answer.
 */
export class ThinkTags {
  #state: "start" | "thought" | "gap" | "answer" = "start";
  /** Holds text that may be the beginning of a tag. */
  #held = "";

  read(content: string): ThoughtSplit {
    if (this.#state === "answer") return { reasoning: "", text: content };
    const whole = this.#held + content;
    this.#held = "";
    if (this.#state === "gap") return this.#afterGap(whole);
    return this.#state === "start" ? this.#readStart(whole) : this.#readThought(whole);
  }

  /** Returns the text that was held back at the end and was not a tag. */
  rest(): ThoughtSplit {
    const held = this.#held;
    this.#held = "";
    return this.#state === "thought" ? { reasoning: held, text: "" } : { reasoning: "", text: held };
  }

  #readStart(whole: string): ThoughtSplit {
    const begun = whole.trimStart();
    if (begun.length < opening.length && opening.startsWith(begun)) return this.#hold(whole, 0);
    if (!begun.startsWith(opening)) {
      this.#state = "answer";
      return { reasoning: "", text: whole };
    }
    this.#state = "thought";
    return this.#readThought(begun.slice(opening.length));
  }

  #readThought(whole: string): ThoughtSplit {
    const end = whole.indexOf(closing);
    if (end < 0) return this.#hold(whole, whole.length - beginningAtEnd(whole));
    this.#state = "gap";
    const { text } = this.#afterGap(whole.slice(end + closing.length));
    return { reasoning: whole.slice(0, end), text };
  }

  /** Line breaks between the tag and the answer belong to neither. */
  #afterGap(whole: string): ThoughtSplit {
    const text = whole.trimStart();
    if (text !== "") this.#state = "answer";
    return { reasoning: "", text };
  }

  #hold(whole: string, from: number): ThoughtSplit {
    this.#held = whole.slice(from);
    return { reasoning: whole.slice(0, from), text: "" };
  }
}

function beginningAtEnd(text: string): number {
  for (let length = Math.min(text.length, closing.length - 1); length > 0; length--)
    if (closing.startsWith(text.slice(-length))) return length;
  return 0;
}
