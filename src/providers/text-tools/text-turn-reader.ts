import { LocalThoughtSplitter, type ThoughtSplit } from "../wires/openai-chat/thought-tags.ts";
import { type ActionText, type TextAction, toAction } from "./text-action.ts";
import { type Label, readLineStart } from "./text-labels.ts";

/** Is a piece of a turn that can be shown before the turn is complete. */
export interface TextPiece {
  type: "reasoning-delta" | "text-delta";
  text: string;
}

/** Holds what a model wrote in the textual protocol. */
export interface TextTurn {
  /** Holds what it reasoned between tags, as models do that think before they write. */
  reasoning: string;
  /** Holds what it thought, and what it wrote without a label before an action. */
  thought: string;
  /** Holds what it said to the reader. */
  text: string;
  actions: TextAction[];
  /** Is true when the model went on after its calls, or wrote an observation itself. What follows there is dropped. */
  isCut: boolean;
}

type Section = "bare" | "thought" | "action" | "input" | "answer" | "over";

/** Text without a label is held up to this length, in UTF-16 units: a label may still say that it was a thought. */
const longestBare = 400;

/**
 * Reads a turn in the textual protocol as it arrives. The pieces in which it comes make no difference. What a model wrote after
 * its calls was written without their results, so none of it is read: neither an observation, nor an answer, nor more thoughts.
 */
export class TextTurnReader {
  #tags = new LocalThoughtSplitter();
  #section: Section = "bare";
  /** Holds the beginning of a line of which it is not known yet whether it is a label; undefined within a line. */
  #line: string | undefined = "";
  #closing = new ClosingMark("");
  #reasoning = "";
  #bare = "";
  #isFlowing = false;
  /** Is true when the whole turn stands in a code block. */
  #isFenced = false;
  #thought = new GrowingText();
  #text = new GrowingText();
  #actions: ActionText[] = [];
  #out: TextPiece[] = [];

  /** Is true once nothing more of the turn is read. */
  get isOver(): boolean {
    return this.#section === "over";
  }

  read(content: string): TextPiece[] {
    this.#readTagged(this.#tags.read(content));
    return this.#takePieces();
  }

