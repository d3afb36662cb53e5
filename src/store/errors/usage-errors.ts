import { DuetError } from "../../kit/errors.ts";
import { isAddress } from "./store-error.ts";

/** A conversation of another owner is reported as missing. */
export function noConversationError(): DuetError {
  return new DuetError({
    code: "internal",
    text: { zh: "没有这个编号的对话", en: "there is no conversation with that ID" },
  });
}

/** Reports a use of a store after its end. */
export function closedStoreError(): DuetError {
  return new DuetError({
    code: "internal",
    text: { zh: "对话存储已关闭", en: "the conversation store is closed" },
  });
}

/** Reports a store that this program neither reads nor changes. */
export function newerSchemaError(found: number, file: string, supported: number): DuetError {
  return new DuetError({
    code: "config",
    text: {
      zh: `对话存储 ${file} 的版本是 ${found}，来自更新的 Duet（此版本支持到 ${supported}）`,
      en: `the conversation store ${file} has version ${found}, from a newer Duet (this one supports up to ${supported})`,
    },
    hint: isAddress(file)
      ? { zh: "请升级 Duet。", en: "Update Duet." }
      : {
          zh: "请升级 Duet，或用 DUET_HOME 另选一个文件夹。",
          en: "Update Duet, or choose another folder with DUET_HOME.",
        },
  });
}

/** Reports that there is nothing to be read. */
export function noStoreError(file: string): DuetError {
  return new DuetError({
    code: "config",
    text: { zh: `没有对话存储 ${file}`, en: `there is no conversation store ${file}` },
  });
}
