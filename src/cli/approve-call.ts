import { setImmediate } from "node:timers/promises";
import type { ApproveCall } from "../app.ts";
import { headOf } from "../core/cut-text.ts";
import type { JsonObject } from "../core/json.ts";
import { type Locale, say } from "../core/locale.ts";
import { printableJson, printableLine } from "../core/printable.ts";
import { askLine, type Reader } from "./reader.ts";

/** Of a call's arguments, in UTF-16 units: what is agreed to is to be seen, but a book may not fill the screen. */
const longestArguments = 10_000;

/**
 * Asks at a terminal whether a call may run: once, for the whole conversation where that is offered, or not. The end of the
 * input and `/exit` are a no; everything else is asked again.
 */
export function createApproveCall(reader: Reader): ApproveCall {
  const { locale, write, leave } = reader;
  return async ({ tool, arguments: args, rule, onlyOnce }, signal) => {
    // The start of the call has been told as an event, and is on the screen once that has been read.
    await setImmediate();
    const head = { zh: `🔐 需要同意 · ${tool} · 规则 ${rule}`, en: `🔐 needs consent · ${tool} · rule ${rule}` };
    write(printableLine(say(locale, head)));
    write(whole(args, locale));
    const query = say(locale, onlyOnce ? onceOnly : onceOrMore);
    for (;;) {
      const line = (await askLine(reader, query, signal))?.trim().toLowerCase();
      if (line === undefined || no.has(line)) return "no";
      if (line === "/exit") {
        leave?.();
        return "no";
      }
      if (yes.has(line)) return "once";
      if (!onlyOnce && always.has(line)) return "conversation";
      if (line !== "") write(say(locale, onlyOnce ? wantedOnce : wanted));
    }
  };
}

const onceOnly = { zh: "允许执行？[y/n] ", en: "Let it run? [y/n] " };
const onceOrMore = {
  zh: "允许执行？[y 这一次/a 本次对话中都允许/n] ",
  en: "Let it run? [y once/a always in this conversation/n] ",
};

const wantedOnce = {
  zh: "请输入 y 或 n；/exit 拒绝并退出。",
  en: "Type y or n; /exit says no and leaves.",
};
const wanted = {
  zh: "请输入 y、a 或 n；/exit 拒绝并退出。",
  en: "Type y, a or n; /exit says no and leaves.",
};

const yes: ReadonlySet<string> = new Set(["y", "yes", "是", "好", "允许", "同意"]);
const always: ReadonlySet<string> = new Set(["a", "always", "都允许", "总是"]);
const no: ReadonlySet<string> = new Set(["n", "no", "否", "不", "不允许", "拒绝"]);

function whole(args: JsonObject, locale: Locale): string {
  const json = printableJson(args, 2);
  const head = headOf(json, longestArguments);
  const left = json.length - head.length;
  if (left === 0) return json;
  const note = { zh: `…（另有 ${left} 个字符未显示）`, en: `… (${left} more characters not shown)` };
  return `${head}${say(locale, note)}`;
}