  /** Reads what was held back. Nothing may be read after it. */
  finish(): { pieces: TextPiece[]; turn: TextTurn } {
    this.#readTagged(this.#tags.rest());
    if (this.#line) this.#add(this.#line);
    if (this.#section === "bare" && !this.#isFlowing) this.#emit("text-delta", this.#bare);
    this.#leaveAction();
    if (!this.#isFenced) this.#text.keepFence();
    this.#out.push(...this.#text.flush("text-delta"));
    const turn = {
      reasoning: this.#reasoning,
      thought: this.#thought.value,
      text: this.#text.value,
      actions: this.#actions.map(toAction),
      isCut: this.#section === "over",
    };
    return { pieces: this.#takePieces(), turn };
  }

  #takePieces(): TextPiece[] {
    const pieces = this.#out;
    this.#out = [];
    return pieces;
  }

  #readTagged({ reasoning, text }: ThoughtSplit): void {
    this.#reasoning += reasoning;
    if (reasoning !== "") this.#out.push({ type: "reasoning-delta", text: reasoning });
    let rest = text;
    while (rest !== "" && this.#section !== "over") {
      const end = rest.indexOf("\n") + 1 || rest.length;
      this.#readLine(rest.slice(0, end));
      rest = rest.slice(end);
    }
  }

  /** Reads a line, or a part of one. Only its last character can be a line break. */
  #readLine(part: string): void {
    const line = this.#line === undefined ? undefined : this.#line + part;
    const isWhole = part.endsWith("\n");
    this.#line = isWhole ? "" : undefined;
    const found = line === undefined ? undefined : readLineStart(line);
    if (found?.start === "open" && !isWhole) this.#line = line;
    else if (found?.start === "label" && this.#open(found.label, found.name)) {
      this.#closing = new ClosingMark(found.mark);
      this.#add(found.rest);
    } else this.#add(line ?? part);
  }

  /** Returns false where the label is part of the text in which it stands. */
  #open(label: Label, name: string): boolean {
    // An answer may have lines that look like labels. It ends where a vendor that knows our stop text ends it.
    if (this.#section === "answer" && name !== "observation") return false;
    this.#leaveBare();
    if (label === "input") {
      const last = this.#actions.at(-1);
      if (last === undefined || last.input !== undefined) this.#actions.push({ head: "", input: "" });
      else last.input = "";
      this.#section = "input";
      return true;
    }
    this.#leaveAction();
    if (label === "action") {
      this.#actions.push({ head: "", input: undefined });
      this.#section = "action";
    } else if (label === "observation" || this.#actions.length > 0) this.#section = "over";
    else this.#section = label;
    if (label === "thought") this.#thought.separate("\n");
    return true;
  }

  #leaveBare(): void {
    if (this.#section !== "bare") return;
    const isFence = /^\s*```\w*\s*$/.test(this.#bare);
    if (this.#isFlowing) this.#text.separate("\n\n");
    else if (isFence) this.#isFenced = true;
    else this.#emit("reasoning-delta", this.#bare);
    this.#bare = "";
  }

  /** Drops an action that says that there is none. */
  #leaveAction(): void {
    const last = this.#actions.at(-1);
    if (last && noAction.test(last.head)) this.#actions.pop();
  }

  #add(part: string): void {
    const text = this.#closing.remove(part);
    const last = this.#actions.at(-1);
    if (this.#section === "action" && last) last.head += text;
    else if (this.#section === "input" && last) last.input += text;
    else if (this.#section === "thought") this.#emit("reasoning-delta", text);
    else if (this.#section === "answer") this.#emit("text-delta", text);
    else if (this.#section === "bare") this.#addBare(text);
  }

  #addBare(text: string): void {
    const held = this.#isFlowing ? text : this.#bare + text;
    // Blanks at the end make it no longer, and are not looked at again and again.
    this.#isFlowing ||= text.trim() !== "" && held.trim().length > longestBare;
    this.#bare = this.#isFlowing ? "" : held;
    if (this.#isFlowing) this.#emit("text-delta", held);
  }

  #emit(type: TextPiece["type"], text: string): void {
    const grown = type === "text-delta" ? this.#text : this.#thought;
    const shown = grown.add(text);
    if (shown !== "") this.#out.push({ type, text: shown });
  }
}

const noAction = /^\W*(none|n\/?a|no action|nothing|无|没有|无需|不需要)(?![\p{L}\d_])/iu;

/** Removes the mark of bold type that closes behind a label, as in `**Thought:** …`, if it comes next. */
class ClosingMark {
  #mark: string;
  #taken = "";

  constructor(mark: string) {
    this.#mark = mark;
  }

  remove(part: string): string {
    if (this.#mark === "") return part;
    const text = this.#taken + part;
    this.#taken = "";
    if (text.length < this.#mark.length && this.#mark.startsWith(text)) {
      this.#taken = text;
      return "";
    }
    const mark = this.#mark;
    this.#mark = "";
    return text.startsWith(mark) ? text.slice(mark.length) : text;
  }
}

/** Holds a text without the blanks around it. What may be its end is held back until more follows. */
class GrowingText {
  value = "";
  #held = "";
  #isStart = true;
  #dropsFence = true;

  /** Returns what can be shown now. */
  add(part: string): string {
    const text = this.#isStart ? part.trimStart() : part;
    if (text === "") return "";
    this.#isStart = false;
    if (text.trim() === "") {
      this.#held += text;
      return "";
    }
    const whole = this.#held + text;
    const shown = whole.slice(0, findEnd(whole));
    this.#held = whole.slice(shown.length);
    this.value += shown;
    return shown;
  }

  /** Puts a blank between what is there and what follows. */
  separate(blank: string): void {
    this.#isStart = true;
    if (this.value + this.#held !== "") this.#held = this.#held.trimEnd() + blank;
  }

  /** Says that a fence at the end belongs to the text. */
  keepFence(): void {
    this.#dropsFence = false;
  }

  flush(type: TextPiece["type"]): TextPiece[] {
    const rest = this.#dropsFence && this.#held.includes("```") ? "" : this.#held.trimEnd();
    this.#held = "";
    this.value += rest;
    return rest === "" ? [] : [{ type, text: rest }];
  }
}

/** Returns the position from which on the text may turn out to be its end: blanks, and the fence that closes a code block. */
function findEnd(text: string): number {
  const end = text.trimEnd().length;
  let start = end;
  while (start > 0 && end - start < 3 && text[start - 1] === "`") start--;
  return start === end ? end : text.slice(0, start).trimEnd().length;
}
