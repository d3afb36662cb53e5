import type { Text } from "../../kit/locale.ts";
import { sanitizeLine } from "../../kit/text/sanitize.ts";
import { truncate } from "../../kit/text/truncate.ts";

/** Says that the models have read what a person said to a run. By these words its notice is found again among those of the run. */
export function describeDelivered(said: string): Text {
  const shown = truncate(sanitizeLine(said), 500);
  return { zh: `${prefixes.zh}${shown}`, en: `${prefixes.en}${shown}` };
}

/** Returns the words of a notice of `describeDelivered`, and undefined for any other notice. */
export function readDelivered(notice: string): string | undefined {
  const prefix = Object.values(prefixes).find((each) => notice.startsWith(each));
  return prefix && notice.slice(prefix.length);
}

const prefixes = { zh: "已转达：", en: "Passed on: " } as const satisfies Text;
