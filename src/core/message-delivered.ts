import type { Text } from "../kit/locale.ts";
import { sanitizeLine } from "../kit/text/sanitize.ts";
import { truncate } from "../kit/text/truncate.ts";

/** Says that the models have read what a person said to a run. By these words its notice is found again among those of the run. */
export function describeDelivered(said: string): Text {
  const shown = truncate(sanitizeLine(said), 500);
  return { zh: `已转达：${shown}`, en: `Passed on: ${shown}` };
}
