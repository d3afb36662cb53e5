import { join } from "node:path";
import type { StoreHealth } from "../../app/conversations/store-health.ts";
import { findDatabase, refuseUnusableStore, storeFile } from "../../app/conversations/store-settings.ts";
import type { Config } from "../../config/config.ts";
import { noticeKinds } from "../../core/notices/notice-kinds.ts";
import { type DuetError, toDuetError } from "../../kit/errors.ts";
import type { Text } from "../../kit/locale.ts";
import { StoreError, toOperatorError } from "../../store/errors/store-error.ts";
import type { Finding } from "./findings.ts";

/**
 * Reports a store that cannot be read and written. One that nothing has opened yet is only looked at: it is not made, updated or set
 * aside. Of one that is open it reports also that its file was damaged and is set aside.
 */
export async function checkStore(
  storeHealth: Pick<StoreHealth, "problem" | "isInUse" | "follow" | "check">,
  config: Config,
): Promise<Finding[]> {
  if (config.conversations.store === "memory") return [];
  if (findDatabase(config) === undefined && storeHealth.isInUse) return checkOpenStore(storeHealth);
  try {
    await inspect(config);
    return [];
  } catch (thrown) {
    return [toFinding(toDuetError(thrown))];
  }
}

/** Throws where the store cannot be used. */
async function inspect(config: Config): Promise<void> {
  if (findDatabase(config) !== undefined) return refuseUnusableStore(config);
  const { inspectStore } = await import("../../store/sqlite/inspect-store.ts");
  inspectStore(join(config.home, storeFile));
}

/** Writes through the connection that there is: another one could drop the locks of this process. */
async function checkOpenStore(storeHealth: Pick<StoreHealth, "problem" | "follow" | "check">): Promise<Finding[]> {
  await storeHealth.check();
  const { problem } = storeHealth;
  const found = problem ? [toFinding(toOperatorError(problem))] : [];
  storeHealth.follow((event) => {
    if (event.type === "set-aside") found.push(createFinding({ text: describeSetAside(event.name) }));
  })();
  return found;
}

function describeSetAside(name: string): Text {
  const { message: zh } = noticeKinds.storeDamaged({ name }, "zh");
  const { message: en } = noticeKinds.storeDamaged({ name }, "en");
  return { zh, en };
}

function toFinding(error: DuetError): Finding {
  const { text, hint } = error;
  const isDamaged = error instanceof StoreError && error.failure === "damaged";
  return createFinding({ text: { zh: `${text.zh}。`, en: `${text.en}.` }, hint: isDamaged ? damagedHint : hint });
}

const damagedHint: Text = {
  zh: `下次打开时，它会改名为 ${storeFile}.damaged-时间 保留，并新建一个空的存储。`,
  en: `When it is next opened, it is kept as ${storeFile}.damaged-TIME, and a new, empty store is created.`,
};

function createFinding(words: Pick<Finding, "text" | "hint">): Finding {
  return {
    topic: "configuration",
    state: "failed",
    what: { zh: "对话存储", en: "conversation store" },
    name: "",
    ...words,
  };
}
