import type { Text } from "../../kit/locale.ts";
import { sanitizeLine } from "../../kit/text/sanitize.ts";
import { truncate } from "../../kit/text/truncate.ts";
import { defineNotice } from "./define-notice.ts";

/** Lists the notices about what hooks have said and changed. */
export const hookNotices = {
  /** Is told where a hook ended by itself, or did not end, without a decision. What it is about goes on. */
  hookFailed: defineNotice("hook-failed", {
    level: "warning",
    isInResult: false,
    text: ({ hook, why }: { hook: string; why: Text }) => ({
      zh: `钩子 ${hook}：${why.zh}`,
      en: `Hook ${hook}: ${why.en}`,
    }),
  }),
  /** Is told where a hook says something to people (`systemMessage`). */
  hookMessage: defineNotice("hook-message", {
    level: "warning",
    isInResult: false,
    text: ({ hook, message }: { hook: string; message: string }) => ({
      zh: `钩子 ${hook} 说：${message}`,
      en: `Hook ${hook} says: ${message}`,
    }),
  }),
  /** Is told where a hook after the answer wants the run to go on, which it does not do by itself. */
  hookWantsMore: defineNotice("hook-wants-more", {
    level: "warning",
    isInResult: false,
    text: ({ hook, reason }: { hook: string; reason: string }) => ({
      zh: `钩子 ${hook} 认为还没有完成${reason === "" ? "" : `：${reason}`}（需要时请接着提问）`,
      en: `Hook ${hook} says that the work is not done${reason === "" ? "" : `: ${reason}`} (ask on if you want it to go on)`,
    }),
  }),
  hookChanged: defineNotice("hook-changed", {
    level: "info",
    isInResult: false,
    text({ hook, tool, args }: { hook: string; tool: string; args: unknown }) {
      const shown = truncate(sanitizeLine(JSON.stringify(args)), 300);
      return {
        zh: `${hook} 修改了 ${tool} 的参数：${shown}`,
        en: `${hook} changed the arguments of ${tool}: ${shown}`,
      };
    },
  }),
  /** Is told where a hook does not let a message to a running question through. */
  messageRefused: defineNotice("message-refused", {
    level: "warning",
    isInResult: true,
    text({ said, why }: { said: string; why: string }) {
      const shown = truncate(sanitizeLine(said), 500);
      return {
        zh: `钩子没有放行这条消息${why === "" ? "" : `（${why}）`}：${shown}`,
        en: `A hook did not let this message through${why === "" ? "" : ` (${why})`}: ${shown}`,
      };
    },
  }),
};
