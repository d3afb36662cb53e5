import type { Text } from "../../kit/locale.ts";
import { formatCount } from "../../kit/text/format-count.ts";
import { sanitizeLine } from "../../kit/text/sanitize.ts";
import { truncate } from "../../kit/text/truncate.ts";
import { defineNotice } from "./define-notice.ts";

/** Lists the notices about what is kept of runs and conversations. */
export const storeNotices = {
  /** `isTriedAgain` is true while the turn is kept in memory to be saved later. */
  notSaved: defineNotice("not-saved", {
    level: "warning",
    isInResult: true,
    text: ({ why, isTriedAgain }: { why: Text; isTriedAgain: boolean }) => ({
      zh: `这一轮没有保存：${why.zh}${isTriedAgain ? "。程序会继续尝试保存。" : ""}`,
      en: `This turn was not saved: ${why.en}${isTriedAgain ? ". Saving it is tried again." : ""}`,
    }),
  }),
  savedLate: defineNotice("saved-late", {
    level: "info",
    isInResult: true,
    text: (which: "this" | "earlier") =>
      which === "this"
        ? { zh: "这一轮起初没能保存，现在已经保存。", en: "This turn could not be saved at first. It is saved now." }
        : {
            zh: "这个对话中先前没能保存的内容，现在已经保存。",
            en: "What could not be saved of this conversation before is saved now.",
          },
  }),
  /** Is told where a step of a run could not be recorded. */
  notResumable: defineNotice("not-resumable", {
    level: "warning",
    isInResult: true,
    text: (why: Text) => ({
      zh: `这次运行的步骤没有记录，如果程序意外结束，它不能继续：${why.zh}。`,
      en: `The steps of this run are not recorded, so it cannot go on if the program ends unexpectedly: ${why.en}.`,
    }),
  }),
  summaryNotSaved: defineNotice("summary-not-saved", {
    level: "warning",
    isInResult: true,
    text: (why: Text) => ({
      zh: `对话摘要没有保存：${why.zh}`,
      en: `The summary of the conversation was not saved: ${why.en}`,
    }),
  }),
  storeUnavailable: defineNotice("store-unavailable", {
    level: "warning",
    isInResult: true,
    text: (why: Text) => ({
      zh: `对话只保留到进程结束，之前的对话无法读取：${why.zh}`,
      en: `Conversations are kept only until this process ends, and earlier ones cannot be read: ${why.en}`,
    }),
  }),
  storeFailing: defineNotice("store-failing", {
    level: "warning",
    isInResult: true,
    text: (why: Text) => ({
      zh: `对话存储目前无法写入：${why.zh}`,
      en: `The conversation store cannot be written at present: ${why.en}`,
    }),
  }),
  runsLost: defineNotice("runs-lost", {
    level: "warning",
    isInResult: false,
    text: (count: number) => ({
      zh: `有 ${count} 个运行没能保存，不再尝试。`,
      en: `${formatCount(count, "run")} could not be saved, and will not be tried again.`,
    }),
  }),
  /** `name` is the file under which the damaged store is kept, for those who may know it. */
  storeDamaged: defineNotice("store-damaged", {
    level: "warning",
    isInResult: true,
    text: ({ name }: { name: string | undefined }) => ({
      zh: `对话存储已损坏，原文件${name === undefined ? "已另行保留" : `保留为 ${name}`}；已新建空的存储，其中没有之前的对话。`,
      en: `The conversation store was damaged; its file is kept${name === undefined ? "" : ` as ${name}`}. A new, empty store was created.`,
    }),
  }),
  storeReplaced: defineNotice("store-replaced", {
    level: "warning",
    isInResult: true,
    text: () => ({
      zh: "对话存储的文件在使用中被替换或删除。此后的对话保存在现在的文件中，之前的对话可能已不在其中。",
      en: "The file of the conversation store was replaced or deleted while it was in use. What follows is saved in the present file, which may lack earlier conversations.",
    }),
  }),
  /** `begun` is the ID of the conversation that replaces the one that was asked for. */
  conversationUnknown: defineNotice("conversation-unknown", {
    level: "warning",
    isInResult: true,
    text({ id, begun }: { id: string; begun: string }) {
      const shown = truncate(sanitizeLine(id), 100);
      const isSame = id === begun;
      return {
        zh: `没有找到对话 ${shown}，已用${isSame ? "这个编号" : `编号 ${begun} `}开始新的对话。`,
        en: `Conversation ${shown} was not found; a new one was started under ${isSame ? "that ID" : `the ID ${begun}`}.`,
      };
    },
  }),
  historyUnread: defineNotice("history-unread", {
    level: "warning",
    isInResult: false,
    text: ({ file, why }: { file: string; why: Text }) => ({
      zh: `旧版本的输入历史 ${file} 没有导入，文件保持原样：${why.zh}`,
      en: `The input history ${file} of an earlier version was not imported and stays as it is: ${why.en}`,
    }),
  }),
};
