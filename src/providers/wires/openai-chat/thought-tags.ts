/** Holds the two parts of a piece of `content`. */
export interface ThoughtSplit {
  reasoning: string;
  text: string;
}

const localTags = { opening: "<think>", closing: "</think>" };
const geminiTags = { opening: "<thought>", closing: "</thought>" };

/**
 * Parts the thoughts of local models from their answer: a server that does not know how its model thinks leaves them at
 * the start of `content`, between two tags. Either tag may be split over chunks; a thought that never ends is no answer.
 */
export class LocalThoughtSplitter {
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
    if (begun.length < localTags.opening.length && localTags.opening.startsWith(begun)) return this.#hold(whole, 0);
    if (!begun.startsWith(localTags.opening)) {
      this.#state = "answer";
      return { reasoning: "", text: whole };
    }
    this.#state = "thought";
    return this.#readThought(begun.slice(localTags.opening.length));
  }

  #readThought(whole: string): ThoughtSplit {
    const end = whole.indexOf(localTags.closing);
    if (end < 0) return this.#hold(whole, whole.length - measureTagStart(whole, localTags.closing));
    this.#state = "gap";
    const { text } = this.#afterGap(whole.slice(end + localTags.closing.length));
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

/**
 * Parts thoughts from the answer where Gemini puts both into `content`: its thoughts are flagged and stand between two
 * tags, of which the second comes with the answer. Either tag may be split over chunks.
 */
export class GeminiThoughtSplitter {
  #inThought = false;
  #begun = false;
  /** Holds text that may be the beginning of a tag. */
  #held = "";

  read(content: string, flagged: boolean): ThoughtSplit {
    const whole = this.#held + content;
    this.#held = "";
    if (this.#inThought) return this.#readThought(whole, flagged);
    if (this.#begun || !(flagged || whole !== content)) return this.#answer(whole);
    if (whole.length < geminiTags.opening.length && geminiTags.opening.startsWith(whole)) return this.#hold(whole);
    if (!whole.startsWith(geminiTags.opening)) return this.#answer(whole);
    this.#inThought = true;
    return this.#readThought(whole.slice(geminiTags.opening.length), flagged);
  }

  /** Returns the text that was held back at the end and was not a tag. */
  rest(): ThoughtSplit {
    const held = this.#held;
    this.#held = "";
    return this.#inThought ? { reasoning: held, text: "" } : { reasoning: "", text: held };
  }

  #readThought(whole: string, flagged: boolean): ThoughtSplit {
    const end = whole.indexOf(geminiTags.closing);
    if (end >= 0) {
      this.#inThought = false;
      return { reasoning: whole.slice(0, end), text: this.#answer(whole.slice(end + geminiTags.closing.length)).text };
    }
    const begun = measureTagStart(whole, geminiTags.closing);
    this.#held = whole.slice(whole.length - begun);
    const thought = whole.slice(0, whole.length - begun);
    // Without its flag it is the answer, whether or not the tag came.
    if (flagged || thought === "") return { reasoning: thought, text: "" };
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

/** Returns how many characters at the end of the text may begin this tag. */
function measureTagStart(text: string, tag: string): number {
  for (let length = Math.min(text.length, tag.length - 1); length > 0; length--) {
    if (tag.startsWith(text.slice(-length))) return length;
  }
  return 0;
}
