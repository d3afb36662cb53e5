const opening = "<thought>";
const closing = "</thought>";

export interface ThoughtSplit {
  reasoning: string;
  text: string;
}

/**
 * Parts thoughts from the answer where Gemini puts both into `content`: its thoughts are flagged and stand between two
 * tags, of which the second comes with the answer. Either tag may be split over chunks.
 */
export class ThoughtTags {
  #inThought = false;
  #begun = false;
  /** Holds text that may be the beginning of a tag. */
  #held = "";

  read(content: string, flagged: boolean): ThoughtSplit {
    const whole = this.#held + content;
    this.#held = "";
    if (this.#inThought) return this.#readThought(whole, flagged);
    if (this.#begun || !(flagged || whole !== content)) return this.#answer(whole);
    if (whole.length < opening.length && opening.startsWith(whole)) return this.#hold(whole);
    if (!whole.startsWith(opening)) return this.#answer(whole);
    this.#inThought = true;
    return this.#readThought(whole.slice(opening.length), flagged);
  }

  /** Returns the text that was held back at the end and was not a tag. */
  rest(): ThoughtSplit {
    const held = this.#held;
    this.#held = "";
    return this.#inThought ? { reasoning: held, text: "" } : { reasoning: "", text: held };
  }

  #readThought(whole: string, flagged: boolean): ThoughtSplit {
    const end = whole.indexOf(closing);
    if (end >= 0) {
      this.#inThought = false;
      return { reasoning: whole.slice(0, end), text: this.#answer(whole.slice(end + closing.length)).text };
    }
    const begun = beginningAtEnd(whole);
    this.#held = whole.slice(whole.length - begun);
    const told = whole.slice(0, whole.length - begun);
    // Without its flag it is the answer, whether or not the tag came.
    if (flagged || told === "") return { reasoning: told, text: "" };
    this.#inThought = false;
    return this.#answer(whole);
  }

  #answer(text: string): ThoughtSplit {
    this.#held = "";
    this.#begun ||= text !== "";
    return { reasoning: "", text };
  }

  #hold(text: string): ThoughtSplit {
    this.#held = text;
    return { reasoning: "", text: "" };
  }
}

/** Returns how many characters at the end of the text may begin the second tag. */
function beginningAtEnd(text: string): number {
  for (let length = Math.min(text.length, closing.length - 1); length > 0; length--) {
    if (closing.startsWith(text.slice(-length))) return length;
  }
  return 0;
}
