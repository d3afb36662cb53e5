import type { AgentEvent } from "../../../core/events.ts";
import type { Live } from "../../terminal/screen/live.ts";

/** Holds the lines that the steps of a run have left on the screen. */
export interface StepList {
  /** Puts one line in their place, or them again; false where they do not stand on the screen any more. */
  toggle(): boolean;
}

/** Shows a run: finished content goes to the screen's finished lines, and changing content is read at each frame. */
export interface RunView {
  handle(event: AgentEvent): void;
  /** Returns the lines to draw below the finished ones, at most `rows` of them. */
  live(rows: number): Live["lines"];
  /**
   * Holds the list of steps above the answer once the view is closed. It is undefined when there is no list or the list cannot
   * be folded.
   */
  readonly list: StepList | undefined;
  /** Settles when all of it is among the finished lines, also where its events broke off. */
  close(): Promise<void>;
}
