import { sanitizeLine } from "../../../kit/text/sanitize.ts";
import { createProgressPace, type ProgressPace } from "../../../runs/input/progress-pace.ts";

/** Sends the progress of one call to the host, across all the requests that carry it. Only the newest line counts. */
export interface CallProgress extends Pick<ProgressPace, "attach" | "settle"> {
  notify(line: string): void;
}

const longestLine = 500;

export function createCallProgress(): CallProgress {
  let line: string | undefined;
  const { due, attach, settle } = createProgressPace({
    deliver() {
      const taken = line;
      line = undefined;
      return taken;
    },
  });
  return {
    notify(text) {
      line = sanitizeLine(text).slice(0, longestLine);
      due();
    },
    attach,
    settle,
  };
}
