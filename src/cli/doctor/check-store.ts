import { findDatabase, refuseUnusableStore } from "../../app/conversations/store-settings.ts";
import type { Duet } from "../../app/duet.ts";
import type { Config } from "../../config/config.ts";
import { type DuetError, toDuetError } from "../../kit/errors.ts";
import { toOperatorError } from "../../store/store-errors.ts";
import type { Finding } from "./findings.ts";

/**
 * Opens the file of the store as the first question would, and reports one that cannot be read and written, or that was damaged and is
 * set aside now. A newer Duet's is not opened: other commands refuse to start with it.
 */
export async function checkStore(
  duet: Pick<Duet, "checkStore" | "storeMonitor" | "takeNotices">,
  config: Config,
): Promise<Finding[]> {
  try {
    await refuseUnusableStore(config);
  } catch (thrown) {
    return [toFinding(toDuetError(thrown))];
  }
  // What may be wrong with a database was looked for just now, and opening it would update its tables.
  if (findDatabase(config) !== undefined) return [];
  await duet.checkStore();
  const { problem } = duet.storeMonitor;
  const notices = (await duet.takeNotices()).filter(({ code }) => code !== "store-unavailable");
  return [
    ...(problem ? [toFinding(toOperatorError(problem))] : []),
    ...notices.map(({ message }) => createFinding({ text: { zh: message, en: message } })),
  ];
}

function toFinding({ text, hint }: DuetError): Finding {
  return createFinding({ text: { zh: `${text.zh}。`, en: `${text.en}.` }, hint });
}

function createFinding(words: Pick<Finding, "text" | "hint">): Finding {
  return {
    topic: "configuration",
    state: "failed",
    what: { zh: "对话存储", en: "conversation store" },
    name: "",
    ...words,
  };
}
