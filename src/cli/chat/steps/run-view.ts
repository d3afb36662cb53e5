import type { AgentEvent } from "../../../core/events.ts";
import type { Live } from "../../terminal/screen/drawn.ts";

/** The lines that the steps of a run have left on the screen. */
export interface StepList {
  /** Puts one line in their place, or them again; false where they do not stand on the screen any more. */
  toggle(): boolean;
}

/** A run on the screen: what is finished goes to the screen's finished lines, what changes is asked for at each frame. */
export interface RunView {
  handle(event: AgentEvent): void;
  /** What stands below the finished lines now, in at most so many lines. */
  live(rows: number): Live["lines"];
  /** The list of steps above the answer, once the view is closed; undefined where there is none, or it cannot be folded. */
  readonly list: StepList | undefined;
  /** Settles when all of it is among the finished lines, also where its events broke off. */
  close(): Promise<void>;
}
