import type { FinishedRun } from "../../core/store/store.ts";
import { say, toDuetError } from "../../kit/errors.ts";
import type { Run } from "../run.ts";

/** Keeps a run before its end is told: an answer that was acknowledged is there after a crash. A failure is a notice. */
export async function saveRun(run: Run, finished: FinishedRun): Promise<void> {
  try {
    await run.services.store.append(finished);
  } catch (thrown) {
    const { text } = toDuetError(thrown);
    const message = say(run.input.locale, {
      zh: `这一轮没有保存：${text.zh}`,
      en: `This turn was not saved: ${text.en}`,
    });
    run.services.emit({ type: "notice", level: "warning", code: "not-saved", message });
  }
}
