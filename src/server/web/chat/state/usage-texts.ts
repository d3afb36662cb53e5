import type { Text } from "../../../../kit/locale.ts";

/** Holds the texts of what a person has used. */
export const usageTexts = {
  title: { zh: "我的用量", en: "My limits" },
  loading: { zh: "正在读取…", en: "Reading…" },
  signedIn: { zh: "当前身份：", en: "Signed in as:" },
  operator: { zh: "运营者（未登录）", en: "the operator (no sign-in)" },
  tokens_today: { zh: "今天的 Token", en: "Tokens today" },
  cost_usd_today: { zh: "今天的费用", en: "Cost today" },
  runs_now: { zh: "正在进行的运行", en: "Runs in progress" },
  runs_per_minute: { zh: "最近一分钟开始的运行", en: "Runs begun in the last minute" },
  noLimit: { zh: "不限", en: "no limit" },
  resets: { zh: "每日用量按 UTC 计算，下次清零：", en: "Days are those of UTC; the next one begins:" },
} as const satisfies Record<string, Text>;
