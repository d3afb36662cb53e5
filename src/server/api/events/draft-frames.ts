import type { LiveDraft, RunHandle } from "../../../runs/live/run-handle.ts";
import { toTypedFrame } from "./event-frames.ts";

/**
 * Renders the drafts of a run for one reader. Their events have no number and are not kept: a reader who comes late, or is slow, gets
 * what there is of a draft in one piece, and nothing of one that has ended.
 */
export interface DraftFrames {
  /** Takes back the draft that this reader has, where it has ended. */
  renderEnd(): string;
  /** Returns what the reader does not have yet of the draft that is being written. */
  renderNews(): string;
}

export const noDrafts: DraftFrames = { renderEnd: () => "", renderNews: () => "" };

export function createDraftFrames(run: Pick<RunHandle, "draft">): DraftFrames {
  let shown: LiveDraft | undefined;
  let length = 0;
  return {
    renderEnd() {
      if (shown === undefined || shown === run.draft) return "";
      const { draft, kept = "thought" } = shown;
      shown = undefined;
      return toTypedFrame({ type: "draft-end", draft, kept });
    },
    renderNews() {
      if (run.draft === undefined) return "";
      const { draft, step, text } = run.draft;
      const start = shown === undefined ? toTypedFrame({ type: "draft-start", draft, step }) : "";
      if (shown === undefined) length = 0;
      shown = run.draft;
      const added = text.slice(length);
      length = text.length;
      return start + (added === "" ? "" : toTypedFrame({ type: "draft-delta", draft, text: added }));
    },
  };
}
