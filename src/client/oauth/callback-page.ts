import type { Locale, Text } from "../../kit/locale.ts";

/** What the browser shows at the end of a sign-in. */
export type CallbackOutcome = "done" | "failed" | "stranger";

const titles: Record<CallbackOutcome, Text> = {
  done: { zh: "登录完成", en: "Signed in" },
  failed: { zh: "登录没有成功", en: "The sign-in did not work" },
  stranger: { zh: "这不是正在进行的登录", en: "This belongs to no sign-in" },
};

const advice: Record<CallbackOutcome, Text> = {
  done: { zh: "请回到终端，可以关闭此页。", en: "Go back to the terminal; you can close this page." },
  failed: { zh: "请回到终端查看原因。", en: "Go back to the terminal to see why." },
  stranger: { zh: "请回到终端，重新运行 duet login。", en: "Go back to the terminal and run duet login again." },
};

/** A page of fixed words: nothing of the address that was called is on it. */
export function renderCallbackPage(outcome: CallbackOutcome, locale: Locale): string {
  const [title, text] = [titles[outcome][locale], advice[outcome][locale]];
  return `<!doctype html><html lang="${locale}"><meta charset="utf-8"><title>Duet</title><h1>${title}</h1><p>${text}</p></html>\n`;
}

export const callbackHeaders = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": "default-src 'none'",
  "referrer-policy": "no-referrer",
  "cache-control": "no-store",
  connection: "close",
};
